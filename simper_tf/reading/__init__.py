"""Anybody's recording -> what repeats in it, without training."""

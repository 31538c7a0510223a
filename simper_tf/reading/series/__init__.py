"""Samples of a series -> what repeats in it."""

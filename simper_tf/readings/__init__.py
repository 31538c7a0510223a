"""Anybody's recordings -> what repeats in them, how often, and whether anything does."""

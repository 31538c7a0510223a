"""Frames of a film -> what repeats in it, and where."""

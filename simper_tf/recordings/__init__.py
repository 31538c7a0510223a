"""A file, array or camera -> frames or samples at their own times, and windows of them."""

"""A clip -> random views: which times, and which appearance."""

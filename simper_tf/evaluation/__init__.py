"""Features and labels -> predictions, metrics, rows, tables and plots."""

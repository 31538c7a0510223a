"""Words and numbers of a table that say when."""

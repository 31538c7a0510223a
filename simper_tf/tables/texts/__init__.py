"""Lines, cells and sheets of text -> tables of numbers."""

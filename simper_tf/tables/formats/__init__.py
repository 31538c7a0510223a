"""Files of samples, one kind a module -> channels and their rate."""

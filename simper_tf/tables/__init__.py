"""Tables and sampled files -> times and channels of numbers."""

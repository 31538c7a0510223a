"""Command-line programs: absl flags in, calls of `simper_tf` out. Flags are defined and read only here."""

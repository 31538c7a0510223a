"""Bytes on disk -> arrays, for builders and their Beam workers; `tfds_*` and `built_checks` alone know TFDS."""

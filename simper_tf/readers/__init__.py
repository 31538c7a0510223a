"""Bytes on disk -> arrays, for builders and their Beam workers; `builders`, `built` and `schema` alone know TFDS."""

"""Bytes on disk -> arrays. Builders and their Beam workers import these; nothing here knows about TFDS."""

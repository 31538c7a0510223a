"""Endings of files that hold series: known without what reads them, which takes a second to load."""

TEXTS = (".csv", ".tsv", ".txt")
SERIES = (*TEXTS, ".npy", ".wav", ".flac", ".edf", ".bdf", ".hea", ".dat", ".mat")

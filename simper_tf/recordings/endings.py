"""Endings of files that hold series: known without what reads them, which takes a second to load."""

TEXTS = (".csv", ".tsv", ".txt")
# Tables that other programs read.
TABLES = (".xlsx", ".xls", ".ods", ".parquet", ".feather", ".json", ".xml", ".gpx", ".h5", ".hdf5", ".nc", ".pkl")
SERIES = (*TEXTS, ".npy", ".wav", ".flac", ".edf", ".bdf", ".hea", ".dat", ".mat")

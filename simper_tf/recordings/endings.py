"""Endings of recordings: known without what reads them, which takes a second to load.

Files of all but `TABLES` are looked for in folders.
"""

VIDEOS = (".3gp", ".asf", ".avi", ".flv", ".gif", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts",
          ".mxf", ".ogv", ".ts", ".vob", ".webm", ".wmv")  # fmt: skip
PICTURES = (".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
TEXTS = (".csv", ".tsv", ".txt")
# Tables that other programs read.
TABLES = (".xlsx", ".xls", ".ods", ".parquet", ".feather", ".json", ".xml", ".gpx", ".h5", ".hdf5", ".nc", ".pkl")
SERIES = (*TEXTS, ".npy", ".wav", ".flac", ".edf", ".bdf", ".hea", ".dat", ".mat")

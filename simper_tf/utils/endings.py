"""Endings of recordings: known without what reads them, which takes a second to load.

Files of all but `NAMED` and `OTHERS` are looked for in folders.
"""

VIDEOS = (".3gp", ".asf", ".avi", ".flv", ".gif", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts",
          ".mxf", ".ogv", ".ts", ".vob", ".webm", ".wmv")  # fmt: skip
PICTURES = (".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
TEXTS = (".csv", ".tsv", ".txt")
SHEETS = (".xlsx", ".xlsm", ".xls", ".ods", ".parquet", ".feather")
SERIES = (*TEXTS, *SHEETS, ".npy", ".wav", ".flac", ".edf", ".bdf", ".hea", ".dat", ".mat")
NAMED = (".json",)  # A table, where it is named; most files of a folder are settings.
# Tables that other programs read.
OTHERS = (".xml", ".gpx", ".h5", ".hdf5", ".nc", ".pkl")

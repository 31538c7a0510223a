"""Endings of recordings: known without what reads them, which takes a second to load.

Files of all but `NAMED` and `OTHERS` are looked for in folders.
"""

VIDEOS = (".3gp", ".asf", ".avi", ".flv", ".gif", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts",
          ".mxf", ".ogv", ".ts", ".vob", ".webm", ".wmv")  # fmt: skip
PICTURES = (".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
TEXTS = (".csv", ".tsv", ".txt")
SHEETS = (".xlsx", ".xlsm", ".xls", ".ods", ".parquet", ".feather")
SERIES = (*TEXTS, *SHEETS, ".npy", ".wav", ".flac", ".edf", ".bdf", ".hea", ".dat", ".mat")
HDF5 = (".h5", ".hdf5", ".nc")
PACKED = (".gz", ".zip")
NAMED = (".json", ".jsonl", ".npz", *HDF5, *PACKED)  # Read where they are named; most of a folder are settings.
# What other programs read -> what makes a table of it.
OTHERS = {
    ".fits": "Convert it: astropy.table.Table.read(FILE).write('series.csv').",
    **dict.fromkeys((".fit", ".tcx", ".gpx"), "Convert it: gpsbabel -t -i FORMAT -f FILE -o unicsv -F series.csv."),
    ".acq": "Convert it: acq2txt FILE, of the package bioread.",
    ".xdf": "Convert it: pyxdf.load_xdf(FILE), whose streams hold time_series and time_stamps.",
    ".xml": "Save what it holds as CSV.", ".pkl": "Load it where it was written, and save it as CSV.",
    **dict.fromkeys((".c3d", ".trc"), "Export it as CSV from the program that recorded it."),
}  # fmt: skip

"""Endings of recordings: known without what reads them, which takes a second to load.

Files of all but `PACKED` and `OTHERS` are looked for in folders: what is packed may lie beside what is in it.
"""

VIDEOS = (".3gp", ".asf", ".avi", ".flv", ".gif", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts",
          ".mxf", ".ogv", ".ts", ".vob", ".webm", ".wmv", ".y4m")  # fmt: skip
PICTURES = (".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
TEXTS = (".csv", ".tsv", ".txt")
SHEETS = (".xlsx", ".xlsm", ".xls", ".ods", ".parquet", ".feather")
HDF5 = (".h5", ".hdf5", ".nc", ".nc4", ".cdf")  # NetCDF before its version 4 is none, under the same endings.
# First bytes of named arrays under any ending: HDF5, and netCDF before its version 4.
ARRAYS = (b"\x89HDF\r\n\x1a\n", b"CDF\1", b"CDF\2")
ANYTHING = (".json", ".jsonl", ".npz", ".xml", *HDF5)  # Most of a folder are settings, or models.
SERIES = (*TEXTS, *SHEETS, *ANYTHING, ".mat", ".dat", ".npy", ".wav", ".flac", ".mp3", ".edf", ".bdf", ".hea", ".acq",
          ".xdf", ".fit", ".gpx", ".tcx", ".fits", ".fts")  # fmt: skip
# Texts of instruments, read as tables of any other ending are; most of a folder may be logs of programs.
INSTRUMENTS = (".asc", ".hrm", ".log", ".lvm", ".mot", ".sto", ".tab", ".tbl", ".trc")
PACKED_TEXTS = tuple(f"{ending}.gz" for ending in TEXTS)  # Looked for in folders, where data sets keep them so.
PACKED = (".gz", ".zip")
# What other programs read -> what makes a table of it.
OTHERS = {
    ".pkl": "Load it where it was written, and save it as CSV.",
    **dict.fromkeys((".c3d", ".adicht", ".smr", ".smrx"), "Export it as CSV where it was recorded."),
    **dict.fromkeys((".vhdr", ".set", ".fif", ".cnt"), "Convert it: mne.io.read_raw(FILE).export('recording.edf')."),
    ".tdms": "Convert it: nptdms.TdmsFile.read(FILE).as_dataframe().to_csv('series.csv').",
    **dict.fromkeys((".gt3x", ".cwa"), "Export it as CSV from ActiLife or OmGui."),
}  # fmt: skip

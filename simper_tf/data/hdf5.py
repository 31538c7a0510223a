"""HDF5 files, and what HDF5 itself does not notice or mind.

It does not notice chunks that an index has lost or that two places share, and altered number types. It does not mind
opening other files that a file names: their owner and their content are unknown.

Compressed chunks carry a checksum (Adler-32), what points at them does not: where a chunk is not found HDF5 gives the
fill value, in silence. Of sparse data, such as maps of a disk, that is what was meant.
"""

import math

import h5py

from simper_tf.utils import raw_files

PLAIN_TYPES = (
    h5py.h5t.IEEE_F32LE,
    h5py.h5t.IEEE_F64LE,
    h5py.h5t.STD_I8LE,
    h5py.h5t.STD_U8LE,
    h5py.h5t.STD_I16LE,
    h5py.h5t.STD_U16LE,
)


def opened(path, expected, action):
    """Returns a file opened for reading, an `h5py.File`, as a context.

    Args:
        path: Path of the file.
        expected, action: For the message, as of `RawDataError`.

    Raises:
        RawDataError: as `raw_files.refuse_unreadable`.
        OSError: it is no HDF5 file.
    """
    raw_files.refuse_unreadable(path, expected, action)
    return h5py.File(path, "r")


def dataset(file, name):
    """Returns a data set of a file, an `h5py.Dataset` whose values the file itself holds.

    Args:
        file: An `h5py.File`.
        name: Name of the data set, at the top of the file.

    Raises:
        KeyError: there is none of this name.
        ValueError: it is no data set, or the file only says where else it is to be found.
    """
    link = file.get(name, getlink=True)
    if link is None:
        raise KeyError(f"no {name}")
    if not isinstance(link, h5py.HardLink):  # Asked before it is followed: that would open the other file.
        raise ValueError(
            f"{name} is a link to {link.path}{f' in {link.filename}' if hasattr(link, 'filename') else ''}"
        )
    entry = file[name]
    if not isinstance(entry, h5py.Dataset):
        raise ValueError(f"{name} is no data set")
    if entry.external or entry.is_virtual:
        raise ValueError(f"the values of {name} are kept in other files")
    return entry


def refuse_damaged(dataset):
    """Fetches every chunk of a data set once, uncompressing none. One that was never written holds the fill value.

    That value must have been chosen by whoever wrote the file: where none was, a chunk that is not there is lost.

    Args:
        dataset: An `h5py.Dataset` of numbers.

    Raises:
        ValueError, RuntimeError: a value is neither stored nor filled, chunks share a place, or the type is not in
            `PLAIN_TYPES`.
    """
    if not any(dataset.id.get_type().equal(plain) for plain in PLAIN_TYPES):
        raise ValueError(f"{dataset.name} of a type that is no usual {dataset.dtype}")
    settings = dataset.id.get_create_plist()
    is_filled = settings.fill_value_defined() == h5py.h5d.FILL_VALUE_USER_DEFINED
    chunks = dataset.chunks or dataset.shape  # Without chunks it is stored in one piece.
    count = math.prod(-(-side // step) for side, step in zip(dataset.shape, chunks, strict=True))
    written = dataset.id.get_num_chunks() if dataset.chunks else count
    whole, stored = written * math.prod(chunks) * dataset.dtype.itemsize, dataset.id.get_storage_size()
    if not settings.get_nfilters() and stored != whole and not (is_filled and not stored):
        raise ValueError(f"{stored} bytes of {dataset.name} stored without compression, of {whole}")
    if dataset.chunks is None:
        return
    if written > count or (written < count and not is_filled):
        raise ValueError(f"{written} chunks of {dataset.name}, of {count}")
    places = {}
    dataset.id.chunk_iter(lambda chunk: places.update({chunk.chunk_offset: chunk.byte_offset}))
    # Fetched one by one, because the index can list a chunk that the search of a reader does not find.
    skipped_filters = [dataset.id.read_direct_chunk(start)[0] for start in places]
    if any(skipped_filters) or len(set(places.values())) != written:
        raise ValueError(
            f"{written} chunks of {dataset.name} in {len(set(places.values()))} places, or half compressed"
        )

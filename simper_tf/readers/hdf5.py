"""What HDF5 itself does not notice: chunks that an index has lost or that two places share, and altered number types.

Compressed chunks carry a checksum (Adler-32), what points at them does not: where a chunk is not found HDF5 gives the
fill value, in silence.
"""

import itertools
import math

import h5py

PLAIN_TYPES = (
    h5py.h5t.IEEE_F32LE,
    h5py.h5t.IEEE_F64LE,
    h5py.h5t.STD_I8LE,
    h5py.h5t.STD_U8LE,
    h5py.h5t.STD_I16LE,
    h5py.h5t.STD_U16LE,
)


def refuse_damaged(dataset):
    """Fetches every chunk of a data set once, uncompressing none.

    Args:
        dataset: An `h5py.Dataset` of numbers.

    Raises:
        ValueError, RuntimeError: its values are not all stored, each chunk in a place of its own, or are not of a type
            in `PLAIN_TYPES`.
    """
    if not any(dataset.id.get_type().equal(plain) for plain in PLAIN_TYPES):
        raise ValueError(f"{dataset.name} of a type that is no usual {dataset.dtype}")
    chunks = dataset.chunks or dataset.shape  # Without chunks it is stored in one piece.
    starts = list(itertools.product(*map(range, (0,) * dataset.ndim, dataset.shape, chunks)))
    whole, stored = len(starts) * math.prod(chunks) * dataset.dtype.itemsize, dataset.id.get_storage_size()
    if not dataset.id.get_create_plist().get_nfilters() and stored != whole:
        raise ValueError(f"{stored} bytes of {dataset.name} stored without compression, of {whole}")
    if dataset.chunks is None:
        return
    places = set()
    dataset.id.chunk_iter(lambda chunk: places.add(chunk.byte_offset))
    # Fetched one by one, because the index can list a chunk that the search of a reader does not find.
    skipped_filters = [dataset.id.read_direct_chunk(start)[0] for start in starts]
    if any(skipped_filters) or len(places) != len(starts):
        raise ValueError(f"{len(starts)} chunks of {dataset.name} in {len(places)} places, or compressed by halves")

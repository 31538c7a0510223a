"""Asks exported models through TensorFlow's C library, as servers do, in a process without TensorFlow's Python.

`python c_api.py` reads lines "requests.npz<tab>answers.npz"; tests call `ask`. One process answers all tests of a
session. A model is loaded when its first request comes.
"""

import atexit
import ctypes
import functools
import importlib.util
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

# Codes of `TF_DataType`.
DTYPES = {1: np.float32, 2: np.float64, 3: np.int32, 4: np.uint8, 9: np.int64}
STRING = 7
CODES = {np.dtype(kind): code for code, kind in DTYPES.items()}


class Output(ctypes.Structure):
    """`TF_Output`: an operation of the graph and which of its outputs."""

    _fields_ = [("operation", ctypes.c_void_p), ("index", ctypes.c_int)]


class Buffer(ctypes.Structure):
    """`TF_Buffer`."""

    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("free", ctypes.c_void_p)]


def ask(requests):
    """Returns what the C library answers, each answer a dictionary of arrays by output, or a string: the error.

    Args:
        requests: A list of `(folder, signature, inputs)`; inputs is a dictionary of arrays.
    """
    return ask_and_weigh(requests)[0]


def ask_and_weigh(requests):
    """Returns what `ask` does, and by how many MB its process grew over the second half of the requests."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = (pathlib.Path(folder, name) for name in ("requests.npz", "answers.npz"))
        _save(asked, [{"": f"{model}\n{signature}", **inputs} for model, signature, inputs in requests])
        process = _process()
        process.stdin.write(f"{asked}\t{answered}\n")
        process.stdin.flush()
        grown = process.stdout.readline()
        if not grown:
            _process.cache_clear()
            raise RuntimeError(f"The client ended with {process.wait()}.")
        answers = _load(answered, len(requests))
    return [str(answer["error"]) if "error" in answer else answer for answer in answers], float(grown)


@functools.cache
def _process():
    """Returns the process of the client, which ends with this one."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    process = subprocess.Popen([sys.executable, "-I", __file__], **pipes, env=environment)
    atexit.register(process.communicate)
    return process


def main():
    """Answers the requests of each pair of files on standard input."""
    library, models = _library(), {}
    for line in sys.stdin:
        print(answer_file(library, models, *line.rstrip("\n").split("\t")), flush=True)


def answer_file(library, models, asked, answered):
    """Answers all requests in a file, an error by the answer `error`; returns how many MB the second half took."""
    answers, requests = [], _load(asked, None)
    for count, inputs in enumerate(requests):
        if count == len(requests) // 2:
            half = _megabytes()
        folder, signature = str(inputs.pop("")).split("\n")
        try:
            if folder not in models:
                models[folder] = Model(library, folder)
            answers.append(models[folder](signature, inputs))
        except RuntimeError as error:
            answers.append({"error": np.array(str(error))})
    assert "tensorflow" not in sys.modules
    grown = _megabytes() - half
    _save(answered, answers)
    return grown


class Model:
    """A session of a SavedModel.

    Args:
        library: As `_library` returns it.
        folder: Folder of the SavedModel.

    Raises:
        RuntimeError: it cannot be loaded; the library's message.
    """

    def __init__(self, library, folder):
        self.library, self.graph = library, library.TF_NewGraph()
        options, described = library.TF_NewSessionOptions(), Buffer()
        tags = (ctypes.c_char_p * 1)(b"serve")
        load = library.TF_LoadSessionFromSavedModel
        self.session = self._checked(load, options, None, folder.encode(), tags, 1, self.graph, ctypes.byref(described))
        # Field 5 of a MetaGraphDef maps names to signatures; 1 and 2 of those map names to inputs and outputs.
        meta = ctypes.string_at(described.data, described.length)
        self.signatures = {name: _fields(value) for name, value in _entries(_fields(meta)[5])}

    def __call__(self, signature, inputs):
        """Returns the outputs of a signature as arrays by name.

        Raises:
            RuntimeError: the request was refused; the library's message.
        """
        signature = self.signatures[signature]
        places, outputs = (dict(_entries(signature.get(field, []))) for field in (1, 2))
        feeds = (Output * len(inputs))(*(self._output(places[name]) for name in inputs))
        fetches = (Output * len(outputs))(*map(self._output, outputs.values()))
        values = (ctypes.c_void_p * len(inputs))(*map(self._tensor, inputs.values()))
        results = (ctypes.c_void_p * len(outputs))()
        run = self.library.TF_SessionRun
        try:
            self._checked(
                run, self.session, None, feeds, values, len(feeds), fetches, results, len(fetches), None, 0, None
            )
            return dict(zip(outputs, map(self._array, results), strict=True))
        finally:
            for tensor in filter(None, [*values, *results]):
                self.library.TF_DeleteTensor(tensor)

    def _checked(self, function, *arguments):
        status = self.library.TF_NewStatus()
        result = function(*arguments, status)
        message = self.library.TF_Message(status).decode() if self.library.TF_GetCode(status) else None
        self.library.TF_DeleteStatus(status)
        if message is not None:
            raise RuntimeError(message)
        return result

    def _output(self, described):
        # Field 1 of a TensorInfo is "operation:index".
        name, _, index = _fields(described)[1][0].decode().partition(":")
        return Output(self.library.TF_GraphOperationByName(self.graph, name.encode()), int(index))

    def _tensor(self, array):
        array = np.ascontiguousarray(array).reshape(array.shape)
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        tensor = self.library.TF_AllocateTensor(CODES[array.dtype], shape, array.ndim, array.nbytes)
        ctypes.memmove(self.library.TF_TensorData(tensor), array.ctypes.data, array.nbytes)
        return tensor

    def _array(self, tensor):
        library = self.library
        if library.TF_TensorType(tensor) == STRING:
            text = library.TF_TensorData(tensor)  # Of strings only scalars are answered.
            return np.array(ctypes.string_at(library.TF_StringGetDataPointer(text), library.TF_StringGetSize(text)))
        shape = [library.TF_Dim(tensor, axis) for axis in range(library.TF_NumDims(tensor))]
        values = ctypes.string_at(library.TF_TensorData(tensor), library.TF_TensorByteSize(tensor))
        return np.frombuffer(values, DTYPES[library.TF_TensorType(tensor)]).reshape(shape)


def _megabytes():
    """Returns the memory that this process holds."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def _library():
    """Returns the C library of the installed wheel, which is found without importing it."""
    folder = pathlib.Path(importlib.util.find_spec("tensorflow").origin).parent
    library = ctypes.CDLL(str(folder / "libtensorflow_cc.so.2"), ctypes.RTLD_GLOBAL)
    pointer, size, integer, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_char_p
    for name, result, *arguments in (
        ("NewGraph", pointer),
        ("NewSessionOptions", pointer),
        ("NewStatus", pointer),
        ("GetCode", integer, pointer),
        ("Message", text, pointer),
        ("DeleteStatus", None, pointer),
        (
            "LoadSessionFromSavedModel", pointer,
            pointer, pointer, text, pointer, integer, pointer, pointer, pointer,
        ),
        ("GraphOperationByName", pointer, pointer, text),
        ("AllocateTensor", pointer, integer, pointer, integer, size),
        ("TensorData", pointer, pointer),
        ("TensorByteSize", size, pointer),
        ("TensorType", integer, pointer),
        ("NumDims", integer, pointer),
        ("StringGetDataPointer", pointer, pointer),
        ("StringGetSize", size, pointer),
        ("Dim", ctypes.c_int64, pointer, integer),
        ("DeleteTensor", None, pointer),
        (
            "SessionRun", None,
            pointer, pointer, pointer, pointer, integer, pointer, pointer, integer, pointer, integer, pointer, pointer,
        ),
    ):  # fmt: skip
        function = getattr(library, f"TF_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def _fields(message):
    """Returns the fields of a serialised protocol buffer, number -> values; none of ours has groups."""
    fields, place = {}, 0
    while place < len(message):
        key, place = _varint(message, place)
        if key % 8 == 0:
            value, place = _varint(message, place)
        else:
            size, place = _varint(message, place) if key % 8 == 2 else ({1: 8, 5: 4}[key % 8], place)
            value, place = message[place : place + size], place + size
        fields.setdefault(key // 8, []).append(value)
    return fields


def _varint(message, place):
    value = shift = 0
    while True:
        byte = message[place]
        value, place, shift = value | (byte & 127) << shift, place + 1, shift + 7
        if byte < 128:
            return value, place


def _entries(values):
    """Returns the `(name, value)` pairs of a map, each a message whose fields are 1 and 2."""
    pairs = map(_fields, values)
    return [(pair[1][0].decode(), pair[2][0]) for pair in pairs]


def _save(path, dictionaries):
    np.savez(path, **{f"{k}:{name}": value for k, values in enumerate(dictionaries) for name, value in values.items()})


def _load(path, number):
    with np.load(path) as file:
        names = [(int(key.partition(":")[0]), key.partition(":")[2], key) for key in file.files]
        number = 1 + max(k for k, *_ in names) if number is None else number
        dictionaries = [{} for _ in range(number)]
        for k, name, key in names:
            dictionaries[k][name] = file[key]
    return dictionaries


if __name__ == "__main__":
    main()

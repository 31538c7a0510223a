"""Video files, written frame by frame."""

from fractions import Fraction

_CODECS = ("libx264", "mpeg4")  # The first that the installed FFmpeg can write.


class Writer:
    """An mp4 file that takes frames at their own times.

    Args:
        path: Where it goes.
        height, width: Of its frames, even numbers of pixels.
        options: Of the encoder, such as `{"crf": "33"}`.
    """

    def __init__(self, path, height, width, options=None):
        import av  # Beside TensorFlow's own copies of what it loads, only where a video is written.

        codec = next(name for name in _CODECS if name in av.codecs_available)
        self._av, self._container = av, av.open(str(path), "w")
        self._stream = self._container.add_stream(codec, rate=30, options=options or {})
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        self._stream.codec_context.time_base = Fraction(1, 1000)
        self._first, self._last = None, -1

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None and self._first is not None:
                self._container.mux(self._stream.encode())
        finally:
            self._container.close()

    def add(self, moment, picture):
        """Adds a `(H, W, 3)` uint8 picture at a second."""
        self._first = moment if self._first is None else self._first
        frame = self._av.VideoFrame.from_ndarray(picture, format="rgb24")
        self._last = max(round(1000 * (moment - self._first)), self._last + 1)
        frame.pts, frame.time_base = self._last, Fraction(1, 1000)
        self._container.mux(self._stream.encode(frame))

"""Small frames of videos at their times, and which of them are missing, inside the worker."""

import collections
import itertools
from collections.abc import Iterator

import av
import numpy as np

from simper_tf.recordings import video
from simper_tf.recordings.opened_video import open_file, packets, unreadable
from simper_tf.utils import worker

# Codecs of which one packet holds one frame that is shown, so that packets tell the times of frames.
ONE_EACH = {"av1", "ffv1", "gif", "h264", "hevc", "libdav1d", "mjpeg", "prores", "rawvideo", "vp9"}
# Frames in a row that come with a time already passed, before the rest is given up.
_MOST_LATE = 16
# Late frames of which a single one may have a false time.
_MIXED = 2
_MOST_HELD = 2**28  # Pixels of frames of one time, which wait for the next time.
_BATCH_BYTES, _BATCH_FRAMES = 2**20, 64  # Handed over at once: fewer would cost time, more memory.
_SCALING = av.video.reformatter.Interpolation
_AREA = _SCALING.AREA | _SCALING.ACCURATE_RND | _SCALING.FULL_CHR_H_INT


def frames(path, start, end, shape, box, rate, at_once) -> Iterator[tuple]:
    """Yields batches of small frames: their times and shape, and their bytes; then how many frames were lost.

    Arguments are those of `video.decoded`, and `at_once` of a `VideoInfo`.

    Raises:
        RawDataError: as `video.decoded`.
    """
    with open_file(path, rate, at_once) as opened:
        batch, origin, decoder = [], None, Decoder(opened)
        scaler = av.video.reformatter.VideoReformatter()  # One, for it is dear to set up.
        for moment, frame in decoder.timed():
            origin = moment if origin is None else origin
            if moment - origin >= end:
                break
            if moment - origin >= start:
                batch.append((moment - origin, _small(path, scaler, frame, shape, box)))
            if batch and (len(batch) == _BATCH_FRAMES or len(batch) * batch[0][1].nbytes >= _BATCH_BYTES):
                yield _packed(batch)
                batch = []
        if origin is None:
            raise unreadable(path, "no frame that can be decoded")
    if batch:
        yield _packed(batch)
    yield {"times": [], "shape": (0, *shape, 3), "lost": decoder.lost, "lead": decoder.lead}, b""


def _packed(batch):
    pictures = np.ascontiguousarray([picture for _, picture in batch])  # Turned ones are stored by column.
    return {"times": [moment for moment, _ in batch], "shape": pictures.shape}, memoryview(pictures).cast("B")


class Decoder:
    """The frames of an open file, in the order shown.

    A frame is lost if its packet cannot be decoded, if it does not come, or if it comes too late. After two that
    come too late all are, up to the next key frame: the decoder takes pictures of other moments for them.

    Attributes:
        lost: Frames lost so far.
        lead: Seconds of lost frames before the first that is shown.
        repeated: Frames so far that have the time of the one before.
    """

    def __init__(self, opened):
        self._opened, self.lost, self.lead, self.repeated = opened, 0, 0.0, 0
        self._tells = not opened.rate and opened.stream.codec_context.name in ONE_EACH
        # Stamps of packets whose frames have not come, the first of all; packets refused; frames late since a key.
        self._expected, self._first, self._refused, self._late = collections.Counter(), None, 0, 0
        self._held, self._same = [], 0  # Frames that have the time of the last one, and how many there are.

    def timed(self):
        """Yields `(seconds, frame)`, rising.

        AVI files hold the order of decoding alone, which is even. A frame without a time comes as long after the one
        before as that one did. Those of one time, as of a clock coarser than the rate, are spread up to the next time.
        One that is earlier than the one before it is left out; many in a row end the video.
        """
        last, late, step = None, 0, 0.0
        for (moment, stamp, frame), (after, *_) in itertools.pairwise(itertools.chain(self._stamped(), [(None,)])):
            if None not in (last, after) and last < after < moment - video.LONGEST_GAP:  # Its time is false.
                del self._expected[stamp]
                self.lost += 1
                continue
            is_late = last is not None and (moment < last or (moment == last and not self._has_own_packet(stamp)))
            late = late + 1 if is_late else 0
            if late > _MOST_LATE:
                break
            if last is not None and moment > last:
                yield from self._spread(last, min(moment - last, 2 * step or moment - last))
                step = moment - last
            if not self._is_whole(frame, stamp, is_late):
                continue
            if moment == last:
                self._hold(frame)
                continue
            if last is None:
                self._begin(moment)
            last = moment
            yield moment, frame
        yield from self._spread(last, step)
        self.lost += len(self._expected)

    def _has_own_packet(self, stamp):
        """Returns whether the file holds one more frame of a time, and the decoder has not made it up."""
        return stamp is not None and (not self._tells or self._expected[stamp] > 0)

    def _hold(self, frame):
        """Keeps a frame of a repeated time; of very many the first alone."""
        self.repeated += 1
        self._same += 1
        if len(self._held) * frame.width * frame.height < _MOST_HELD:
            self._held.append(frame)

    def _spread(self, last, seconds):
        """Yields the frames that are held, evenly over some seconds from the time that they have; none over none."""
        held, parts = self._held if seconds else [], self._same + 1
        self._held, self._same = [], 0
        for number, frame in enumerate(held, start=1):
            yield last + number * seconds / parts, frame

    def _stamped(self):
        """Yields seconds, stamp and frame of all that the decoder hands out."""
        last, step, base = None, 0.0, float(self._opened.stream.time_base)
        for number, frame in enumerate(self._decoded()):
            stamp = stamp_of(self._opened, frame)
            if self._opened.rate:
                moment = (number + self._refused) / self._opened.rate
            elif stamp is not None:
                moment = stamp * base
            elif last is None:
                continue
            else:
                moment = last + step
            if last is None or moment > last:
                last, step = moment, moment - last if last is not None else 0.0
            yield moment, stamp, frame

    def _decoded(self):
        """Yields all that the decoder hands out; packets that it refuses are left out."""
        opened = self._opened
        for packet in itertools.chain(packets(opened, opened.stream), [None]):  # The last has it hand out all.
            worker.allow()
            if self._tells and packet is not None and not packet.is_discard:
                self._expect(stamp_of(opened, packet))
            try:
                shown = opened.stream.codec_context.decode(packet)
            except MemoryError:
                raise
            except av.FFmpegError:
                self._refused += 1
                self.lost += not self._tells
                continue
            yield from shown

    def _expect(self, stamp):
        if stamp is not None:
            self._expected[stamp] += 1
            self._first = min(stamp, self._first if self._first is not None else stamp)

    def _begin(self, moment):
        """Has no frames count as lost that come shortly before the first that stands by itself: cuts leave some."""
        lead = moment - float(self._first * self._opened.stream.time_base) if self._first is not None else 0.0
        if lead > video.LONGEST_GAP:
            self.lead = lead
        else:
            self.lost = 0

    def _is_whole(self, frame, stamp, is_late):
        """Returns whether a frame is shown; counts those that should have come before it."""
        if frame.interlaced_frame:  # Of which each field may have a packet.
            self._tells, self._expected = False, collections.Counter()
        missing = [expected for expected in self._expected if stamp is not None and expected < stamp]
        is_new = not self._tells or stamp in self._expected
        self._expected -= collections.Counter({stamp: 1, **{lost: self._expected[lost] for lost in missing}})
        self._late = is_late + (0 if frame.key_frame else self._late)
        is_whole = not is_late and self._late < _MIXED
        self.lost += len(missing) + (is_new and not is_whole)
        return is_whole


def stamp_of(opened, packet_or_frame):
    """Returns the time in ticks, or of AVI files, which hold no other, the place in the order of decoding."""
    return packet_or_frame.dts if opened.container.format.name == "avi" else packet_or_frame.pts


def shape_shown(frame):
    """Returns height and width after the rotation that the file asks for."""
    return (frame.width, frame.height) if _turns(frame) % 2 else (frame.height, frame.width)


def _turns(frame):
    """Returns quarter turns, counterclockwise, from a frame as stored to how it is shown."""
    return round(frame.rotation / 90) % 4


def _small(path, scaler, frame, shape, box):
    """Returns a frame as shown, or a box in it, `(*shape, 3)` uint8 RGB by area averaging."""
    turns = _turns(frame)
    try:
        if box is not None or frame.interlaced_frame:  # Lines of both fields are averaged like those of one.
            frame = frame.reformat(format="rgb24", interpolation=_AREA)
            picture = np.rot90(frame.to_ndarray(), turns)
            left, top, width, height = box or (0, 0, picture.shape[1], picture.shape[0])
            part = np.ascontiguousarray(picture[top : top + height, left : left + width])
            frame, turns = av.VideoFrame.from_ndarray(part, "rgb24"), 0
        height, width = shape[::-1] if turns % 2 else shape
        small = scaler.reformat(frame, width, height, "rgb24", interpolation=_AREA, threads=1)
    except MemoryError:
        raise
    except (av.FFmpegError, ValueError) as error:
        raise unreadable(path, f"a frame of {frame.format.name} pixels that cannot be converted") from error
    return np.rot90(small.to_ndarray(), turns) if turns else small.to_ndarray()

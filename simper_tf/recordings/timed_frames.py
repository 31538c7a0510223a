"""Frames of a video at their times, and which of them are missing."""

import itertools

import av

from simper_tf.recordings import video
from simper_tf.recordings.opened_video import packets
from simper_tf.utils import worker

# Codecs of which one packet holds one frame that is shown, so that packets tell the times of frames.
ONE_EACH = {"av1", "ffv1", "gif", "h264", "hevc", "libdav1d", "mjpeg", "prores", "rawvideo", "vp9"}
# Frames in a row that come with a time already passed, before the rest is given up.
_MOST_LATE = 16
# Late frames of which a single one may have a false time.
_MIXED = 2


class Decoder:
    """The frames of an open file, in the order shown.

    A frame is lost if its packet cannot be decoded, if it does not come, or if it comes too late. After two that
    come too late all are, up to the next key frame: the decoder takes pictures of other moments for them.

    Attributes:
        lost: Frames lost so far.
        lead: Seconds of lost frames before the first that is shown.
    """

    def __init__(self, opened):
        self._opened, self.lost, self.lead = opened, 0, 0.0
        self._tells = not opened.rate and opened.stream.codec_context.name in ONE_EACH
        # Stamps of packets whose frames have not come, the first of all; packets refused; frames late since a key.
        self._expected, self._first, self._refused, self._late = set(), None, 0, 0

    def timed(self):
        """Yields `(seconds, frame)`, rising.

        AVI files hold the order of decoding alone, which is even. A frame without a time comes as long after the one
        before as that one did. One that is not later than the one before it is left out; many in a row end the video.
        """
        last, late = None, 0
        for (moment, stamp, frame), (after, *_) in itertools.pairwise(itertools.chain(self._stamped(), [(None,)])):
            if None not in (last, after) and last < after < moment - video.LONGEST_GAP:  # Its time is false.
                self._expected.discard(stamp)
                self.lost += 1
                continue
            is_late = last is not None and moment <= last
            late = late + 1 if is_late else 0
            if late > _MOST_LATE:
                break
            if self._is_whole(frame, stamp, is_late):
                if last is None:
                    self._begin(moment)
                last = moment
                yield moment, frame
        self.lost += len(self._expected)

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
            self._expected.add(stamp)
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
            self._tells, self._expected = False, set()
        missing = {expected for expected in self._expected if stamp is not None and expected < stamp}
        is_new = not self._tells or stamp in self._expected
        self._expected -= missing | {stamp}
        self._late = is_late + (0 if frame.key_frame else self._late)
        is_whole = not is_late and self._late < _MIXED
        self.lost += len(missing) + (is_new and not is_whole)
        return is_whole


def stamp_of(opened, packet_or_frame):
    """Returns the time in ticks, or of AVI files, which hold no other, the place in the order of decoding."""
    return packet_or_frame.dts if opened.container.format.name == "avi" else packet_or_frame.pts

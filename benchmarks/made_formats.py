"""Small files of devices, in the bytes of their formats, that hold the same wave."""

import struct

import numpy as np
from bioread import file_revisions, headers
from fitdecode.utils import compute_crc

# Of 2.5 Hz at 50 samples a second, in steps of a thousandth, as devices store whole numbers.
COUNT, RATE = 96, 50.0
TIMES = np.arange(COUNT) / RATE
WAVE = np.round(2 + np.sin(2 * np.pi * 2.5 * TIMES), 3)
STAMPS = [f"2024-01-05T08:00:{time:06.3f}Z" for time in TIMES]


def xdf(extra=b""):
    """Returns the bytes of two streams: the wave, and shorter words."""
    head = "<info><name>{}</name><channel_count>1</channel_count><nominal_srate>{}</nominal_srate>" \
           "<channel_format>{}</channel_format></info>"  # fmt: skip
    samples = b"".join(b"\x08" + struct.pack("<dd", 9 + k / 50, value) for k, value in enumerate(WAVE))
    word = b"\x08" + struct.pack("<d", 9.0) + b"\x01\x05start"
    chunks = [
        (1, b"<info><version>1.0</version></info>"),
        (2, struct.pack("<I", 1) + head.format("ecg", RATE, "double64").encode()),
        (2, struct.pack("<I", 2) + head.format("marks", 0, "string").encode()),
        (3, struct.pack("<IBI", 1, 4, len(WAVE)) + samples), (3, struct.pack("<IBB", 2, 1, 1) + word),
    ]  # fmt: skip
    packed = [struct.pack("<BIH", 4, len(content) + 2, tag) + content for tag, content in chunks]
    return b"XDF:" + b"".join(packed) + extra


def fit(hearts=None):
    """Returns the bytes of records, one a second, whose heart rate is the wave in thousandths."""
    hearts = np.round(1000 * WAVE).astype(int) if hearts is None else hearts
    # Record (20): time (253, uint32), power (7, uint16), heart rate (3, uint8) that every third message has.
    both = struct.pack("<BBBHB", 0x40, 0, 0, 20, 3) + bytes((253, 4, 0x86, 7, 2, 0x84, 3, 1, 2))
    alone = struct.pack("<BBBHB", 0x41, 0, 0, 20, 2) + bytes((253, 4, 0x86, 7, 2, 0x84))
    rows = [struct.pack("<BIHB", 0, 1_000_000_000 + k, heart, 90 + k % 7) if k % 3 == 1 else
            struct.pack("<BIH", 1, 1_000_000_000 + k, heart) for k, heart in enumerate(hearts)]  # fmt: skip
    body = both + alone + b"".join(rows)
    head = struct.pack("<BBHI4s", 14, 0x20, 2132, len(body), b".FIT")
    content = head + struct.pack("<H", compute_crc(head)) + body
    return content + struct.pack("<H", compute_crc(content))


def acq():
    """Returns the bytes of AcqKnowledge 3.8: the wave in thousandths, and a channel of half its rate."""
    counts = np.round(1000 * WAVE).astype("<i2")
    revision = file_revisions.V_381
    graph = _filled(headers.GraphHeader, revision, lVersion=revision, nChannels=2, dSampleTime=1000 / RATE)
    graph.lExtItemHeaderLen = len(bytes(graph))
    channels = [
        _filled(headers.ChannelHeader, revision, szCommentText=name, lBufLength=length, dAmplScale=0.001, dAmplOffset=0,
                nVarSampleDivider=divider, nChanOrder=k)
        for k, (name, length, divider) in enumerate(((b"pulse", len(counts), 1), (b"slow", len(counts) // 2, 2)))
    ]  # fmt: skip
    for channel in channels:
        channel.lChanHeaderLen = len(bytes(channel))
    foreign = struct.pack("<hh", 4, 0)
    kinds = struct.pack("<hhhh", 2, 2, 2, 2)
    slow = iter(counts[::2])
    samples = np.array(
        [count for k, fast in enumerate(counts) for count in ((fast, next(slow)) if k % 2 == 0 else (fast,))], "<i2"
    )
    return b"".join(map(bytes, (graph, *channels))) + foreign + kinds + samples.tobytes() + struct.pack("<ii", 8, 0)


def _filled(kind, revision, **fields):
    made = kind.for_revision(revision, "<")._struct_class()
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def gpx(before=""):
    """Returns a track whose heart rate is the wave, and whose height never changes."""
    point = '<trkpt lat="48.1" lon="11.5"><ele>500</ele><time>{}</time><extensions><g:hr>{}</g:hr></extensions></trkpt>'
    points = "".join(point.format(*pair) for pair in zip(STAMPS, WAVE, strict=True))
    return f'<?xml version="1.0"?>{before}<gpx xmlns:g="g"><trk><name>Run</name><trkseg>{points}</trkseg></trk></gpx>'


def tcx():
    """Returns a track whose heart rate is the wave; every third point has a speed as well."""
    point = "<Trackpoint><Time>{}</Time>{}<HeartRateBpm><Value>{}</Value></HeartRateBpm></Trackpoint>"
    speed = "", "<Extensions><TPX><Speed>3</Speed></TPX></Extensions>", ""
    points = "".join(
        point.format(stamp, speed[k % 3], value) for k, (stamp, value) in enumerate(zip(STAMPS, WAVE, strict=True))
    )
    return f"<TrainingCenterDatabase><Activities><Track>{points}</Track></Activities></TrainingCenterDatabase>"


def health():
    """Returns an export of Apple Health: heart rates that are the wave, fewer steps, and sleep in words."""
    record = '<Record type="HK{}" startDate="{}" value="{}"/>'
    stamps = [stamp.replace("T", " ").replace("Z", " +0100") for stamp in STAMPS]
    hearts = [record.format("QuantityTypeIdentifierHeartRate", *pair) for pair in zip(stamps, WAVE, strict=True)]
    steps = [record.format("QuantityTypeIdentifierStepCount", stamps[k], k % 5) for k in range(0, COUNT, 2)]
    sleep = [record.format("CategoryTypeIdentifierSleepAnalysis", stamps[0], "Asleep")]
    declared = "<!DOCTYPE HealthData [<!ELEMENT HealthData (Record*)><!ATTLIST Record type CDATA #REQUIRED>]>"
    return f'<?xml version="1.0"?>{declared}<HealthData>{"".join([*sleep, *steps, *hearts])}</HealthData>'

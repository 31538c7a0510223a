"""`simper app`: uploads as a browser sends them."""

import base64
import csv
import html
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import threading
import time
import zipfile
from unittest import mock

import av
import numpy as np
import pytest
from predicted import breath
from processes import ROOT

from docs.sample import repetitions
from simper_tf.commands import command_options, page_connections, page_form, page_readings, page_server, sample


@pytest.fixture
def client(tmp_path, monkeypatch):
    """Returns a client of the application, whose folder for what is uploaded is `tmp_path`."""
    monkeypatch.setattr(page_server.tempfile, "tempdir", str(tmp_path))
    return page_server.make(max_megabytes=1.0).test_client()


def series(hertz=0.7):
    return breath(hertz).encode()


def send(client, content, name="breath.csv", **form):
    return client.post("/read", data={"recording": (io.BytesIO(content), name), **form})


def downloads(text):
    """Returns names and rows of the CSV files that a page holds."""
    found = re.findall(r'<a download="([^"]*)" href="data:text/csv;base64,([^"]*)"', text)
    return {name: list(csv.DictReader(io.StringIO(base64.b64decode(held).decode()))) for name, held in found}


def downloaded(text):
    """Returns name and rows of the first of them."""
    return next(iter(downloads(text).items()))


@pytest.mark.slow
def test_a_series_is_read_as_by_the_command_and_leaves_nothing(client, tmp_path):
    answered = send(client, series(0.7), unit="per_minute")
    assert answered.status_code == 200
    name, rows = downloaded(answered.text)
    assert name == "breath.csv"
    assert {row["recording"] for row in rows} == {"breath.csv"}
    assert [float(row["value"]) for row in rows] == pytest.approx([42.0] * len(rows), abs=0.6)
    assert re.search(r"\b[78] repetitions from", answered.text)
    assert "data:image/png;base64," in answered.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_video_is_read(client, swing):
    answered = send(client, swing.read_bytes(), swing.name)
    assert [float(row["value"]) for row in downloaded(answered.text)[1]] == pytest.approx([1.2], abs=0.03)


@pytest.mark.slow
def test_the_sample_is_read_by_a_click_and_can_be_played(client):
    answered = client.post("/sample")
    assert "9 repetitions from" in answered.text
    (told,) = re.findall(r'data-answers="([^"]*)"', answered.text)
    (jacks,) = json.loads(html.unescape(told))
    assert len(jacks["spans"]) == 9
    assert jacks["spans"][5] == pytest.approx(repetitions()[5], abs=0.5)
    assert client.get("/sample.mp4").data == sample.PATH.read_bytes()


def test_progress_is_told_by_the_number_of_a_form(client, monkeypatch):
    told = []

    def read(path, name, wishes, rate, model, check):
        check(0.25)
        told.append(client.get("/progress/7").json)
        raise ValueError("Enough.")

    monkeypatch.setattr(page_readings, "_read", read)
    send(client, series(), key="7")
    assert told == [0.25]
    assert client.get("/progress/7").json is None


def test_an_unreadable_file_is_one_sentence_with_its_own_name(client, tmp_path, swing):
    answered = send(client, swing.read_bytes()[:4000], "my swing.mp4")
    assert answered.status_code == 400
    (said,) = re.findall(r'<p role="alert">(.*?)</p>', answered.text)
    assert said.startswith("my swing.mp4: found ")
    assert str(tmp_path) not in answered.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "form", "said"),
    [
        ("", {}, "There is no recording. Choose a file first."),
        ("a.csv", {"low": "3", "high": "1"}, "or both empty. Found: &#x27;3&#x27; and &#x27;1&#x27;."),
        ("a.csv", {"low": "x"}, "two rising numbers above 0, or both empty. Found: &#x27;x&#x27;"),
        ("a.csv", {"high": "inf"}, "two rising numbers above 0, or both empty."),
        (
            "a.csv",
            {"unit": "furlong"},
            "The unit must be one of hz, bpm, per_minute, count. Found: &#x27;furlong&#x27;",
        ),
        ("a.csv", {"face": "on"}, "the face alone"),
        ("../../etc/brain.vhdr", {}, "brain.vhdr: found a .vhdr file"),
        ("a.csv", {"start": "-1"}, "Start and end must be seconds, 0 or more. Found: &#x27;-1&#x27;."),
        ("a.csv", {"start": "3", "end": "2"}, "The end must be later than the start. Found: 3 and 2 s."),
        ("a.csv", {"start": "99"}, "Change the start and the end, or leave them out."),
        ("a.csv", {"crop": "1,2,0,4"}, "must be x,y,width,height in pixels. Found: &#x27;1,2,0,4&#x27;."),
        ("a.csv", {"crop": "1,2,3,4"}, "found a series; expected pictures for the part of the picture"),
    ],
)
def test_a_form_that_asks_for_what_is_not_there_is_refused(client, name, form, said):
    answered = send(client, series(), name, **form)
    assert answered.status_code == 400
    assert said in answered.text


def test_a_recording_too_large_and_a_strange_host_are_refused(client):
    answered = send(client, b"0" * 1_100_000)
    assert answered.status_code == 413
    assert "The recording has more than 1 MB. Cut it" in answered.text
    assert client.get("/", headers={"Host": "example.org"}).status_code == 400
    assert client.get("/", headers={"Host": "localhost:8000"}).status_code == 200


def test_a_form_of_too_many_fields_is_not_called_too_large(client):
    answered = send(client, series(), **{f"field{k}": "1" for k in range(3000)})
    assert answered.status_code == 413
    assert "The form has more fields than the page sends." in answered.text


@pytest.mark.slow
def test_names_are_shown_as_text(client):
    answered = send(client, series(), "<img src=x onerror=alert(1)>.csv")
    assert answered.status_code == 200
    assert "<img src=x" not in answered.text


@pytest.mark.slow
def test_a_rate_is_asked_for_where_a_file_does_not_say_it(client):
    saved = io.BytesIO()
    np.save(saved, np.sin(2 * np.pi * 0.7 * np.arange(0, 12, 0.02)))
    answered = send(client, saved.getvalue(), "breath.npy")
    assert answered.status_code == 400
    assert "frames or samples per second" in answered.text
    assert "--rate" not in answered.text
    answered = send(client, saved.getvalue(), "breath.npy", rate="50")
    assert [float(row["value"]) for row in downloaded(answered.text)[1]] == pytest.approx([0.7], abs=0.01)
    assert "must be a number above 0. Found: &#x27;-1&#x27;" in send(client, saved.getvalue(), rate="-1").text


@pytest.mark.slow
def test_another_site_cannot_send_recordings_here(client):
    data = {"recording": (io.BytesIO(series()), "breath.csv")}
    answered = client.post("/read", data=data, headers={"Origin": "http://example.org"})
    assert answered.status_code == 403
    data = {"recording": (io.BytesIO(series()), "breath.csv")}
    assert client.post("/read", data=data, headers={"Origin": "http://localhost"}).status_code == 200


def test_a_fifth_recording_is_asked_to_come_again(client, monkeypatch):
    monkeypatch.setattr(page_server, "_WAITING", 0)
    busy = page_server.make().test_client()
    answered = send(busy, series())
    assert answered.status_code == 503
    assert "0 recordings are waiting already. Send it again in a minute." in answered.text


FULL = OSError(28, "No space left on device")
OURS = "breath.csv: found what ends its reader (ZeroDivisionError: ours"


@pytest.mark.parametrize(
    ("error", "code", "said"), [(FULL, 500, "No space left on device"), (ZeroDivisionError("ours"), 400, OURS)]
)
def test_whatever_a_recording_does_the_answer_is_a_sentence(client, monkeypatch, error, code, said):
    monkeypatch.setattr(page_readings.source_reader, "reading_of_source", mock.Mock(side_effect=error))
    answered = send(client, series())
    assert answered.status_code == code
    assert said in answered.text


@pytest.mark.slow
def test_the_page_says_that_a_picture_model_reads_no_series(tmp_path, swing):
    from simper_tf.encoders import small
    from simper_tf.export import saved_model
    from simper_tf.reading import exported

    saved_model.export_model(small((24, 24, 3)), tmp_path, (24, 24, 3), (0.4, 5.5), 1.0)
    client = page_server.make(exported.Exported(tmp_path)).test_client()
    answered = send(client, series())
    assert "The model was not asked: " in answered.text
    assert "model:" not in answered.text
    assert "model:" in send(client, swing.read_bytes(), "a.mp4").text


def test_the_form_offers_the_units_of_the_command(client):
    page = client.get("/").text
    assert re.findall(r'<option value="(\w+)">', page) == list(command_options.UNITS)


def test_twelve_readers_at_once_are_told_their_places(monkeypatch):
    begun, go, told = threading.Event(), threading.Event(), set()

    def read(path, name, wishes, rate, model, check):
        begun.set()
        assert go.wait(60)
        raise ValueError(f"Read {name}.")

    monkeypatch.setattr(page_readings, "_read", read)
    app = page_server.make()
    answers = []

    def send_one(number):
        answers.append(send(app.test_client(), series(), f"{number}.csv", key=str(number)).text)

    threads = [threading.Thread(target=send_one, args=(number,)) for number in range(12)]
    threads[0].start()
    assert begun.wait(60)
    for thread in threads[1:]:
        thread.start()
    for _ in range(600):
        told = {(app.test_client().get(f"/progress/{number}").json or {}).get("before") for number in range(1, 12)}
        if told == {*range(1, 12)}:
            break
        time.sleep(0.1)
    go.set()
    for thread in threads:
        thread.join()
    assert told == {*range(1, 12)}
    assert sum(f"Read {number}.csv" in text for number in range(12) for text in answers) == 12


def test_uploads_go_however_the_page_ends():
    code = (
        "import os\nfrom simper_tf.commands import page_server\nwith page_server.uploads() as folder:\n"
        "    open(folder + '/a.csv', 'w').close()\n    print(folder, flush=True)\n    os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    folder = pathlib.Path(done.stdout.strip())
    for _ in range(600):
        if not folder.exists():
            break
        time.sleep(0.05)
    assert not folder.exists()
    with page_server.uploads() as own:
        assert pathlib.Path(own).is_dir()
    assert not pathlib.Path(own).exists()


def test_a_recording_that_lasts_too_long_is_refused(client, monkeypatch, swing):
    monkeypatch.setattr(page_readings, "_LONGEST", 5.0)
    answered = send(client, swing.read_bytes(), "swing.mp4")
    assert answered.status_code == 400
    assert re.search(r"swing\.mp4: found 0:(09|10); expected 0:05 or less", answered.text)


@pytest.mark.slow
def test_several_recordings_are_answered_below_one_another(client):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("day/one.csv", series(0.7))
        archive.writestr("day/two.csv", series(0.9))
    contents = (packed.getvalue(), "both.zip"), (b"no numbers", "words.txt"), (series(1.1), "three.csv")
    answered = client.post("/read", data={"recording": [(io.BytesIO(one), name) for one, name in contents]})
    assert answered.status_code == 200
    titles = re.findall(r"<h2>(.*?)</h2>|<p role=\"alert\">([\w.]+)", answered.text)
    assert titles == [("both.zip/day/one.csv", ""), ("both.zip/day/two.csv", ""), ("", "words.txt"), ("three.csv", "")]
    found = [
        float(row["value"]) for name, rows in downloads(answered.text).items() if "rep" not in name for row in rows
    ]
    assert found == pytest.approx([0.7, 0.9, 1.1], abs=0.02)


@pytest.mark.slow
def test_a_part_is_read_and_its_repetitions_are_downloaded(client):
    found = downloads(send(client, series(0.7), start="2", end="9").text)
    (row,), rows = found["breath.csv"], found["breath_repetitions.csv"]
    assert float(row["start_s"]) >= 2
    assert float(row["end_s"]) <= 9
    assert len(rows) == int(row["count"])
    assert float(rows[0]["start_s"]) == float(row["start_s"])


def test_the_form_gives_the_part_of_the_picture():
    wishes, _, _ = page_form.asked({"crop": "4,5,60,70", "start": "1.5"})
    assert (wishes.box, wishes.start, wishes.end) == ((4, 5, 60, 70), 1.5, math.inf)


@pytest.mark.slow
def test_a_copy_with_the_count_is_sent_and_not_kept(client, tmp_path, swing):
    data = {"recording": (io.BytesIO(swing.read_bytes()), swing.name), "end": "4"}
    answered = client.post("/copy", data=data)
    assert answered.mimetype == "video/mp4"
    with av.open(io.BytesIO(answered.data)) as film:
        assert 95 <= sum(1 for _ in film.decode(video=0)) <= 101
    assert list(tmp_path.iterdir()) == []
    answered = client.post("/copy", data={"recording": (io.BytesIO(series()), "breath.csv")})
    assert answered.status_code == 400
    assert "breath.csv: found a series; expected pictures for a copy with the count" in answered.text


def film(hertz, seconds=12, rate=15, height=36, width=48):
    """Returns the bytes of frames in which a bar swings."""
    at = np.arange(seconds * rate) / rate
    middle = width / 2 + width / 4 * np.sin(2 * np.pi * hertz * at)
    bar = 255 * np.exp(-((np.arange(width) - middle[:, None]) ** 2) / 18)
    return np.repeat(np.repeat(bar[:, None, :, None], height, axis=1), 3, axis=3).astype(np.uint8).tobytes()


@pytest.mark.slow
def test_pictures_of_a_camera_are_counted_in_memory(client, tmp_path):
    answered = client.post("/camera?height=36&width=48&rate=15", data=film(0.8))
    assert len(answered.json["spans"]) == pytest.approx(9, abs=1)
    assert float(answered.json["said"].split(" Hz")[0]) == pytest.approx(0.8, abs=0.01)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "query", ["", "height=36&width=48&rate=x", "height=36&width=47&rate=15", "height=99&width=1&rate=1"]
)
def test_a_camera_that_sends_no_frames_is_refused(client, query):
    answered = client.post(f"/camera?{query}", data=bytes(36 * 48 * 3))
    assert answered.status_code == 400
    assert answered.json["said"].startswith("The camera has sent ")


def test_a_camera_may_not_send_much_or_from_another_site(client, monkeypatch):
    monkeypatch.setattr(page_connections, "IN_MEMORY", 1000)
    assert client.post("/camera?height=36&width=48&rate=15", data=bytes(5184)).status_code == 413
    answered = client.post("/camera", data=b"1", headers={"Origin": "http://example.org"})
    assert answered.status_code == 403

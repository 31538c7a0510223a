"""Batches that workers of a tf.data service make, in this process, against those of `pipeline` alone."""

import queue
import socket
import threading
import time

import numpy as np
import pytest
import tensorflow as tf

from simper_tf.data import pipeline, records
from simper_tf.training import data_service
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

RNG = np.random.default_rng(3)
SHAPE = (20, 4, 4, 1)
service = tf.data.experimental.service
pytestmark = pytest.mark.slow


@pytest.fixture
def dispatcher():
    """Returns a dispatcher, to which no worker has come."""
    server = service.DispatchServer()
    yield server
    server._stop()


@pytest.fixture
def work(dispatcher):
    """Returns a function that adds so many workers, and returns the address of the dispatcher."""
    workers = []

    def add(number):
        for _ in range(number):
            config = service.WorkerConfig(dispatcher.target.removeprefix(data_service.SCHEME))
            workers.append(service.WorkerServer(config))
        return dispatcher.target

    yield add
    for worker in workers:
        worker._stop()


@pytest.fixture
def read(tmp_path):
    """Returns what reads 14 noise clips from two files by their numbers; the first pixel is the number."""
    clips = RNG.integers(0, 256, (14, *SHAPE)).astype(np.uint8)
    clips[:, :, 0, 0, 0] = np.arange(14)[:, None]
    paths = [tmp_path / "first", tmp_path / "second"]
    for path, part in zip(paths, (clips[:9], clips[9:]), strict=True):
        with tf.io.TFRecordWriter(str(path)) as writer:
            for clip in part:
                writer.write(clip.tobytes())
    records_of = records.reader(paths, [9, 5], np.arange(14))

    def example(record, _):
        clip = tf.reshape(tf.io.decode_raw(record, tf.uint8), SHAPE)
        return {"clip": clip, "id": "noise", "label": tf.cast(clip[0, 0, 0, 0], tf.float32)}

    return lambda numbers: records_of(numbers).map(example)


def served(batches, address, start, end, seconds=60.0, say=print):
    with data_service.feeding(batches, address, start, end, seconds, say) as found:
        return [tf.nest.map_structure(np.array, batch) for batch in found]


def assert_same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        tf.nest.map_structure(np.testing.assert_array_equal, one, other)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("views", [None, Views(8, SpeedSets(2))])
@pytest.mark.parametrize("labeled", [False, True])
def test_batches_of_a_service_are_those_of_one_process_from_any_step(work, read, number, views, labeled):
    batches = pipeline.Batches(read, 14, 4, 3, views, labeled)
    for start, end in ((0, 20), (5, 9)):
        assert_same(served(batches, work(number), start, end), list(batches.start(start).take(end - start)))


def test_trainers_each_get_their_part_and_all_clips_once_an_epoch(work, read):
    address = work(2)
    whole = list(pipeline.Batches(read, 14, 6, 3).start().take(6))
    parts = [served(pipeline.Batches(read, 14, 6, 3, worker=k, num_workers=3), address, 0, 6) for k in range(3)]
    assert_same([np.concatenate(each) for each in zip(*parts, strict=True)], whole)
    seen = np.concatenate(whole[:2])[:, 0, 0, 0, 0]
    assert len(set(seen)) == len(seen) == 12


def test_what_no_worker_sends_is_waited_for_and_then_told(dispatcher, read):
    batches = pipeline.Batches(read, 14, 4, 3)
    with pytest.raises(data_service.Silent, match=rf"^--data_service={dispatcher.target}: no batch has come for 1 s "):
        served(batches, dispatcher.target, 0, 5, seconds=1.0)


@pytest.mark.parametrize("most", [3, 100])
@pytest.mark.parametrize("lost", [{0}, {2, 3}, {6}])
def test_steps_that_are_lost_are_made_here_and_said_with_their_number(work, read, monkeypatch, most, lost):
    monkeypatch.setattr(data_service, "_FEWEST", min(most, data_service._FEWEST))
    monkeypatch.setattr(data_service, "_MOST", most)
    came, said = data_service._Feed._distributed, []
    # A worker that is killed takes the steps with it that it was given.
    monkeypatch.setattr(
        data_service._Feed, "_distributed", lambda feed: came(feed).filter(lambda step, _: ~is_one_of(step, lost))
    )
    batches = pipeline.Batches(read, 14, 4, 3, Views(8, SpeedSets(2)))
    assert_same(served(batches, work(1), 0, 7, say=said.append), list(batches.start().take(7)))
    line, number = said
    assert number.startswith("Batches that did not come from the data service in time")
    assert number.endswith(f": {len(lost)} in all.")
    assert line.startswith(f"The batch of step {min(lost)} did not come from the data service: it is made here")


def is_one_of(step, steps):
    return tf.reduce_any(step == tf.constant(sorted(steps), tf.int64))


def test_a_batch_that_comes_after_it_was_made_here_is_dropped(read, monkeypatch):
    batches = pipeline.Batches(read, 14, 4, 3)
    expected = list(batches.start().take(40))
    late = [*range(1, 30), 0, *range(30, 40)]
    monkeypatch.setattr(data_service, "_MOST", 5)
    monkeypatch.setattr(data_service, "_FEWEST", 5)
    monkeypatch.setattr(data_service._Feed, "_distributed", lambda _: ((step, expected[step]) for step in late))
    assert_same(served(batches, "grpc://nobody:1", 0, 40), expected)


def test_a_record_that_is_damaged_on_the_disk_of_a_worker_is_told_as_its_own(work, read, tmp_path):
    content = bytearray((tmp_path / "second").read_bytes())
    content[100] ^= 1
    (tmp_path / "second").write_bytes(content)
    message = (
        r"^--data_service=grpc://\S+: a worker of the service cannot read its clips: .*corrupted record.* the very"
    )
    with pytest.raises(ValueError, match=message):
        served(pipeline.Batches(read, 14, 14, 3), work(1), 0, 2)


def test_files_that_a_worker_has_not_are_told_as_its_own(work, read, tmp_path):
    (tmp_path / "second").unlink()
    message = (
        r"^--data_service=grpc://\S+: a worker of the service cannot read its clips: .*second.*No such file.* the very"
    )
    with pytest.raises(ValueError, match=message):
        served(pipeline.Batches(read, 14, 14, 3), work(1), 0, 2)


@pytest.mark.parametrize("kind", ["NotFoundError", "AbortedError", "DeadlineExceededError", "UnavailableError"])
def test_what_a_service_says_of_itself_is_told_with_its_address(read, monkeypatch, kind):
    def failing(_):
        raise getattr(tf.errors, kind)(None, None, "Iteration client id 7 not found")

    monkeypatch.setattr(data_service._Feed, "_distributed", failing)
    with pytest.raises(
        data_service.Silent, match=r"^--data_service=grpc://nobody:1: Iteration client id 7 not found\. L"
    ):
        served(pipeline.Batches(read, 14, 4, 3), "grpc://nobody:1", 0, 2)


def test_a_block_that_ends_early_leaves_no_thread(work, read):
    before = set(threading.enumerate())
    with data_service.feeding(pipeline.Batches(read, 14, 4, 3), work(1), 0, 10**6, 60.0) as found:
        next(iter(found))
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive()


def test_what_waits_for_a_worker_ends_with_the_block(dispatcher, read):
    before = set(threading.enumerate())
    asked = threading.Event()
    with data_service.feeding(pipeline.Batches(read, 14, 4, 3), dispatcher.target, 0, 10, 300.0) as found:

        def ask():
            asked.set()
            list(found)

        one = threading.Thread(target=ask, daemon=True)
        one.start()
        asked.wait(60)
        while len(set(threading.enumerate()) - before) < 2:  # Until the generator has begun to wait.
            time.sleep(0.05)
    one.join(30)
    assert not one.is_alive()


def test_a_late_batch_that_is_there_when_the_window_is_full_is_not_made_again(read, monkeypatch):
    monkeypatch.setattr(data_service, "_MOST", 5)
    batches = pipeline.Batches(read, 14, 4, 3)
    expected, said = list(batches.start().take(8)), []
    feed = data_service._Feed(batches, "grpc://nobody:1", 0, 8, 60.0, said.append)
    late = [1, 2, 3, 4, 5, 0, 6, 7]
    monkeypatch.setattr(feed, "_receive", lambda: None)
    feed._came = queue.Queue()
    for step in late:
        feed._came.put((step, expected[step]))
    assert_same(list(feed.in_order()), expected)
    assert (feed.made_here, said) == (0, [])


def test_batches_that_no_message_holds_are_refused_with_what_to_set(read, monkeypatch):
    one = 4 * int(np.prod(SHAPE))
    monkeypatch.setattr(data_service, "_LARGEST", one)
    served(pipeline.Batches(read, 14, 4, 3), "grpc://nobody:1", 0, 0)
    message = r"^--data_service=grpc://nobody:1: a batch has .* GiB, .*Lower --batch_size, .*--augment_on=device\.$"
    with pytest.raises(ValueError, match=message):
        served(pipeline.Batches(read, 14, 5, 3), "grpc://nobody:1", 0, 0)


def test_large_batches_wait_in_small_numbers_and_small_ones_in_many(read, monkeypatch):
    batches = pipeline.Batches(read, 14, 4, 3)
    found = {}
    for held in (1, 9, 1000):
        monkeypatch.setattr(data_service, "CACHE_BYTES", held * 4 * int(np.prod(SHAPE)))
        found[held] = data_service._Feed(batches, "grpc://nobody:1", 0, 1, 1.0, print)._most
    assert found == {1: 4, 9: 9, 1000: 256}


@pytest.mark.parametrize("address", ["127.0.0.1:5050", "grpc://127.0.0.1", "grpc://127.0.0.1:no", "http://host:80"])
def test_an_address_of_another_form_is_refused(address):
    with pytest.raises(ValueError, match=rf"^--data_service={address}: expected grpc://host:port"):
        data_service.check(address)


def test_a_dispatcher_that_is_not_there_is_refused_by_flag_and_address(dispatcher):
    data_service.check(dispatcher.target)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"grpc://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ValueError, match=rf"^--dispatcher={address}: no dispatcher of a tf.data service answers there"):
        data_service.check(address, "--dispatcher")

"""The ring keeps order and counts exactly, for any interleaving and across processes."""

import os
import struct
import subprocess
import sys
from collections import deque
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.recording.recorder import RecorderRing, RecorderStatus

# An operation: bytes to push, or how many entries the consumer takes before it breaks off.
OPERATIONS = st.lists(st.one_of(st.binary(max_size=40), st.integers(0, 6)), max_size=80)


@given(operations=OPERATIONS, slots=st.integers(1, 5))
def test_any_interleaving_keeps_order_and_counts(operations: list, slots: int) -> None:
    ring = RecorderRing.local(slots=slots, slot_bytes=40)  # payloads above 32 bytes do not fit
    model: deque[tuple[int, bytes]] = deque()
    pushed = dropped = popped = 0
    for number, operation in enumerate(operations):
        if isinstance(operation, bytes):
            fits = len(model) < slots and len(operation) <= 32
            assert ring.push(number, operation) is fits
            if fits:
                model.append((number, operation))
                pushed += 1
            else:
                dropped += 1
        else:
            for entry in islice(ring.pop_all(), operation):
                assert entry == model.popleft()
                popped += 1
        assert (ring.pushed, ring.dropped, ring.pending) == (pushed, dropped, pushed - popped)
        assert ring.pending == len(model)
    assert list(ring.pop_all()) == list(model)
    assert ring.pending == 0


def test_a_full_ring_takes_an_entry_again_as_soon_as_one_left() -> None:
    ring = RecorderRing.local(slots=2, slot_bytes=16)
    assert [ring.push(1, bytes([n])) for n in range(3)] == [True, True, False]
    assert next(ring.pop_all()) == (1, b"\x00")
    assert ring.push(1, b"\x03")
    assert [payload for _, payload in ring.pop_all()] == [b"\x01", b"\x03"]


@pytest.mark.parametrize("size", [33, 40, 1000])
def test_too_long_an_entry_is_dropped_and_harms_no_other(size: int) -> None:
    ring = RecorderRing.local(slots=2, slot_bytes=40)
    assert ring.push(1, b"a" * 32)
    assert not ring.push(2, b"b" * size)
    assert ring.push(3, b"c" * 32)
    assert ring.dropped == 1
    assert list(ring.pop_all()) == [(1, b"a" * 32), (3, b"c" * 32)]


def test_pushing_while_draining_is_left_for_the_next_drain() -> None:
    ring = RecorderRing.local(slots=8, slot_bytes=16)
    ring.push(1, b"a")
    seen = []
    for _, payload in ring.pop_all():
        seen.append(payload)
        ring.push(1, b"b")
    assert seen == [b"a"]
    assert [payload for _, payload in ring.pop_all()] == [b"b"]


@pytest.mark.parametrize(("slots", "slot_bytes"), [(0, 64), (-1, 64), (4, 8), (4, 0), (4, 63)])
def test_impossible_sizes_are_refused(slots: int, slot_bytes: int) -> None:
    with pytest.raises(ValueError, match=r"is needed"):
        RecorderRing.local(slots=slots, slot_bytes=slot_bytes)


@pytest.mark.parametrize("size", [0, 100, 4096])
def test_memory_without_a_ring_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="bytes"):
        RecorderRing(bytearray(size))


def test_two_views_of_shared_memory_see_one_ring() -> None:
    producer = RecorderRing.shared(slots=4, slot_bytes=64)
    consumer = RecorderRing.attach(os.dup(producer.fileno()))
    producer.push(7, b"hello")
    assert consumer.pending == 1
    assert list(consumer.pop_all()) == [(7, b"hello")]
    assert producer.pending == 0
    consumer.report(RecorderStatus.DEGRADED, 1234, 5)
    assert (producer.status, producer.written_bytes, producer.lost) == (
        RecorderStatus.DEGRADED,
        1234,
        5,
    )
    assert not consumer.producer_closed
    producer.close_producer()
    assert consumer.producer_closed
    for ring in (consumer, producer):
        ring.release()
        ring.release()


def test_a_local_or_released_ring_has_no_descriptor() -> None:
    with pytest.raises(ValueError, match=r"RecorderRing\.shared"):
        RecorderRing.local().fileno()
    ring = RecorderRing.shared(slots=1, slot_bytes=16)
    ring.release()
    with pytest.raises(ValueError, match=r"RecorderRing\.shared"):
        ring.fileno()


CONSUMER = """
import struct, sys
from hil.recording.recorder import RecorderRing
ring = RecorderRing.attach(int(sys.argv[1]))
last, count = -1, 0
while True:
    closed = ring.producer_closed
    for kind, payload in ring.pop_all():
        numbers = struct.unpack("<64q", payload)
        assert len(set(numbers)) == 1, "torn entry"
        assert numbers[0] > last, "order"
        last, count = numbers[0], count + 1
    if closed:
        break
print(count, last)
"""


def test_another_process_sees_whole_entries_in_order_and_every_loss_is_counted() -> None:
    ring = RecorderRing.shared(slots=32, slot_bytes=520)
    with subprocess.Popen(
        [sys.executable, "-c", CONSUMER, str(ring.fileno())],
        pass_fds=(ring.fileno(),),
        stdout=subprocess.PIPE,
    ) as consumer:
        entry = struct.Struct("<64q")
        attempts, accepted, last = 0, 0, -1
        # Some entries at the least must pass while both sides are at work.
        while accepted < 5000:
            if ring.push(1, entry.pack(*[attempts] * 64)):
                accepted, last = accepted + 1, attempts
            attempts += 1
        ring.close_producer()
        output = consumer.communicate(timeout=60)[0]
    assert consumer.returncode == 0
    assert output.split() == [str(accepted).encode(), str(last).encode()]
    assert ring.pushed == accepted
    assert ring.dropped == attempts - accepted
    ring.release()


def test_nothing_is_left_behind_and_nothing_is_warned_of_at_exit() -> None:
    script = (
        "import os\nfrom hil.recording.recorder import RecorderRing\n"
        "before = os.listdir('/dev/shm')\n"
        "ring = RecorderRing.shared(); ring.push(1, b'x')\n"
        "other = RecorderRing.attach(os.dup(ring.fileno()))\n"
        "assert os.listdir('/dev/shm') == before\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", script], capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

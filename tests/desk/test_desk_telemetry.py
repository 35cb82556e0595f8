"""Telemetry: whole entries in order, what was overwritten is counted, and nobody else can write."""

import mmap
import os
import struct

import pytest
from desk_samples import child, poll
from hypothesis import given
from hypothesis import strategies as st

from hil.ipc.broadcast import Broadcast, BroadcastReader
from hil.ipc.memory import HEADER_BYTES, slot_bytes

SLOTS, SLOT_BYTES = 8, 48


@given(st.lists(st.one_of(st.binary(max_size=32), st.integers(0, 12)), max_size=60))
def test_any_interleaving_gives_the_newest_in_order_and_counts_the_rest(steps):
    ring = Broadcast.local(SLOTS, SLOT_BYTES)
    reader = BroadcastReader(ring.buffer)
    waiting, missed = [], 0
    for number, step in enumerate(steps):
        if isinstance(step, bytes):
            ring.push(number, step)
            waiting.append((number, step))
            if len(waiting) > SLOTS:
                waiting.pop(0)
                missed += 1
        else:
            found = reader.read(step)
            assert found == waiting[:step]
            del waiting[:step]
            assert reader.missed == missed
    assert reader.read() == waiting
    assert reader.missed == missed


def test_readers_do_not_take_from_each_other():
    ring = Broadcast.local(SLOTS, SLOT_BYTES)
    one, two = BroadcastReader(ring.buffer), BroadcastReader(ring.buffer)
    ring.push(1, b"a")
    assert one.read() == [(1, b"a")]
    ring.push(2, b"b")
    assert one.read() == [(2, b"b")]
    assert two.read() == [(1, b"a"), (2, b"b")]
    assert (one.missed, two.missed) == (0, 0)


def test_a_late_reader_begins_with_the_oldest_that_is_there():
    ring = Broadcast.local(SLOTS, SLOT_BYTES)
    for number in range(20):
        ring.push(number, bytes([number]))
    reader = BroadcastReader(ring.buffer)
    assert [kind for kind, _ in reader.read()] == list(range(12, 20))
    assert reader.missed == 0


def test_an_entry_too_long_is_dropped_and_counted():
    ring = Broadcast.local(SLOTS, SLOT_BYTES)
    reader = BroadcastReader(ring.buffer)
    ring.push(1, bytes(ring.payload_bytes + 1))
    ring.push(2, bytes(ring.payload_bytes))
    assert ring.dropped == 1
    assert reader.read() == [(2, bytes(ring.payload_bytes))]


def test_a_slot_under_the_writers_hand_is_not_read():
    ring = Broadcast.local(SLOTS, SLOT_BYTES)
    reader = BroadcastReader(ring.buffer)
    for number in range(SLOTS):
        ring.push(number, b"old")
    # The writer has begun entry 8 over entry 0, and is interrupted.
    struct.pack_into("=Q", ring.buffer, HEADER_BYTES, 2 * SLOTS + 1)
    assert [kind for kind, _ in reader.read()] == list(range(1, SLOTS))
    assert reader.missed == 1


def test_every_word_of_the_frames_in_use_fits():
    from hil.desk.operation import OPERATION_MAX_BYTES
    from hil.recording.events import MAX_EVENT_BYTES
    from hil.recording.signals import MAX_ROW_BYTES

    assert max(MAX_EVENT_BYTES, OPERATION_MAX_BYTES) <= Broadcast.local(1).payload_bytes
    long = Broadcast.local(1, slot_bytes(MAX_ROW_BYTES, Broadcast.head_bytes))
    long.push(7, bytes(MAX_ROW_BYTES))
    assert (long.pushed, long.dropped) == (1, 0)


def test_nobody_who_gets_the_descriptor_can_write_or_shrink():
    ring = Broadcast.shared(SLOTS, SLOT_BYTES)
    ring.push(7, b"before")
    again = os.open(f"/proc/self/fd/{ring.fileno()}", os.O_RDWR)  # as its owner could
    for attempt in (
        lambda: mmap.mmap(again, 256),
        lambda: os.pwrite(again, b"x", 0),
        lambda: os.ftruncate(again, 0),
        lambda: os.ftruncate(again, 1 << 20),
    ):
        with pytest.raises(OSError, match="not permitted"):
            attempt()
    os.close(again)
    ring.push(8, b"after")  # the writer still can
    reader = BroadcastReader(ring.fileno())
    assert reader.read() == [(7, b"before"), (8, b"after")]
    with pytest.raises(TypeError):
        reader._view[0] = 1
    reader.release()
    ring.release()
    ring.release()


@pytest.mark.parametrize(("slots", "slot_bytes"), [(0, 48), (-1, 48), (4, 16), (4, 20), (4, 0)])
def test_impossible_sizes_are_refused(slots, slot_bytes):
    with pytest.raises(ValueError, match="needed"):
        Broadcast.local(slots, slot_bytes)


@pytest.mark.parametrize("size", [0, 10, 255, 256, 5000])
def test_memory_without_a_ring_is_refused(size):
    with pytest.raises(ValueError, match="ring"):
        BroadcastReader(bytearray(size))


def test_a_ring_cut_short_is_refused():
    whole = Broadcast.local(SLOTS, SLOT_BYTES).buffer
    with pytest.raises(ValueError, match="ring"):
        BroadcastReader(bytearray(whole[:-1]))


RACER = """
import os, sys
from hil.ipc.broadcast import Broadcast
ring = Broadcast.shared(64, 256)
print(ring.fileno(), flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[1])):
    ring.push(number & 0xFFFF, number.to_bytes(8, "little") * (1 + number % 29))
print(ring.pushed, flush=True)
sys.stdin.readline()
"""


def test_a_racing_writer_in_another_process_is_never_read_torn():
    count = 150_000
    writer = child(RACER, count)
    fd = os.open(f"/proc/{writer.pid}/fd/{int(writer.stdout.readline())}", os.O_RDONLY)
    reader = BroadcastReader(fd)
    os.close(fd)
    writer.stdin.write(b"go\n")
    writer.stdin.flush()
    numbers = []
    done = False
    while not done:
        done = poll(writer.stdout, 0.0)
        for kind, payload in reader.read(50):
            number = int.from_bytes(payload[:8], "little")
            assert kind == number & 0xFFFF
            assert payload == number.to_bytes(8, "little") * (1 + number % 29)
            numbers.append(number)
    while found := reader.read():
        numbers += [int.from_bytes(payload[:8], "little") for _, payload in found]
    assert int(writer.stdout.readline()) == count
    writer.communicate(b"end\n")
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == count - 1
    assert len(numbers) + reader.missed == count
    assert len(numbers) > 100
    assert reader.missed > 0  # it did race

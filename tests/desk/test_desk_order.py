"""The operator's slot and the operation: newest wins, whatever is damaged is noticed."""

import math
import os
import struct

import orjson
import pytest
from desk_samples import child, poll
from hypothesis import given
from hypothesis import strategies as st

from hil.desk.operation import OPERATION_MAX_BYTES, Operation, Refusal
from hil.desk.order import (
    BUTTONS,
    MOTION_MAX_BYTES,
    Button,
    LatestOrder,
    OperatorOrder,
    name_of,
)
from hil.desk.run_end import EndCause, EndStep, RunEnd

finite = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=80).map(
    name_of
)
counts = st.tuples(*[st.integers(0, 2**64 - 1)] * len(BUTTONS))


@st.composite
def orders(draw):
    serial = draw(st.integers(0, 3))
    motion = bytes([serial]) * (10 * serial)  # a number names one motion
    target = draw(st.none() | st.tuples(*[finite] * 6))
    stamp_s = draw(st.just(-math.inf) | finite)
    tempo = draw(st.floats(0.0, 1.0))
    return OperatorOrder(
        stamp_s, draw(st.booleans()), draw(counts), tempo, target, serial, motion,
        draw(names), draw(names),
    )  # fmt: skip


ORDER = OperatorOrder(
    12.5, True, tuple(range(8)), 0.25, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), 2, b"{}", "Anna", "Бо"
)


def pair():
    buffer = bytearray(LatestOrder.slot_bytes)
    return LatestOrder(buffer), LatestOrder(buffer), buffer


@given(st.lists(st.one_of(orders(), st.just("read")), max_size=20))
def test_any_interleaving_gives_the_newest_once(steps):
    writer, reader, _ = pair()
    waiting = None
    for step in [*steps, "read"]:
        if step == "read":
            assert reader.read() == waiting
            waiting = None
        else:
            writer.write(step)
            waiting = step
    assert (reader.torn, reader.corrupt) == (0, 0)


def test_a_name_is_shortened_to_whole_characters():
    assert name_of("é" * 40) == "é" * 30
    assert name_of("x" + "é" * 40) == "x" + "é" * 29
    assert name_of("Anna") == "Anna"
    with pytest.raises(ValueError, match=r"owner of 61 bytes; at most 60 bytes"):
        OperatorOrder(owner="x" * 61)
    with pytest.raises(ValueError, match=r"presser of 80 bytes"):
        OperatorOrder(presser="é" * 40)


def test_a_reader_that_comes_later_gets_what_is_there():
    writer, _, buffer = pair()
    writer.write(ORDER)
    assert LatestOrder(buffer).read() == ORDER
    assert ORDER.pressed(Button.HOME) == 0
    assert ORDER.pressed(Button.POSE) == 7


@given(st.integers(0, LatestOrder.slot_bytes - MOTION_MAX_BYTES - 5), st.integers(1, 255))
def test_any_damaged_byte_of_the_order_is_noticed(offset, flips):
    writer, reader, buffer = pair()
    writer.write(ORDER)
    buffer[offset] ^= flips
    assert [reader.read() for _ in range(3)] == [None] * 3
    emptied = buffer[:8] == bytes(8)  # then it is a slot that was never written
    assert (reader.torn + reader.corrupt == 0) is emptied


def test_a_damaged_motion_is_noticed():
    writer, reader, buffer = pair()
    writer.write(ORDER)
    buffer[LatestOrder.slot_bytes - MOTION_MAX_BYTES] ^= 1
    assert reader.read() is None
    assert reader.corrupt == 1


def test_a_writer_that_died_at_work_leaves_silence():
    writer, reader, buffer = pair()
    writer.write(ORDER)
    assert reader.read() == ORDER
    counter = struct.unpack_from("=Q", buffer)[0]
    struct.pack_into("=Q", buffer, 0, counter + 1)
    assert [reader.read() for _ in range(3)] == [None] * 3
    assert reader.torn == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"presses": (0,) * 7},
        {"override": 1.001},
        {"override": -0.001},
        {"override": math.nan},
        {"target": (0.0,) * 5 + (math.nan,)},
        {"target": (0.0,) * 5},
        {"motion_serial": 1, "motion_json": bytes(MOTION_MAX_BYTES + 1)},
        {"motion_serial": 0, "motion_json": b"{}"},
    ],
)
def test_impossible_orders_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong)).split("_")[0]):
        OperatorOrder(**wrong)


WRITER = """
import select
import sys
from hil.desk.order import OperatorOrder, LatestOrder
slot = LatestOrder.attach(int(sys.argv[1]))
least, most, n = int(sys.argv[2]), 10_000_000, 0
while n < most:
    n += 1
    serial = 1 + n // 50
    slot.write(OperatorOrder(float(n), bool(n % 2), (n,) * 8, (n % 11) / 11, (float(n),) * 6,
                             serial, b"%09d" % serial * (1 + serial % 900)))
    if n > least and n % 1000 == 0 and select.select([sys.stdin], [], [], 0.0)[0]:
        break
print(n, flush=True)
"""


def test_a_racing_writer_in_another_process_is_never_read_torn():
    slot = LatestOrder.shared()
    writer = child(WRITER, slot.fileno(), 30_000, pass_fds=(slot.fileno(),))
    seen = [0.0]
    done = False
    while not done:
        done = poll(writer.stdout, 0.0)
        order = slot.read()
        if order is None:
            continue
        n = int(order.stamp_s)
        serial = 1 + n // 50
        assert order.presses == (n,) * 8
        assert order.held is bool(n % 2)
        assert order.target == (float(n),) * 6
        assert order.motion_serial == serial
        assert order.motion_json == b"%09d" % serial * (1 + serial % 900)
        seen.append(order.stamp_s)
        if len(seen) == 102:  # however rarely a busy machine lets the two meet
            writer.stdin.close()
    count = int(writer.stdout.readline())
    writer.stdin.close()
    writer.stdout.close()
    writer.wait()
    assert slot.corrupt == 0
    assert seen == sorted(set(seen))
    assert seen[-1] == count or (slot.read() or ORDER).stamp_s == count
    assert len(seen) > 100
    slot.release()


def test_shared_memory_is_attached_by_its_descriptor():
    slot = LatestOrder.shared()
    other = LatestOrder.attach(os.dup(slot.fileno()))
    slot.write(ORDER)
    assert other.read() == ORDER
    for each in (slot, other, other):
        each.release()
    with pytest.raises(ValueError, match="shared memory"):
        LatestOrder.local().fileno()
    with pytest.raises(ValueError, match="are needed"):
        LatestOrder(bytearray(LatestOrder.slot_bytes - 1))


refusals = st.builds(
    Refusal, st.text(max_size=3000), st.sampled_from(["", "home"]), st.integers(0, 2**53)
)


@given(st.builds(Operation, finite, st.booleans(), st.sampled_from(["", "play", "pose"]),
                 st.integers(0, 2**53), finite, refusals, counts, st.just("hold")))  # fmt: skip
def test_an_operation_comes_as_it_was_told_or_with_a_shorter_reason(operation):
    encoded = operation.to_bytes()
    assert len(encoded) <= OPERATION_MAX_BYTES
    back = Operation.from_bytes(encoded)
    same = {name: getattr(back, name) for name in Operation.__slots__ if name != "refused"}
    assert same == {name: getattr(operation, name) for name in same}
    if back.refused != operation.refused:
        assert back.refused.why.endswith("…")
        assert operation.refused.why.startswith(back.refused.why[:-1])
        assert len(encoded) > OPERATION_MAX_BYTES // 2


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ({"cause": "earthquake"}, RunEnd(EndCause.UNKNOWN, EndStep.PARKING, "ground moves")),
        ({"step": "fleeing"}, RunEnd(EndCause.FAULT, EndStep.UNDER_WAY, "ground moves")),
        ({"cause": "earthquake", "why": ""},
         RunEnd(EndCause.UNKNOWN, EndStep.PARKING, "earthquake")),
        ({"cause": 7, "step": None, "why": ""}, RunEnd(EndCause.UNKNOWN, EndStep.UNDER_WAY, "7")),
    ],
)  # fmt: skip
def test_an_end_of_a_newer_bench_is_read_as_far_as_it_is_known(said, end):
    known = RunEnd(EndCause.FAULT, EndStep.PARKING, "ground moves")
    raw = orjson.loads(Operation(end=known).to_bytes())
    assert Operation.from_bytes(orjson.dumps(raw | {"end": raw["end"] | said})).end == end


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b'{"override": 1}', b"\xff"])
def test_what_is_no_operation_is_refused(payload):
    with pytest.raises(ValueError, match=r"not an operation|empty document|str is not valid"):
        Operation.from_bytes(payload)

"""The command slot: newest wins, each order once, and whatever is damaged is noticed."""

import math
import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least

from hil.stations.platform.gate.command_slot import CommandSlot, Order
from safety.modes import Request
from safety.verdict import Setpoint

finite = st.floats(allow_nan=False)
six = st.tuples(*[finite] * 6)
sequences = st.integers(0, 2**32 - 1)
setpoints = st.builds(Setpoint, sequences, six, six)
requests = st.sets(st.sampled_from(Request)).map(
    lambda chosen: tuple(request for request in Request if request in chosen)
)


@st.composite
def orders(draw):
    setpoint = draw(st.none() | setpoints)
    sequence = draw(sequences) if setpoint is None else setpoint.sequence
    flags = draw(st.booleans()), draw(st.booleans()), draw(finite)
    return Order(sequence, draw(finite), setpoint, draw(requests), *flags)


ORDER = Order(7, 12.5, Setpoint(7, (0.9,) * 6, (0.1,) * 6), (Request.HOLD, Request.PARK), True)


def pair():
    """Writer and reader over one memory, as two processes have it."""
    buffer = bytearray(CommandSlot.slot_bytes)
    return CommandSlot(buffer), CommandSlot(buffer), buffer


@given(orders())
def test_an_order_comes_as_it_was_written(order):
    writer, reader, _ = pair()
    writer.write(order)
    assert reader.take() == order


@given(st.lists(st.one_of(orders(), st.just("take")), max_size=30))
def test_any_interleaving_gives_the_newest_once(steps):
    writer, reader, _ = pair()
    waiting = None
    for step in steps:
        if step == "take":
            assert reader.pending is (waiting is not None)
            assert reader.take() == waiting
            waiting = None
        else:
            writer.write(step)
            waiting = step
    assert (reader.torn, reader.corrupt) == (0, 0)


@at_least(500)
@given(st.integers(0, CommandSlot.slot_bytes - 1), st.integers(1, 255))
def test_any_damaged_byte_is_noticed(offset, flips):
    writer, reader, buffer = pair()
    writer.write(ORDER)
    buffer[offset] ^= flips
    for _ in range(3):
        assert reader.take() is None
    if buffer[0] % 2 == 0:
        counter = struct.unpack_from("<Q", buffer)[0]
        assert reader.corrupt == (1 if counter else 0)
    else:
        assert reader.torn == 3


@given(st.binary(min_size=CommandSlot.slot_bytes, max_size=CommandSlot.slot_bytes))
def test_any_bytes_are_no_order(noise):
    reader = CommandSlot.local()
    reader.buffer[:] = noise
    assert reader.take() is None


@pytest.mark.parametrize("cut", range(1, CommandSlot.slot_bytes))
def test_a_writer_that_dies_over_its_work_leaves_no_order(cut):
    """The writer stores counter - 1, body, checksum, counter: cut anywhere in between."""
    writer, reader, buffer = pair()
    writer.write(ORDER)
    assert reader.take() == ORDER
    before = bytes(buffer)
    writer.write(Order(8, 13.0, Setpoint(8, (0.8,) * 6, (0.2,) * 6), (Request.ENGAGE,)))
    torn = bytearray(bytes(buffer[:cut]) + before[cut:])
    struct.pack_into("<Q", torn, 0, struct.unpack_from("<Q", bytes(buffer))[0] - 1)
    buffer[:] = torn
    assert reader.take() is None
    assert reader.torn == 1
    assert reader.pending


def test_a_new_body_under_the_old_counter_is_not_obeyed_again():
    writer, reader, buffer = pair()
    writer.write(ORDER)
    assert reader.take() == ORDER
    counter = bytes(buffer[:8])
    writer.write(Order(9, 14.0, None, (Request.ENGAGE,)))
    buffer[:8] = counter
    assert reader.take() is None


def test_an_old_body_under_a_new_counter_is_corrupt():
    writer, reader, buffer = pair()
    writer.write(ORDER)
    assert reader.take() == ORDER
    struct.pack_into("<Q", buffer, 0, struct.unpack_from("<Q", buffer)[0] + 2)
    assert reader.take() is None
    assert reader.corrupt == 1


def test_an_order_from_before_the_gate_is_not_meant_for_it():
    writer, _, buffer = pair()
    writer.write(ORDER)
    late = CommandSlot(buffer)
    assert not late.pending
    assert late.take() is None
    writer.write(ORDER)
    assert late.take() == ORDER


def test_a_flag_that_no_control_knows_is_no_order():
    reader = CommandSlot.local()
    reader.put(1, 1 << 31, 0.0, 0.0, *(0.0,) * 12)
    assert reader.take() is None
    assert reader.corrupt == 1


def test_nan_goes_through_for_the_gate_to_judge():
    writer, reader, _ = pair()
    writer.write(Order(1, 0.0, Setpoint(1, (math.nan,) * 6, (math.inf,) * 6)))
    setpoint = reader.take().setpoint
    assert all(map(math.isnan, setpoint.length_m))
    assert setpoint.speed_m_s == (math.inf,) * 6


def test_it_is_shared_by_descriptor():
    writer = CommandSlot.shared()
    reader = CommandSlot.attach(os.dup(writer.fileno()))
    writer.write(ORDER)
    assert reader.take() == ORDER
    for slot in (writer, reader):
        slot.release()
        slot.release()
        with pytest.raises(ValueError, match="no shared memory"):
            slot.fileno()


def test_a_short_memory_is_refused():
    with pytest.raises(ValueError, match=f"{CommandSlot.slot_bytes} are needed"):
        CommandSlot(bytearray(CommandSlot.slot_bytes - 1))

"""A row whose last fields come as arrays is the row of the same numbers one by one."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.recording.signals import Signal, Signals

HEAD = (Signal("index", "u8"), Signal("t_s", "f8", unit="s"))
TYPES = st.sampled_from(("u1", "u2", "u4", "u8", "f8"))


def signal(index, type, count):
    parts = tuple(f"part{one}" for one in range(count)) if count > 1 else ()
    return Signal(f"field{index}", type, count, parts=parts)


@st.composite
def tables(draw):
    """A table, and how many of its last fields are floats."""
    plain = draw(st.lists(st.tuples(TYPES, st.integers(1, 3)), max_size=4))
    floats = draw(st.lists(st.integers(1, 5), max_size=4))
    rest = [*plain, *(("f8", count) for count in floats)]
    fields = [signal(index, *one) for index, one in enumerate(rest)]
    return Signals("trial", (*HEAD, *fields)), len(floats)


@given(tables(), st.integers(0, 3), st.randoms(use_true_random=False))
def test_arrays_pack_as_numbers_do(table, cut, random):
    signals, floats = table
    values = [
        [random.uniform(-1e9, 1e9) if one.type == "f8" else random.randrange(256)
         for _ in range(one.count)]
        for one in signals.fields
    ]  # fmt: skip
    first = len(values) - floats
    tail = np.array([each for value in values[first:] for each in value])
    arrays = np.split(tail, [min(cut, len(tail))])
    assert signals.pack(values[:first], *arrays) == signals.pack(values)


@pytest.mark.parametrize("tail", [np.zeros(2), np.zeros(4)])
def test_too_few_and_too_many_are_refused(tail):
    signals = Signals("trial", (*HEAD, signal(0, "f8", 3)))
    signals.pack((1, 0.0), np.zeros(3))
    with pytest.raises(struct.error, match="bytes, not"):
        signals.pack((1, 0.0), tail)


def test_fields_that_are_no_floats_cannot_come_as_arrays():
    signals = Signals("trial", (*HEAD, signal(0, "u8", 1), signal(1, "f8", 1)))
    with pytest.raises(struct.error, match="not all fields are floats"):
        signals.pack((1, 0.0), np.zeros(2))
    with pytest.raises(struct.error, match="not all fields are floats"):
        signals.pack((1,), np.zeros(3))

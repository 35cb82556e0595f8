"""Bit times, the load of a bus, and what is refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drives.bank import DriveSetupError
from drives.bus_budget import (
    BusBudget,
    CyclicFrames,
    check_budget,
    frame_bits,
    rtu_silence_s,
    rtu_transaction_s,
)

SYNC = CyclicFrames("SYNC", 1, 0, on_each_bus=True)
MBIT = 1_000_000


def pdos(*kinds, bitrate=MBIT, buses=1):
    frames = tuple(
        CyclicFrames(f"PDO{number}", count, size, every)
        for number, (count, size, every) in enumerate(kinds)
    )
    return BusBudget((SYNC, *frames), bitrate, buses)


SIX_BYTES = pdos((12, 6, 1))
EIGHT_BYTES = pdos((12, 8, 1))
WITH_SPEED = pdos((12, 6, 1), (6, 4, 1), (6, 6, 1))
SHARED = pdos((9, 8, 1))
TWO_BUSES = pdos((12, 8, 1), buses=2)
DESIGN = pdos((12, 7, 1), (6, 6, 4))


def stuffed_bits(data):
    """Bits of a frame by stuffing it: a bit of the other value after each five equal ones.

    The worst pattern is not sought: this is what real contents need, never more than the bound.
    """
    header = [0, *(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1), 0, 0, 0]
    header += [len(data) >> bit & 1 for bit in (3, 2, 1, 0)]
    bits = header + [byte >> bit & 1 for byte in data for bit in range(7, -1, -1)]
    checksum = 0
    for bit in bits:
        checksum = (checksum << 1) ^ (0x4599 if bit ^ (checksum >> 14 & 1) else 0)
        checksum &= 0x7FFF
    bits += [checksum >> bit & 1 for bit in range(14, -1, -1)]
    stuffed, run, last = 0, 0, None
    for bit in bits:
        run = run + 1 if bit == last else 1
        last, stuffed = bit, stuffed + 1
        if run == 5:
            last, run, stuffed = 1 - bit, 1, stuffed + 1
    return stuffed + 1 + 2 + 7 + 3  # delimiter, acknowledge, end of frame, interframe space


@pytest.mark.parametrize(("data_bytes", "bits"), [(0, 55), (4, 95), (6, 115), (7, 125), (8, 135)])
def test_bits_of_a_frame(data_bytes, bits):
    assert frame_bits(data_bytes) == bits


@given(st.binary(max_size=8))
def test_no_frame_is_longer_than_its_bound(data):
    assert stuffed_bits(data) <= frame_bits(len(data))


@pytest.mark.parametrize("data_bytes", [-1, 9])
def test_a_classic_frame_has_no_other_length(data_bytes):
    with pytest.raises(ValueError, match=f"0 to 8 bytes of data, not {data_bytes}"):
        frame_bits(data_bytes)


@pytest.mark.parametrize(
    ("budget", "cycle_us", "hard_max_hz", "load_250", "load_500"),
    [
        (SIX_BYTES, 1435, 697, 0.36, 0.72),
        (EIGHT_BYTES, 1675, 597, 0.42, 0.84),
        (WITH_SPEED, 2695, 371, 0.67, 1.35),
        (SHARED, 1270, 787, 0.32, 0.64),
        (TWO_BUSES, 865, 1156, 0.22, 0.43),
    ],
)
def test_what_sets_of_frames_take_of_a_bus(budget, cycle_us, hard_max_hz, load_250, load_500):
    assert budget.fullest_cycle_s * 1e6 == pytest.approx(cycle_us)
    assert budget.highest_rate_hz(load_max=1.0) == pytest.approx(hard_max_hz, abs=1.0)
    assert budget.load(250.0) == pytest.approx(load_250, abs=0.005)
    assert budget.load(500.0) == pytest.approx(load_500, abs=0.0051)


def test_half_the_bitrate_has_half_the_rate():
    slow = pdos((12, 6, 1), bitrate=500_000)
    assert slow.highest_rate_hz(1.0) == pytest.approx(348, abs=1.0)


def test_frames_of_every_fourth_cycle_count_a_quarter_but_must_fit_one_cycle():
    assert DESIGN.mean_cycle_s * 1e6 == pytest.approx(55 + 12 * 125 + 6 * 115 / 4)
    assert DESIGN.fullest_cycle_s * 1e6 == pytest.approx(55 + 12 * 125 + 6 * 115)
    assert check_budget(DESIGN, 250.0) == pytest.approx(0.432, abs=0.001)
    assert DESIGN.highest_rate_hz(0.99) == pytest.approx(1.0 / DESIGN.fullest_cycle_s)


def test_a_rate_that_does_not_fit_is_refused_with_what_would():
    with pytest.raises(DriveSetupError) as refusal:
        check_budget(DESIGN, 500.0, place="slcan:/dev/ttyACM0")
    text = str(refusal.value)
    assert text.startswith("slcan:/dev/ttyACM0: a cycle of 2245 us at most every 2000 us (500 Hz)")
    assert "takes 86% of 1000000 bit/s, the limit is 70%" in text
    assert text.endswith("what fits: 405 Hz on one bus, or 2 buses at 500 Hz (45% each)")
    assert check_budget(pdos((12, 7, 1), (6, 6, 4), buses=2), 500.0) < 0.70


def test_a_slow_bus_is_told_of_the_faster_one():
    with pytest.raises(DriveSetupError, match=r"202 Hz on one bus, or .*or 1000000 bit/s \(43%\)"):
        check_budget(pdos((12, 7, 1), (6, 6, 4), bitrate=500_000), 250.0)


def test_what_fits_by_nothing_is_said_so():
    with pytest.raises(DriveSetupError, match=r"what fits: 405 Hz on one bus$"):
        check_budget(DESIGN, 5000.0)


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 8), st.integers(1, 5)), max_size=4),
    st.sampled_from([125_000, 500_000, MBIT]),
    st.integers(1, 3),
    st.floats(1.0, 2000.0),
    st.floats(0.1, 1.0),
)
def test_a_rate_is_refused_exactly_above_the_highest_one(kinds, bitrate, buses, rate_hz, load_max):
    budget = pdos(*kinds, bitrate=bitrate, buses=buses)
    if rate_hz > budget.highest_rate_hz(load_max):
        with pytest.raises(DriveSetupError):
            check_budget(budget, rate_hz, load_max)
    else:
        load = check_budget(budget, rate_hz, load_max)
        assert load <= load_max * (1 + 1e-12)
        assert budget.fullest_cycle_s * rate_hz <= 1.0 + 1e-12


def test_drives_that_two_buses_cannot_share_evenly_load_the_busier_one():
    assert pdos((5, 8, 1), buses=2).fullest_cycle_s * 1e6 == pytest.approx(55 + 3 * 135)


def test_no_frames_fit_any_rate():
    assert BusBudget((), MBIT).highest_rate_hz() == math.inf


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: CyclicFrames("PDO", -1, 8),
        lambda: CyclicFrames("PDO", 1, 8, every=0),
        lambda: BusBudget((), 0),
        lambda: BusBudget((), MBIT, buses=0),
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="at least"):
        wrong()


@pytest.mark.parametrize(
    ("baud", "bits", "wire_ms"), [(115200, 10, 14.4), (19200, 11, 76.2), (115200, 11, 15.5)]
)
def test_a_modbus_transaction_on_a_serial_line(baud, bits, wire_ms):
    assert rtu_transaction_s(61, 65, baud, bits) * 1e3 == pytest.approx(wire_ms, abs=0.1)


def test_the_silence_after_a_modbus_frame():
    assert rtu_silence_s(9600) == pytest.approx(3.5 * 11 / 9600)
    assert rtu_silence_s(19200) == pytest.approx(2.005e-3, abs=1e-6)
    assert rtu_silence_s(38400) == 1.75e-3

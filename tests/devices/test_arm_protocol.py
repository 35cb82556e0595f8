"""The robot's side of the contour protocol: golden bytes, refusals, angles of the hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arm_scripted_host import checked, end_line, waypoint_line
from hypothesis import given
from hypothesis import strategies as st

from sim.devices.arm.program import LISTENING, STATUS, ArmEvent, ArmState, step
from sim.devices.arm.protocol import (
    HostEnd,
    HostWaypoint,
    LineError,
    checksum,
    decode_answer,
    encode_request,
    oat_of,
    rotation_of,
)


def test_requests_are_the_bytes_of_the_specification():
    # ck: 0*31+7 = 7; 7*31+2 = 219
    assert encode_request(7, 2) == b"R,7,2,219\r"
    # ck: 0, 0, 1250, then as in the next line
    fields = [0, 0, 1250, -5, 0, -90000, 1, -1]
    assert encode_request(0, 0, (1250, -5, 0, -90000, 1, -1)) == (
        f"R,0,0,12.50,-0.05,0.00,-90.000,0.001,-0.001,{checked(fields)}\r".encode()
    )


def test_checksum_by_hand():
    # 9999 mod 997 = 29; 29*31 + 5 + 1 = 905 (negative: one more); 905*31 + 12345 = 40400 -> 520
    assert checksum([9999, -5, 12345]) == 520


def test_answers_are_read():
    location = (123456, -65700, 5, -179999, 90000, -1)
    assert decode_answer(waypoint_line(9999, location)[:-1]) == HostWaypoint(9999, location)
    assert decode_answer(b"-1,3,0,0,0,0,0," + str(checked([-1, 3, 0, 0, 0, 0, 0])).encode()) == (
        HostEnd(3)
    )
    assert decode_answer(end_line(0)[:-1]) == HostEnd(0)


GOOD = waypoint_line(12, (60000, -15005, 65764, 90000, -45000, 1000))[:-1]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        GOOD + b" ",
        GOOD + b"1",
        b" " + GOOD,
        GOOD.replace(b"600.00", b"600.0"),
        GOOD.replace(b"90.000", b"90"),
        GOOD.replace(b",", b";"),
        GOOD.replace(b"600.00", b"600.01"),
        GOOD.replace(b"12,", b"13,", 1),
        GOOD.replace(b"-150.05", b"150.05"),
        end_line(1)[:-1].replace(b"-1,1", b"-1,2"),
        b"\xff" * 70,
        "१२".encode() + GOOD[2:],
    ],
)
def test_what_is_no_answer_is_refused(line: bytes):
    with pytest.raises(LineError):
        decode_answer(line)


@given(st.binary(max_size=90))
def test_arbitrary_bytes_raise_nothing_else(data: bytes):
    with pytest.raises(LineError):
        decode_answer(data)


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 7))
def test_one_turned_bit_is_always_noticed(place: int, bit: int):
    spoiled = bytearray(GOOD)
    spoiled[place] ^= 1 << bit
    with pytest.raises(LineError):
        decode_answer(bytes(spoiled))


@pytest.mark.parametrize(
    ("oat_deg", "columns"),
    [
        ((0, 0, 0), [(0, 0, -1), (1, 0, 0), (0, -1, 0)]),
        ((90, 0, 0), [(0, 0, -1), (0, 1, 0), (1, 0, 0)]),
        ((0, 90, 0), [(0, 1, 0), (1, 0, 0), (0, 0, -1)]),
        ((0, 0, 90), [(1, 0, 0), (0, 0, 1), (0, -1, 0)]),
        ((90, 90, 90), [(0, 1, 0), (1, 0, 0), (0, 0, -1)]),
    ],
)
def test_table_of_the_convention(oat_deg: tuple[int, ...], columns: list[tuple[int, ...]]):
    rotation = rotation_of(*(math.radians(v) for v in oat_deg))
    np.testing.assert_allclose(rotation.T, columns, atol=1e-15)


ANGLE = st.floats(-math.pi, math.pi)


@given(ANGLE, st.one_of(st.sampled_from([math.pi / 2, -math.pi / 2]), ANGLE), ANGLE)
def test_angles_come_back_as_the_same_rotation(o: float, a: float, t: float):
    rotation = rotation_of(o, a, t)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)
    assert abs(oat_of(rotation)[1]) <= math.pi / 2
    np.testing.assert_allclose(rotation_of(*oat_of(rotation)), rotation, atol=3e-7)


@pytest.mark.parametrize("state", list(ArmState))
@pytest.mark.parametrize("event", list(ArmEvent))
def test_no_event_brings_motion_but_an_accepted_waypoint(state: ArmState, event: ArmEvent):
    after = step(state, event)
    if after is ArmState.RUNNING and state is not ArmState.RUNNING:
        assert event is ArmEvent.ACCEPTED
        assert state in (ArmState.WAITING, ArmState.DRY)
    if event is ArmEvent.STOP:
        assert after is ArmState.OFF
    if event is ArmEvent.HOLD and state is not ArmState.OFF:
        assert after in (ArmState.HELD, ArmState.NOT_CALIBRATED)
    if state in (ArmState.HELD, ArmState.REFUSED) and after in LISTENING:
        assert event is ArmEvent.START


def test_only_moving_to_rest_and_off_are_mute():
    mute = {ArmState.OFF, ArmState.ENDING, ArmState.STARVING}
    assert set(ArmState) - set(STATUS) == mute

"""Every pair of state and event against the transitions 0 to 16 that CiA 402-2 lists."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.devices.drive import cia402 as drive402
from sim.devices.drive.cia402 import DriveEvent, State
from sim.devices.drive.node import EmulatedDrive
from sim.devices.drive.parameters import NodeSettings
from sim.devices.drive.rods import Rod, RodSettings

# Written from the figure "Power drive system finite state automaton", not from the code's table.
_FIGURE = """
START                  POWER_UP          0 NOT_READY_TO_SWITCH_ON
NOT_READY_TO_SWITCH_ON INITIALISED       1 SWITCH_ON_DISABLED
SWITCH_ON_DISABLED     SHUTDOWN          2 READY_TO_SWITCH_ON
READY_TO_SWITCH_ON     SWITCH_ON         3 SWITCHED_ON
READY_TO_SWITCH_ON     ENABLE_OPERATION  3 SWITCHED_ON
SWITCHED_ON            ENABLE_OPERATION  4 OPERATION_ENABLED
OPERATION_ENABLED      SWITCH_ON         5 SWITCHED_ON
SWITCHED_ON            SHUTDOWN          6 READY_TO_SWITCH_ON
READY_TO_SWITCH_ON     DISABLE_VOLTAGE   7 SWITCH_ON_DISABLED
READY_TO_SWITCH_ON     QUICK_STOP        7 SWITCH_ON_DISABLED
OPERATION_ENABLED      SHUTDOWN          8 READY_TO_SWITCH_ON
OPERATION_ENABLED      DISABLE_VOLTAGE   9 SWITCH_ON_DISABLED
SWITCHED_ON            DISABLE_VOLTAGE  10 SWITCH_ON_DISABLED
SWITCHED_ON            QUICK_STOP       10 SWITCH_ON_DISABLED
OPERATION_ENABLED      QUICK_STOP       11 QUICK_STOP_ACTIVE
QUICK_STOP_ACTIVE      DISABLE_VOLTAGE  12 SWITCH_ON_DISABLED
QUICK_STOP_ACTIVE      QUICK_STOP_DONE  12 SWITCH_ON_DISABLED
NOT_READY_TO_SWITCH_ON FAULT_DETECTED   13 FAULT_REACTION_ACTIVE
SWITCH_ON_DISABLED     FAULT_DETECTED   13 FAULT_REACTION_ACTIVE
READY_TO_SWITCH_ON     FAULT_DETECTED   13 FAULT_REACTION_ACTIVE
SWITCHED_ON            FAULT_DETECTED   13 FAULT_REACTION_ACTIVE
OPERATION_ENABLED      FAULT_DETECTED   13 FAULT_REACTION_ACTIVE
QUICK_STOP_ACTIVE      FAULT_DETECTED   13 FAULT_REACTION_ACTIVE
FAULT_REACTION_ACTIVE  REACTION_DONE    14 FAULT
FAULT                  FAULT_RESET      15 SWITCH_ON_DISABLED
QUICK_STOP_ACTIVE      ENABLE_OPERATION 16 OPERATION_ENABLED
"""
EXPECTED = {
    (State[a], DriveEvent[b]): (int(n), State[c])
    for a, b, n, c in (line.split() for line in _FIGURE.strip().splitlines())
}


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("event", list(DriveEvent))
def test_every_pair_of_state_and_event(state: State, event: DriveEvent):
    assert drive402.step(state, event) == EXPECTED.get((state, event))


def test_all_transitions_of_the_standard_are_there():
    assert {number for number, _ in EXPECTED.values()} == set(range(17))


@pytest.mark.parametrize(
    ("controlword", "event"),
    [
        (0x06, DriveEvent.SHUTDOWN),
        (0x0E, DriveEvent.SHUTDOWN),
        (0x07, DriveEvent.SWITCH_ON),
        (0x0F, DriveEvent.ENABLE_OPERATION),
        (0x1F, DriveEvent.ENABLE_OPERATION),
        (0x00, DriveEvent.DISABLE_VOLTAGE),
        (0x0D, DriveEvent.DISABLE_VOLTAGE),
        (0x02, DriveEvent.QUICK_STOP),
        (0x0B, DriveEvent.QUICK_STOP),
    ],
)
def test_command_coding(controlword: int, event: DriveEvent):
    assert drive402.command(controlword) is event


def make_drive(**rod: float) -> tuple[EmulatedDrive, Rod]:
    rod_settings = RodSettings(brake_release_s=0.0, **rod)
    motor = Rod(rod_settings)
    node = NodeSettings(node_id=1, serial=1, rod=rod_settings)
    return EmulatedDrive(node, motor, motor, random.Random(1)), motor


def run(drive: EmulatedDrive, seconds: float) -> None:
    for _ in range(round(seconds * 1000)):
        drive.control(1e-3)
        drive.motor.advance(1e-3)
        drive.sense()


def enabled(mode: int = 8) -> tuple[EmulatedDrive, Rod]:
    drive, rod = make_drive(start_m=0.3)
    drive.write_mode(mode)
    for word in (0x06, 0x07, 0x0F):
        drive.write_controlword(word)
    assert drive.state is State.OPERATION_ENABLED
    return drive, rod


def moving(speed_m_s: float = 0.2) -> tuple[EmulatedDrive, Rod]:
    """A drive that runs at a constant speed in profile velocity mode."""
    drive, rod = enabled(mode=3)
    drive.write_target_velocity(round(speed_m_s * 1e6))
    run(drive, 0.3)
    assert rod.v_m_s == pytest.approx(speed_m_s, rel=0.01)
    return drive, rod


# -- what the statusword shows (table "State coding") --------------------


@pytest.mark.parametrize(
    ("words", "pattern", "mask"),
    [
        ((), 0x40, 0x4F),
        ((0x06,), 0x21, 0x6F),
        ((0x06, 0x07), 0x23, 0x6F),
        ((0x06, 0x07, 0x0F), 0x27, 0x6F),
        ((0x06, 0x0F), 0x27, 0x6F),
    ],
)
def test_state_coding(words: tuple[int, ...], pattern: int, mask: int):
    drive, _ = make_drive()
    for word in words:
        drive.write_controlword(word)
    assert drive.statusword & mask == pattern
    assert drive.statusword & 0x0210 == 0x0210  # remote, voltage enabled


def test_a_switched_off_drive_reads_0250():
    drive, _ = make_drive()
    assert drive.statusword == 0x0250


def test_enabling_waits_for_the_brake():
    rod_settings = RodSettings(brake_release_s=0.05)
    rod = Rod(rod_settings)
    drive = EmulatedDrive(NodeSettings(1, 1, rod=rod_settings), rod, rod, random.Random(1))
    for word in (0x06, 0x07, 0x0F):
        drive.write_controlword(word)
    run(drive, 0.049)
    assert drive.state is State.SWITCHED_ON
    assert not rod.powered
    run(drive, 0.002)
    assert drive.state is State.OPERATION_ENABLED
    assert rod.powered


def test_enabling_is_given_up_when_the_command_is_taken_back():
    rod_settings = RodSettings(brake_release_s=0.05)
    rod = Rod(rod_settings)
    drive = EmulatedDrive(NodeSettings(1, 1, rod=rod_settings), rod, rod, random.Random(1))
    for word in (0x06, 0x07, 0x0F, 0x07):
        drive.write_controlword(word)
    run(drive, 0.2)
    assert drive.state is State.SWITCHED_ON


# -- stops --------------------


@pytest.mark.parametrize("option", [1, 2, 3, 4, 5, 6, 7, 8])
def test_quick_stop_ramps_and_ends_as_605a_says(option: int):
    drive, rod = moving(0.2)
    drive.parameters.quick_stop_option = option
    drive.parameters.profile_deceleration = 500_000
    drive.parameters.quick_stop_deceleration = 2_000_000
    drive.write_controlword(0x02)
    assert drive.statusword & 0x6F == 0x07
    ramp = {1: 0.5, 2: 2.0, 3: 8.0, 0: 8.0}[option % 4]
    run(drive, 0.5 * 0.2 / ramp)
    assert rod.v_m_s == pytest.approx(0.1, abs=0.04)  # half of the ramp
    run(drive, 1.0)
    assert abs(rod.v_m_s) < 1e-5
    assert drive.state is (State.QUICK_STOP_ACTIVE if option > 4 else State.SWITCH_ON_DISABLED)
    assert rod.powered is (option > 4)


def test_quick_stop_option_0_lets_go_at_once():
    drive, rod = moving(0.2)
    drive.parameters.quick_stop_option = 0
    drive.write_controlword(0x02)
    assert drive.state is State.SWITCH_ON_DISABLED
    assert not rod.powered


def test_transition_16_needs_option_5_and_a_new_command():
    drive, _ = moving()
    drive.parameters.quick_stop_option = 6
    drive.parameters.abort_connection_option = 3
    drive.abort_connection(0x8130, 0x11)  # the controlword still says enable operation
    drive.write_controlword(0x0F)
    assert drive.state is State.QUICK_STOP_ACTIVE
    drive.write_controlword(0x02)
    drive.write_controlword(0x0F)
    assert drive.state is State.OPERATION_ENABLED
    assert drive.transitions[-1] == 16
    run(drive, 0.5)
    assert drive.at_rest  # the speed from before does not come back by itself


def test_without_option_5_a_quick_stop_cannot_be_taken_back():
    drive, _ = moving()
    drive.write_controlword(0x02)
    drive.write_controlword(0x0F)
    assert drive.state is State.QUICK_STOP_ACTIVE


@pytest.mark.parametrize(
    ("word", "parameter", "end"),
    [
        (0x06, "shutdown_option", State.READY_TO_SWITCH_ON),
        (0x07, "disable_operation_option", State.SWITCHED_ON),
    ],
)
def test_605b_and_605c_slow_down_before_they_let_go(word: int, parameter: str, end: State):
    drive, rod = moving(0.2)
    setattr(drive.parameters, parameter, 1)
    drive.write_controlword(word)
    run(drive, 0.1)
    assert drive.state is State.OPERATION_ENABLED
    assert rod.v_m_s == pytest.approx(0.1, abs=0.03)
    run(drive, 0.5)
    assert drive.state is end
    drive, rod = moving(0.2)
    setattr(drive.parameters, parameter, 0)
    drive.write_controlword(word)
    assert drive.state is end
    assert not rod.powered


@pytest.mark.parametrize(("option", "deceleration"), [(1, 0.5), (2, 2.0), (3, 8.0)])
def test_halt_stops_on_the_ramp_of_605d_and_stays_enabled(option: int, deceleration: float):
    drive, rod = moving(0.2)
    drive.parameters.halt_option = option
    drive.parameters.profile_deceleration = 500_000
    drive.parameters.quick_stop_deceleration = 2_000_000
    drive.write_controlword(0x10F)
    run(drive, 0.5 * 0.2 / deceleration)
    assert rod.v_m_s == pytest.approx(0.1, abs=0.04)
    run(drive, 1.0)
    assert abs(rod.v_m_s) < 1e-5
    assert drive.state is State.OPERATION_ENABLED
    drive.write_controlword(0x0F)
    run(drive, 0.3)
    assert rod.v_m_s == pytest.approx(0.2, rel=0.01)


# -- faults --------------------


@pytest.mark.parametrize(("option", "deceleration"), [(1, 0.5), (2, 2.0), (3, 8.0)])
def test_fault_reaction_ramps_as_605e_says(option: int, deceleration: float):
    drive, rod = moving(0.2)
    drive.parameters.fault_reaction_option = option
    drive.parameters.profile_deceleration = 500_000
    drive.parameters.quick_stop_deceleration = 2_000_000
    drive.trip(0xFF00)
    assert drive.statusword & 0x4F == 0x0F
    run(drive, 0.5 * 0.2 / deceleration)
    assert rod.v_m_s == pytest.approx(0.1, abs=0.04)
    run(drive, 1.0)
    assert drive.statusword & 0x4F == 0x08
    assert not rod.powered
    assert drive.transitions[-2:] == [13, 14]


def test_fault_reaction_0_lets_go_at_once():
    drive, rod = moving(0.2)
    drive.parameters.fault_reaction_option = 0
    drive.trip(0xFF00)
    assert drive.state is State.FAULT
    assert not rod.powered


def test_a_fault_is_reset_by_the_rising_edge_of_bit_7_alone():
    drive, _ = make_drive()
    drive.write_controlword(0x80)
    drive.trip(0xFF00)
    drive.write_controlword(0x80)  # no edge: the bit was set before
    assert drive.state is State.FAULT
    drive.write_controlword(0x0F)
    assert drive.state is State.FAULT
    drive.write_controlword(0x80)
    assert drive.state is State.SWITCH_ON_DISABLED
    assert drive.error_code == 0
    codes = [emergency.code for emergency in drive.take_emergencies()]
    assert codes == [0xFF00, 0x0000]


def test_a_reset_together_with_enable_does_not_enable():
    drive, _ = make_drive()
    drive.trip(0xFF00)
    drive.write_controlword(0x8F)
    assert drive.state is State.SWITCH_ON_DISABLED
    drive.write_controlword(0x0F)
    assert drive.state is State.SWITCH_ON_DISABLED


@pytest.mark.parametrize(
    ("option", "state"),
    [
        (0, State.OPERATION_ENABLED),
        (1, State.FAULT_REACTION_ACTIVE),
        (2, State.SWITCH_ON_DISABLED),
        (3, State.QUICK_STOP_ACTIVE),
    ],
)
def test_a_lost_connection_acts_as_6007_says(option: int, state: State):
    drive, _ = moving()
    drive.parameters.abort_connection_option = option
    drive.abort_connection(0x8130, 0x11)
    assert drive.state is state
    assert [e.code for e in drive.take_emergencies()] == [0x8130]


# -- interlock --------------------


def test_an_open_interlock_takes_the_power_and_keeps_it():
    drive, rod = moving()
    drive.set_interlock(False)
    assert drive.state is State.SWITCH_ON_DISABLED
    assert not rod.powered
    assert drive.digital_inputs & 8 == 0
    assert drive.statusword & 0x10 == 0
    for word in (0x06, 0x07, 0x0F):
        drive.write_controlword(word)
    assert drive.state is State.SWITCH_ON_DISABLED
    drive.set_interlock(True)
    run(drive, 0.5)
    assert drive.state is State.SWITCH_ON_DISABLED  # nothing starts by itself
    assert drive.digital_inputs & 8 == 8
    drive.write_controlword(0x06)
    assert drive.state is State.READY_TO_SWITCH_ON


def test_an_open_interlock_ends_a_fault_reaction():
    drive, rod = moving()
    drive.trip(0xFF00)
    drive.set_interlock(False)
    assert drive.state is State.FAULT
    assert not rod.powered


# -- any sequence --------------------

_ACTIONS = st.one_of(
    st.tuples(st.just("word"), st.sampled_from((0x00, 0x02, 0x06, 0x07, 0x0F, 0x1F, 0x80, 0x10F))),
    st.tuples(st.just("mode"), st.sampled_from((0, 1, 3, 6, 7, 8, 9, -5))),
    st.tuples(st.just("target"), st.integers(-(2**31), 2**31 - 1)),
    st.tuples(st.just("speed"), st.integers(-(2**31), 2**31 - 1)),
    st.tuples(st.just("offset"), st.integers(-(2**31), 2**31 - 1)),
    st.tuples(st.just("interlock"), st.booleans()),
    st.tuples(st.just("trip"), st.just(0xFF00)),
    st.tuples(st.just("lost"), st.integers(0, 3)),
    st.tuples(st.just("run"), st.integers(1, 40)),
)


def act(drive: EmulatedDrive, name: str, value: int) -> None:
    if name == "word":
        drive.write_controlword(value)
    elif name == "mode":
        drive.write_mode(value)
    elif name == "target":
        drive.write_target(value)
    elif name == "speed":
        drive.write_target_velocity(value)
    elif name == "offset":
        drive.write_velocity_offset(value)
    elif name == "interlock":
        drive.set_interlock(bool(value))
    elif name == "trip":
        drive.trip(value)
    elif name == "lost":
        drive.parameters.abort_connection_option = value
        drive.abort_connection(0x8130, 0x11)
    else:
        run(drive, value * 1e-3)


@given(st.lists(_ACTIONS, max_size=40))
def test_whatever_is_written_the_rod_stays_in_its_limits(actions: list[tuple[str, int]]):
    drive, rod = make_drive(start_m=0.3)
    for name, value in actions:
        before = drive.state
        act(drive, name, value)
        assert 0.0 <= rod.x_m <= rod.settings.stroke_m
        assert abs(rod.v_m_s) <= 1.05 * rod.settings.speed_max_m_s
        assert abs(rod.force_n) <= rod.settings.force_max_n
        assert rod.powered == (drive.state in drive402.POWERED)
        assert not (rod.powered and not drive.interlock_closed)
        if before is State.FAULT and drive.state is not State.FAULT:
            assert (name, value) == ("word", 0x80)
        assert -(2**31) <= drive.position_counts < 2**31
        assert 0 <= drive.statusword <= 0xFFFF

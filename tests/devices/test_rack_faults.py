"""Every fault kind really does what it says, and ends; scripts and lines are read strictly."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from virtual_master import CSP, VirtualMaster

from sim.devices.can.program import status_text
from sim.devices.can.rack import CanRack
from sim.devices.can.rack_faults import Spoil
from sim.devices.drive.cia402 import State
from sim.devices.drive.parameters import RackSettings
from sim.devices.fault_board import FaultBoard
from sim.devices.fault_console import FaultConsole, describe
from sim.devices.fault_text import FaultError
from sim.devices.faults import (
    KINDS,
    Injection,
    injection_from,
    parse_script,
    parse_words,
)


def enabled() -> tuple[VirtualMaster, list[int]]:
    m = VirtualMaster()
    m.configure()
    m.enable()
    return m, [node.drive.position_counts for node in m.rack.nodes]


def start(m: VirtualMaster, kind: str, node: int = 0, **more: float) -> None:
    m.rack.faults.start(Injection(kind, node, **more), m.now_s)


def end(m: VirtualMaster, kind: str) -> None:
    assert m.rack.faults.clear(m.now_s, kind) == 1


def answering(m: VirtualMaster, here: list[int]) -> set[int]:
    return set(m.cycle(0x0F, CSP, here))


ALL = {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize("kind", ["drop", "mute"])
def test_drop_and_mute_take_the_tpdos_of_one_drive(kind: str):
    m, here = enabled()
    start(m, kind, 3)
    assert answering(m, here) == ALL - {3}
    end(m, kind)
    assert answering(m, here) == ALL


def test_drop_with_a_probability_drops_so_many():
    m, here = enabled()
    start(m, "drop", 3, value=0.2)
    lost = sum(3 not in answering(m, here) for _ in range(500))
    assert 60 < lost < 140


def test_mute_takes_the_heartbeat_too_and_leaves_the_sdo():
    m, _ = enabled()
    m.write(3, 0x1017, 0, "H", 10)
    start(m, "mute", 3)
    m.seen.clear()
    m.wait(0.1)
    assert 0x703 not in [i for i, _ in m.seen]
    assert m.read(3, 0x1000, 0, "I") == 0x00020192


def test_delay_makes_frames_late():
    m, here = enabled()
    start(m, "delay", 2, value=0.006)
    assert answering(m, here) == ALL - {2}
    assert [i for i, _ in m.wait(0.004)] == [0x182]


def test_stuck_repeats_the_position_of_a_moving_drive():
    m, here = enabled()
    start(m, "stuck", 4)
    seen: list[dict[int, tuple[int, int, int]]] = []
    for k in range(100):
        seen.append(m.cycle(0x0F, CSP, [x + 200 * k for x in here]))
    assert len({status[4][2] for status in seen}) == 1
    assert len({status[5][2] for status in seen}) > 50
    end(m, "stuck")
    m.cycle(0x0F, CSP, here)
    assert m.cycle(0x0F, CSP, here)[4][2] != seen[0][4][2]


def test_jump_moves_the_count_and_not_the_rod():
    m, here = enabled()
    x_m = m.rack.rods[0].x_m
    start(m, "jump", 1, value=0.05)
    m.rack.advance(m.now_s)
    assert m.rack.nodes[0].drive.position_counts == pytest.approx(here[0] + 50_000, abs=2)
    assert m.rack.rods[0].x_m == pytest.approx(x_m, abs=1e-4)
    end(m, "jump")
    assert m.rack.nodes[0].drive.position_counts == pytest.approx(here[0], abs=2)


def test_scale_counts_too_much_from_here_on():
    m, here = enabled()
    start(m, "scale", 1, value=2.0)
    x_m = m.rack.rods[0].x_m
    for k in range(200):
        m.cycle(0x0F, CSP, [x + 100 * k for x in here])
    m.cycles(50, 0x0F, CSP, [x + 100 * 199 for x in here])
    assert m.rack.rods[0].x_m - x_m == pytest.approx(0.5 * 199e-4, abs=1e-4)


def test_absent_is_silent_from_the_start_and_boots_at_its_end():
    fresh = CanRack(RackSettings(), seed=1)
    fresh.faults.start(Injection("absent", 5, duration_s=1.0), 0.0)
    fresh.advance(0.0)
    assert [i for i, _ in fresh.transmit(0.5)] == [0x701, 0x702, 0x703, 0x704, 0x706]
    fresh.receive((0x605, bytes.fromhex("4000100000000000")), 0.5)
    assert fresh.transmit(0.6) == []
    assert fresh.transmit(1.2) == [(0x705, b"\x00")]


def test_reboot_loses_state_home_and_parameters():
    m, here = enabled()
    drive = m.rack.nodes[1].drive
    drive.homed = True
    start(m, "reboot", 2)
    m.seen.clear()
    m.wait(0.06)
    assert (0x702, b"\x00") in m.seen
    assert (drive.state, drive.homed) == (State.SWITCH_ON_DISABLED, False)
    assert drive.position_counts != here[1]
    assert m.rack.nodes[1].state.value == 127
    assert not m.rack.rods[1].powered


def test_emcy_trips_with_its_code_and_comes_back_after_a_reset():
    m, here = enabled()
    start(m, "emcy", 6, value=0x4210, duration_s=1.0)
    m.seen.clear()
    m.cycles(20, 0x0F, CSP, here)
    assert [d for i, d in m.seen if i == 0x086] == [struct.pack("<HB5x", 0x4210, 0x21)]
    assert m.rack.nodes[5].drive.state is State.FAULT
    m.cycles(2, 0x80, CSP, here)
    m.cycles(2, 0x00, CSP, here)
    assert m.rack.nodes[5].drive.error_code == 0x4210
    m.wait(1.0)
    m.cycles(2, 0x00, CSP, here)
    m.cycles(2, 0x80, CSP, here)
    assert m.rack.nodes[5].drive.error_code == 0


def test_state_drop_leaves_operation_enabled_with_0250():
    m, here = enabled()
    start(m, "state_drop", 2)
    status = m.cycles(3, 0x0F, CSP, here)
    assert status[2][0] & ~0x1400 == 0x0250
    assert status[3][0] & 0x6F == 0x27
    assert not m.rack.rods[1].powered


def test_wrong_node_answers_as_another():
    m, here = enabled()
    start(m, "wrong_node", 2, value=100)
    m.seen.clear()
    m.cycle(0x0F, CSP, here)
    assert sorted(i for i, _ in m.seen) == [0x181, 0x183, 0x184, 0x185, 0x186, 0x180 + 100]


def test_estop_opens_the_interlock_of_one_drive():
    m, here = enabled()
    start(m, "estop", 3, duration_s=0.1)
    status = m.cycles(3, 0x0F, CSP, here)
    assert status[3][0] & 0x5F == 0x40  # switch on disabled, no voltage
    assert m.rack.nodes[2].drive.digital_inputs & 8 == 0
    m.cycles(40, 0x0F, CSP, here)
    assert m.rack.nodes[2].drive.digital_inputs & 8 == 8
    assert m.rack.nodes[2].drive.state is State.SWITCH_ON_DISABLED


def test_lag_trips_on_following_error():
    m, here = enabled()
    start(m, "lag", 1, value=0.5)
    for k in range(200):
        m.cycle(0x0F, CSP, [x + 800 * k for x in here])
    assert m.rack.nodes[0].drive.error_code == 0x8611
    assert m.rack.nodes[1].drive.error_code == 0


def test_bus_off_lets_no_frame_pass_and_shows_in_the_flags():
    m, here = enabled()
    start(m, "bus_off", duration_s=0.1)
    m.wait(0.002)
    assert m.rack.faults.flags == 0xA4
    assert not m.send(0x080)
    assert answering(m, here) == set()
    m.wait(0.1)
    assert m.rack.faults.flags == 0
    assert answering(m, here) == ALL


def test_error_passive_shows_in_the_flags_only():
    m, here = enabled()
    start(m, "error_passive")
    assert m.rack.faults.flags == 0x24
    assert answering(m, here) == ALL


def test_a_second_master_is_heard_by_both_sides():
    m, _ = enabled()
    m.seen.clear()
    start(m, "second_master", value=0.01)
    m.wait(0.1)
    ids = [i for i, _ in m.seen]
    assert 9 <= ids.count(0x080) <= 11
    assert ids.count(0x77F) == ids.count(0x080)
    assert ids.count(0x181) == ids.count(0x080)  # the drives answer the foreign SYNC


def test_a_drive_that_is_not_watched_goes_on_without_a_master():
    m = VirtualMaster()
    m.configure(rpdo_timeout_ms=20)
    m.enable()
    start(m, "unwatched", 2)
    m.wait(0.2)
    working = {
        number
        for number, node in enumerate(m.rack.nodes, 1)
        if node.drive.state is State.OPERATION_ENABLED
    }
    assert working == {2}


@pytest.mark.parametrize("kind", ["garble", "truncate"])
def test_spoilt_lines_are_marked_for_the_adapter_and_not_for_the_thread(kind: str):
    m, here = enabled()
    start(m, kind, 2)
    assert answering(m, here) == ALL - {2}
    m.send(0x080)
    items = m.rack.take(m.now_s + 0.004)
    assert [spoil for _, can_id, _, spoil in items if can_id == 0x182] == [Spoil(kind)]


def test_unplug_and_stall_are_told_to_the_wire():
    m = VirtualMaster()
    start(m, "unplug", duration_s=0.1)
    start(m, "stall", duration_s=0.2)
    assert (m.rack.faults.unplugged, m.rack.faults.stalled) == (True, True)
    m.wait(0.15)
    assert (m.rack.faults.unplugged, m.rack.faults.stalled) == (False, True)
    m.wait(0.1)
    assert not m.rack.faults.stalled


def test_faults_of_random_kind_repeat_with_the_seed():
    def run() -> list[set[int]]:
        m, here = enabled()
        start(m, "drop", 0, value=0.3)
        return [answering(m, here) for _ in range(30)]

    assert run() == run()


def test_every_kind_has_a_test_here():
    with open(__file__) as file:
        text = file.read()
    assert all(f'"{kind}"' in text for kind in KINDS)


# -- what can be written --------------------


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("dorp node=3", "drop, delay"),
        ("drop node=7", "1 to 6"),
        ("drop node=1.5", "a drive"),
        ("drop value=2", "probability, 0 to 1"),
        ("drop value=nan", "probability"),
        ("drop value=x", "a number"),
        ("drop 3", "key=value"),
        ("drop node=1 node=2", "twice"),
        ("drop colour=3", "the keys are"),
        ("drop duration_s=0", "above 0 s"),
        ("drop at_s=-1", ">= 0 s"),
        ("stuck value=1", "leave it out"),
        ("reboot duration_s=1", "leave duration_s out"),
        ("bus_off node=1", "leave it out"),
        ("emcy value=0", "error code, 1 to 65535"),
        ("drop kind=mute", "key=value"),
        ("clear everything", "write clear"),
        ("clear node=9", "1 to 6"),
    ],
)
def test_a_wrong_line_says_what_would_be_right(line: str, right: str):
    m = VirtualMaster()
    answer = FaultConsole(m.rack.faults.board, str).execute(line, 0.0)
    assert answer.startswith("error: ")
    assert right in answer
    assert m.rack.faults.board.active == ()


def test_the_console_lists_clears_and_tells():
    m = VirtualMaster()
    console = FaultConsole(m.rack.faults.board, lambda: status_text(m.rack))
    assert console.execute("drop node=3 value=0.1 duration_s=2", m.now_s) == (
        "ok: drop node=3 value=0.1 duration_s=2"
    )
    console.execute("emcy node=1 value=0x4210 at_s=5", m.now_s)
    assert console.execute("list", m.now_s).splitlines() == [
        "on: drop node=3 value=0.1 duration_s=2",
        "in 5.000 s: emcy node=1 value=16912 at_s=5",
    ]
    assert console.execute("clear drop node=2", m.now_s) == "ok: 0 cleared"
    assert console.execute("clear", m.now_s) == "ok: 2 cleared"
    assert console.execute("list", m.now_s) == "no faults"
    assert console.execute("   ", m.now_s) == ""
    assert all(kind in console.execute("help", m.now_s) for kind in KINDS)
    status = console.execute("status", m.now_s).splitlines()
    assert len(status) == 6
    assert "drive 2 (node 2): PRE_OPERATIONAL, SWITCH_ON_DISABLED" in status[1]


def test_a_script_is_read():
    script = """
    [[fault]]
    kind = "drop"
    node = 3
    at_s = 5.0
    duration_s = 2
    value = 0.1
    [[fault]]
    kind = "reboot"
    """
    assert parse_script(script) == (
        Injection("drop", 3, 0.1, 5.0, 2),
        Injection("reboot"),
    )


@pytest.mark.parametrize(
    ("script", "right"),
    [
        ("[[fault]\n", "not valid TOML"),
        ("[[faults]]\nkind='drop'", r"\[\[fault\]\] tables"),
        ("fault = [1]", "fault 1: 1 is no table"),
        ("fault = 3", "tables"),
        ("[[fault]]\nkind='drop'\n[[fault]]\nnode=1", "fault 2: kind"),
        ("[[fault]]\nkind='drop'\nnode=true", "fault 1: drop: node"),
        ("[[fault]]\nkind='drop'\nvalue='much'", "a number"),
        ("[[fault]]\nkind='drop'\nvalue=inf", "probability"),
    ],
)
def test_a_wrong_script_says_where_and_what(script: str, right: str):
    with pytest.raises(FaultError, match=right):
        parse_script(script)


_INJECTIONS = st.builds(
    lambda kind, node, at_s, duration: Injection(
        kind,
        0 if KINDS[kind].whole_bus else node,
        None,
        at_s,
        None if KINDS[kind].momentary else duration,
    ),
    st.sampled_from(sorted(KINDS)),
    st.integers(0, 6),
    st.integers(0, 50).map(float),
    st.none() | st.integers(1, 50).map(float),
)


@given(_INJECTIONS)
def test_a_described_fault_can_be_typed_again(injection: Injection):
    again = parse_words(describe(injection).split())
    assert (again.kind, again.node, again.at_s) == (injection.kind, injection.node, injection.at_s)
    assert again.duration_s == injection.duration_s
    assert again.strength == pytest.approx(injection.strength)


@given(
    st.dictionaries(
        st.sampled_from(("kind", "node", "value", "at_s", "x")),
        st.one_of(st.text(max_size=5), st.integers(), st.floats(), st.booleans(), st.none()),
    )
)
def test_any_table_is_a_fault_or_a_fault_error(table: dict[str, object]):
    try:
        injection = injection_from(table)
    except FaultError:
        return
    assert injection.kind in KINDS
    assert math.isfinite(injection.strength)


@given(st.lists(_INJECTIONS, max_size=8), st.lists(st.floats(0.0, 30.0), max_size=10))
def test_each_fault_begins_and_ends_once_and_in_order(
    injections: list[Injection], steps: list[float]
):
    log: list[tuple[str, str, int, float]] = []
    board = FaultBoard(
        lambda kind, k, _, t: log.append(("begin", kind, k, t)),
        lambda kind, k, _, t: log.append(("end", kind, k, t)),
    )
    for injection in injections:
        board.start(injection, 0.0)
    now_s = 0.0
    for step in steps:
        now_s += step
        board.advance(now_s)
    board.advance(200.0)
    board.clear(200.0)
    assert [t for *_, t in log] == sorted(t for *_, t in log)
    lasting = [i for i in injections if not KINDS[i.kind].momentary]
    assert sum(what == "begin" for what, *_ in log) == sum(len(i.drives) for i in injections)
    assert sum(what == "end" for what, *_ in log) == sum(len(i.drives) for i in lasting)
    assert board.active == ()
    assert board.due_s() is None

"""The bank on emulated racks of the types on the market, each by its shipped drive file.

What the racks have, lack and count in stands in `sim.devices.maker_types`, by the makers' rows;
the drive files were written without them. So an agreement here is one of two readings.
"""

from dataclasses import replace

import pytest
from canopen_bench import ENABLED, SETTINGS, bench, enabled, six

from drives.bank import DriveSetupError, LegCommand
from drives.known_place import KnownPlace
from drives.scaling import LegScale
from hil.machines.drive_file import canopen_type, read_drive_table
from sim.devices.drive_parameters import default_nodes
from sim.devices.drive_type import SCREW_LEAD_M
from sim.devices.maker_types import TYPES

COUNTS_PER_M = {"cl4": 3600 / SCREW_LEAD_M}
"""Where it is not the million increments of the emulated encoder."""
IP_ONLY = ("ipos",)
ABSOLUTE = ("prl120",)
"""Types that cannot home."""


def shipped(name):
    table, path = read_drive_table(name, "canopen", beside=None)
    return canopen_type(table, str(path))


def rack_of(
    name, type_=None, *, make=bench, scale_told=True, emulated=None, spread_m=0.002, **changes
):
    """A bank set up by a drive file, on a rack of a type."""
    kind = TYPES[name] if emulated is None else emulated
    settings = replace(
        SETTINGS,
        type=shipped(name) if type_ is None else type_,
        mode=7 if name in IP_ONLY else 8,
        way_per_turn_m=six(SCREW_LEAD_M),
        scale_told=scale_told,
        **changes,
    )
    per_m = COUNTS_PER_M.get(name, 1e6)
    scales = tuple(LegScale(per_m, 1, 0.7 + 0.01 * leg) for leg in range(6))
    nodes = tuple(replace(node, type=kind) for node in default_nodes())
    if name not in ABSOLUTE:
        return make(settings, scales=scales, nodes=nodes, start_spread_m=spread_m)
    lengths_m = tuple(scale.reference_length_m for scale in scales)
    who = tuple(f"vendor 0, product 1026, serial {1001 + leg}" for leg in range(6))
    return make(
        replace(settings, absolute=True),
        scales=scales,
        nodes=tuple(replace(node, absolute_zero_m=node.rod.reference_m) for node in nodes),
        start_spread_m=min(spread_m, 5e-4),
        place=KnownPlace(lengths_m, 0.005, "where it was left", who),
    )


@pytest.mark.parametrize("name", TYPES)
def test_each_type_homes_follows_and_tells_speeds_in_si(name):
    made, report, feedback = rack_of(name, make=enabled)
    start_m = feedback.length_m
    parked_m = 5e-3 if name in ABSOLUTE else 1e-3
    assert start_m == pytest.approx([0.7 + 0.01 * leg for leg in range(6)], abs=parked_m)
    speeds = []
    for cycle in range(1, 101):
        lengths = tuple(at_m + 0.05 * cycle * 0.004 for at_m in start_m)
        feedback = made.bank.exchange(LegCommand(lengths, (0.05,) * 6))
        speeds.append(feedback.speed_m_s[0])
        assert feedback.state == ENABLED, feedback
    assert feedback.fault_code == (0,) * 6
    assert feedback.length_m[0] - start_m[0] == pytest.approx(0.02, abs=1e-3)
    assert speeds[-1] == pytest.approx(0.05, rel=0.1)
    assert "stops by itself by" in report.axes[0]
    made.bank.close()


WATCHDOGS = {
    "hil_emulated": "setpoints 1400h:5 50 ms and heartbeat 1016h 50 ms",
    "epos4": "heartbeat 1016h 50 ms",
    "cl4": "heartbeat 1016h 50 ms",
    "ipos": "life guarding 100Ch 2 x 25 ms",
    "elmo_gold": "heartbeat 1016h 50 ms",
    "prl120": "heartbeat 1016h 50 ms",
}


@pytest.mark.parametrize("name", WATCHDOGS)
def test_all_watchdogs_of_a_type_are_used_and_told(name):
    _, report, _ = rack_of(name, make=enabled)
    assert all(f"stops by itself by {WATCHDOGS[name]}," in f"{axis}," for axis in report.axes)


@pytest.mark.parametrize("name", TYPES)
def test_each_type_stops_without_the_bench(name):
    made, _, feedback = rack_of(name, make=enabled)
    for cycle in range(1, 51):
        lengths = tuple(at_m + 0.05 * cycle * 0.004 for at_m in feedback.length_m)
        made.bank.exchange(LegCommand(lengths, (0.05,) * 6))
    assert {node.drive.state.name for node in made.rack.nodes} == {"OPERATION_ENABLED"}
    # Not one frame of the bench any more: 50 ms of watchdog, 9 ms of ramp at 6 m/s2.
    made.rack.advance(made.time.now + 0.025)
    assert {node.drive.state.name for node in made.rack.nodes} == {"OPERATION_ENABLED"}
    made.rack.advance(made.time.now + 0.07)
    assert "OPERATION_ENABLED" not in {node.drive.state.name for node in made.rack.nodes}
    assert max(abs(rod.v_m_s) for rod in made.rack.rods) < 1e-3


@pytest.mark.parametrize("name", ["epos4", "ipos", "prl120"])
def test_what_a_type_lacks_is_told_with_what_stands_in(name):
    line = rack_of(name).bank.configure().axes[0]
    lacking = {
        "epos4": ["halt option (605Dh:0): the drive's own"],
        "ipos": ["largest speed (607Fh:0): the gate's limit of speed"],
        "prl120": ["quick stop option (605Ah:0)", "digital inputs (60FDh:0): not read"],
    }
    for text in lacking[name]:
        assert text in line


def test_limits_of_the_gate_are_not_relied_on_unless_the_drive_file_says_so():
    undeclared = replace(shipped("prl120"), lacks=("60FDh",))
    with pytest.raises(DriveSetupError, match=r"leg 1 .*607Dh:1.* once a drive file says .*607Dh"):
        rack_of("prl120", undeclared).bank.configure()


def test_drives_that_nothing_would_stop_are_refused():
    deaf = replace(TYPES["epos4"], lacking=TYPES["epos4"].lacking | {0x1016})
    with pytest.raises(DriveSetupError, match=r"leg 1 .*nothing would stop it without the bench"):
        rack_of("epos4", emulated=deaf).bank.configure()

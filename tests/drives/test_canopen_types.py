"""The bank on emulated racks of the types on the market, each by its shipped drive file.

What the racks have, lack and count in stands in `sim.devices.drive.maker_types`, by the makers'
rows; the drive files were written without them. So an agreement here is one of two readings.
"""

from dataclasses import replace

import pytest
from canopen_bench import ENABLED, SETTINGS, bench, enabled, six
from eds_samples import SHIPPED, blocks, plain

from drives.axes.known_place import KnownPlace
from drives.axes.scaling import LegScale
from drives.bank import DriveSetupError
from drives.types.eds_file import read_eds
from hil.config.settings import ConfigError
from hil.machines.rig.drive_file import canopen_type, read_drive_table
from hil.stations.platform.commissioning.types import drive_file_text
from hil.stations.platform.drives.file_type import file_type, left_out
from hil.stations.platform.drives.rack_setup import type_of
from hil_common.legs import LegTarget
from sim.devices.drive.drive_type import SCREW_LEAD_M
from sim.devices.drive.maker_types import TYPES
from sim.devices.drive.parameters import default_nodes

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
        feedback = made.bank.exchange(LegTarget(lengths, (0.05,) * 6))
        speeds.append(feedback.speed_m_s[0])
        assert feedback.state == ENABLED, feedback
    assert feedback.fault_code == (0,) * 6
    assert feedback.length_m[0] - start_m[0] == pytest.approx(0.02, abs=1e-3)
    assert speeds[-1] == pytest.approx(0.05, rel=0.1)
    assert "stops by itself by" in report.axes[0]
    made.bank.close()


def follow(made, feedback):
    """Move all legs by 8 mm at 50 mm/s; returns how far each went."""
    start_m = feedback.length_m
    for cycle in range(1, 41):
        lengths = tuple(at_m + 0.05 * cycle * 0.004 for at_m in start_m)
        feedback = made.bank.exchange(LegTarget(lengths, (0.05,) * 6))
        assert feedback.state == ENABLED, feedback
    return [there - here for there, here in zip(feedback.length_m, start_m, strict=True)]


@pytest.mark.parametrize("way", ["instead", "also", "also, with speeds"])
def test_a_drive_that_takes_its_target_elsewhere_follows_by_its_drive_file(way):
    ours = shipped("hil_emulated")
    if way == "instead":
        emulated = replace(TYPES["hil_emulated"], lacking=TYPES["hil_emulated"].lacking | {0x607A})
        type_ = replace(ours, instead=(("607Ah:0", "60C1h:1"),))
    else:
        emulated, type_ = TYPES["hil_emulated"], replace(ours, target_also="60C1h:1")
    feed = way.endswith("speeds")
    made, _, feedback = rack_of(
        "hil_emulated", type_, make=enabled, emulated=emulated, speed_feed_forward=feed
    )
    assert follow(made, feedback) == pytest.approx([0.008] * 6, abs=1e-3)
    values = made.rack.nodes[0].store.values
    second = 0x1600 if way == "instead" else 0x1601
    place = {"instead": 3, "also": 1, "also, with speeds": 2}[way]
    assert values[second, place] == 0x60C1_0120
    assert values[0x1600, 3] == (0x60C1_0120 if way == "instead" else 0x607A_0020)
    made.bank.close()


TARGETS = '[objects]\ntarget_also = "607Ah"\ninstead = {"607Ah" = "60C1h:1"}'


def test_a_drive_file_is_played_as_a_rack(tmp_path):
    sheet = blocks(SHIPPED.read_text())
    for number in range(4):
        del sheet[f"140{number}sub5"]
        sheet[f"140{number}"]["SubNumber"] = "4"
    sheet["6066"] = dict(sheet["6066"], AccessType="const", DefaultValue="0")
    sheet["607F"] = dict(sheet["607F"], LowLimit="1", HighLimit="2000000000")
    path = tmp_path / "own.eds"
    path.write_text(plain(sheet))
    tables = read_eds(path)
    tables["units"] = {"speed": "0.5 counts/s", "acceleration": "0.25 counts/s2"}
    file = tmp_path / "own.toml"
    file.write_text(drive_file_text(tables))
    assert left_out(str(file)) == ()
    file.write_text(drive_file_text(tables).replace("[objects]", TARGETS))
    assert left_out(str(file)) == ()
    type_ = canopen_type(tables, str(file))
    played = file_type(str(file))
    made, report, feedback = rack_of("hil_emulated", type_, make=enabled, emulated=played)
    assert follow(made, feedback) == pytest.approx([0.008] * 6, abs=1e-3)
    assert "heartbeat 1016h 50 ms" in report.axes[0]
    assert "1400h:5 50 ms" not in report.axes[0]
    store = made.rack.nodes[0].store
    assert (0x1400, 5) not in store.table.entries
    assert store.table.entries[0x6066, 0].access == "ro"
    assert int.from_bytes(store.read(0x6085, 0), "little") == 24_000_000  # quarters of a count/s2
    made.bank.close()


@pytest.mark.parametrize(
    ("units", "homing", "why"),
    [
        ({"position": "mm"}, {}, "0.001 m"),
        ({}, {"methods": [33, 34]}, "it homes by the methods 33, 34; one of 17, 18, 19, 20, 21"),
    ],
)
def test_a_drive_file_that_cannot_be_played_says_why(tmp_path, units, homing, why):
    tables = read_eds(SHIPPED)
    tables |= {"units": units} if units else {}
    tables |= {"homing": homing} if homing else {}
    file = tmp_path / "own.toml"
    file.write_text(drive_file_text(tables))
    with pytest.raises(ConfigError, match="cannot be emulated") as caught:
        type_of(str(file), "canopen")
    assert why in str(caught.value) or "unit word" in str(caught.value)


def test_what_is_no_drive_file_of_canopen_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(ConfigError, match="--protocol canopen is needed"):
        type_of(str(tmp_path / "own.toml"), "modbus-tcp")
    with pytest.raises(ConfigError, match=r"hil drives import maker\.eds -o my_drive\.toml"):
        type_of("maker.eds", "canopen")
    assert any("instead" in line for line in left_out("epos4"))


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
        made.bank.exchange(LegTarget(lengths, (0.05,) * 6))
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

"""Drive files: what they may say, what is shipped, and what a rig makes of them."""

import dataclasses
import json

import pytest

from drives.types.drive_type import DriveType, drive_type_from, place_of
from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError, read_toml
from hil.machines.rig.drive_file import canopen_type, header_of, read_drive_table
from hil.machines.rig.drive_fit import fitted
from hil.machines.rig.machine import load_rig

SHIPPED = sorted((configs_dir() / "drives").glob("*.toml"))
CANOPEN = ("cl4", "elmo_gold", "epos4", "hil_emulated", "ipos", "prl120")
HEADER = {
    "name": "Drive",
    "maker": "Maker",
    "protocol": "canopen",
    "source": "a manual, page 7",
    "tried_on_metal": False,
}


def shipped(name):
    table, path = read_drive_table(name, "canopen", beside=None)
    return canopen_type(table, str(path))


def type_of(**tables):
    return canopen_type({"drive": HEADER, **tables}, "own.toml")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_file_says_where_it_comes_from_and_that_it_was_never_tried(path):
    header = header_of(read_toml(path), str(path))
    assert not header.tried_on_metal
    assert header.source


def test_all_types_are_shipped():
    names = {path.stem for path in SHIPPED if _protocol(path) == "canopen"}
    assert names == set(CANOPEN)


def _protocol(path):
    return header_of(read_toml(path), str(path)).protocol


ROWS = {
    # The table of public dictionaries: what is not there, by type.
    "epos4": ["1400h:5", "100Ch:0", "100Dh:0", "1006h:0", "1802h:5", "605Dh:0", "607Ch:0",
              "607Eh:0", "608Fh:1", "6091h:1", "6092h:1", "6096h:1", "60C0h:0", "60C6h:0",
              "6072h:0"],
    "cl4": ["1400h:5", "60AAh:0", "60C0h:0"],
    "ipos": ["1400h:5", "1016h:1", "1029h:1", "603Fh:0", "607Fh:0", "6084h:0", "608Fh:1",
             "6092h:1", "60A8h:0", "60A9h:0", "60AAh:0", "60B1h:0", "60C5h:0", "60E3h:0",
             "6072h:0"],
    "elmo_gold": ["1400h:5", "100Ch:0", "100Dh:0", "60A8h:0", "60A9h:0", "60AAh:0"],
    "prl120": ["1400h:5", "1006h:0", "1029h:1", "6007h:0", "603Fh:0", "605Ah:0", "605Eh:0",
               "6066h:0", "607Dh:1", "607Dh:2", "607Fh:0", "6084h:0", "6085h:0", "608Fh:1",
               "6098h:0", "6099h:1", "609Ah:0", "60A9h:0", "60FDh:0", "60C0h:0"],
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_shipped_type_lacks_what_its_public_dictionary_lacks(name):
    type_ = shipped(name)
    assert [place for place in ROWS[name] if type_.has(*place_of(place))] == []


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("epos4", ["1016h:1", "1017h:0", "1029h:1", "6065h:0", "607Dh:1", "60FDh:0", "60A9h:0"]),
        ("cl4", ["1016h:1", "100Ch:0", "100Dh:0", "1802h:5", "608Fh:1", "607Eh:0", "60FDh:0"]),
        ("ipos", ["100Ch:0", "100Dh:0", "1017h:0", "1802h:5", "6065h:0", "6066h:0", "6085h:0"]),
        ("elmo_gold", ["1016h:1", "6065h:0", "608Fh:1", "6096h:1", "60C5h:0", "60FDh:0"]),
        ("prl120", ["1016h:1", "100Ch:0", "100Dh:0", "1802h:5", "6065h:0", "607Ch:0"]),
    ],
)
def test_a_shipped_type_has_what_its_public_dictionary_has(name, places):
    type_ = shipped(name)
    assert [place for place in places if not type_.has(*place_of(place))] == []


def test_what_a_type_calls_otherwise_limits_and_fixes():
    epos4 = shipped("epos4")
    assert epos4.place(0x607C, 0) == (0x30B1, 0)
    assert epos4.place(0x6065, 0) == (0x6065, 0)
    assert epos4.range_of(0x6066, 0) == (0, 0)
    assert epos4.range_of(0x607F, 0) == (1, 50_000)
    assert epos4.range_of(0x6065, 0) is None


@pytest.mark.parametrize("name", CANOPEN)
def test_a_type_travels_as_json(name):
    type_ = shipped(name)
    assert drive_type_from(json.loads(json.dumps(dataclasses.asdict(type_)))) == type_


def test_every_table_of_a_file_reaches_the_type():
    type_ = type_of(
        objects={
            "lacks": ["100Ch", "1802h:5"],
            "instead": {"607Ch": "30B1h:0"},
            "ranges": {"6099h:1": [1, 9]},
            "modes": [6, 8],
        },
        units={"position": "0.1 deg", "speed": "0.001 rpm", "acceleration": "rpm/s", "feed": "mm"},
        homing={"methods": [35, -3]},
        inputs={"object": "3141h:1", "kind": "u16", "home": 4, "interlock": 7},
        habits={
            "boot_timeout_s": 30.0, "remote_bit": False, "follows_bit": False,
            "interpolation_cycles": 5,
        },
        timers=[{"name": "SYNC", "object": "1006h", "kind": "u32", "unit_s": 1e-6, "times": 3}],
        readings=[{"name": "motor", "object": "3201h:1", "kind": "i16", "factor": 0.1,
                   "unit": "degC", "warn_above": 90.0}],
        fault_exit=[{"object": "4000h", "kind": "u8", "value": 1}],
        stamp={"object": "2041h", "kind": "u32", "tick_s": 1e-6},
    )  # fmt: skip
    assert not type_.has(0x100C, 0)
    assert not type_.has(0x1802, 5)
    assert type_.has(0x1802, 1)
    assert type_.range_of(0x6099, 1) == (1, 9)
    assert type_.inputs.standard(0b1001_0000) == 0b1100
    assert type_.inputs.data_bytes == 2
    assert (type_.timers[0].object, type_.timers[0].times) == ("1006h:0", 3)
    assert type_.readings[0].warn_above == 90.0
    assert (type_.stamp.tick_s, type_.fault_exit[0].value) == (1e-6, 1)
    assert (type_.boot_timeout_s, type_.remote_bit) == (30.0, False)
    assert (type_.homing_methods, type_.modes) == ((35, -3), (6, 8))
    assert (type_.feed_unit, type_.interpolation_cycles) == ("mm", 5)


@pytest.mark.parametrize(
    ("tables", "text"),
    [
        ({"objects": {"lack": ["607Dh"]}}, r"own.toml: objects.lack = .*did you mean lacks"),
        ({"objects": {"lacks": ["607D"]}}, r"objects.lacks"),
        ({"objects": {"lacks": ["607Dh:999"]}}, r"'607Dh:999' is no place"),
        ({"objects": {"ranges": {"607Fh": [9, 1]}}}, r"range of 607Fh:0: 9 is above 1"),
        ({"units": {"speed": "furlongs"}}, r"'furlongs' is no unit here: .*rpm"),
        ({"units": {"speed": "rpm/s"}}, r"'rpm/s' is no unit here"),
        ({"units": {"acceleration": "0 rpm/s"}}, r"'0 rpm/s' is no unit here"),
        ({"units": {"position": "nan deg"}}, r"'nan deg' is no unit here"),
        ({"habits": {"boot_timeout_s": 61.0}}, r"habits.boot_timeout_s = 61.0"),
        ({"timers": [{"name": "x", "object": "1006h", "kind": "u64", "unit_s": 1.0}]}, r"kind"),
        ({"objects": {"lacks": "607Dh"}}, r"objects.lacks"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(tables, text):
    with pytest.raises(ConfigError, match=text):
        type_of(**tables)


def test_a_file_without_a_header_and_one_of_another_protocol_are_called_so():
    with pytest.raises(ConfigError, match=r"x.toml: is no drive file: it has no table \[drive\]"):
        header_of({"objects": {}}, "x.toml")
    with pytest.raises(ConfigError, match=r"HIL emulated rack speaks modbus, .* url is canopen"):
        read_drive_table("hil_rack", "canopen", beside=None)
    with pytest.raises(ConfigError, match=r"no such file .*configs/drives/epos5"):
        read_drive_table("epos5", "canopen", beside=None)


PAPER = configs_dir() / "rigs" / "paper.toml"
WIRE = "slcan:socket://127.0.0.1:1"


def rig_with(type_, **drives):
    rig = load_rig(PAPER)
    return rig.model_copy(
        update={"drives": rig.drives.model_copy(update={"type": type_, **drives})}
    )


def test_the_gate_is_tighter_where_the_drives_have_no_limits_of_their_own():
    rig = rig_with("prl120", homing="absolute")
    rig = rig.model_copy(
        update={"supervision": rig.supervision.model_copy(update={"estop_fitted": False})}
    )
    tight = fitted(rig, PAPER, WIRE)
    assert tight.limits.soft_margin_m == pytest.approx(rig.limits.soft_margin_m + 0.002)
    assert tight.supervision == rig.supervision  # it has a window (6065h) of its own
    own = rig_with("epos4", homing_method=27)
    assert fitted(own, PAPER, WIRE) == own
    assert fitted(rig, PAPER, "sim:") == rig


def test_homing_by_switch_is_refused_by_name_on_a_type_that_cannot_home():
    with pytest.raises(ConfigError, match=r'homing = "switch": Schunk PRL 120 cannot home.*"abs'):
        fitted(rig_with("prl120"), PAPER, WIRE)


def test_an_emergency_stop_that_the_drives_cannot_read_is_refused():
    rig = rig_with("prl120")
    watch = rig.supervision.model_copy(update={"estop_fitted": True})
    with pytest.raises(ConfigError, match=r"estop_fitted = true: Schunk PRL 120 .*60FDh:0"):
        fitted(rig.model_copy(update={"supervision": watch}), PAPER, WIRE)


def test_speeds_cannot_be_sent_to_drives_that_take_none():
    rig = rig_with("ipos")
    canopen = rig.drives.canopen.model_copy(update={"speed_feed_forward": True})
    with pytest.raises(ConfigError, match=r"speed_feed_forward = true: Technosoft iPOS .*60B1h"):
        fitted(rig_with("ipos", canopen=canopen), PAPER, WIRE)


def test_a_mode_that_the_drives_do_not_know_is_refused_with_the_right_one():
    with pytest.raises(ConfigError, match=r"drives.mode = 'csp': Technosoft iPOS .* \['ip'\]"):
        fitted(rig_with("ipos"), PAPER, WIRE)
    assert fitted(rig_with("ipos", mode="ip"), PAPER, WIRE).drives.mode == "ip"


def test_soft_limits_move_in_for_drives_that_have_none_of_their_own():
    prl120 = rig_with("prl120", homing="absolute")
    assert fitted(prl120, PAPER, WIRE).limits.soft_margin_m > 0.005
    assert fitted(rig_with("ipos", mode="ip"), PAPER, WIRE).limits.soft_margin_m == 0.005


def test_a_homing_method_that_the_drives_do_not_know_is_refused_with_those_they_know():
    text = (
        r"homing_method = 21: maxon EPOS4 does not know it.* 1, 2, 7, 11, 17, 18, 23, 27, 33, 34 "
    )
    with pytest.raises(ConfigError, match=text):
        fitted(rig_with("epos4"), PAPER, WIRE)
    assert fitted(rig_with("epos4", homing="absolute"), PAPER, WIRE)
    assert fitted(rig_with("cl4"), PAPER, WIRE), "nobody says which methods it knows"


def test_the_register_map_of_old_is_told_by_its_new_name():
    with pytest.raises(ConfigError, match=r"modbus.map is now type, beside url"):
        type(load_rig(PAPER)).build(
            read_toml(PAPER) | {"drives": {"modbus": {"map": "x"}}}, "rig.toml"
        )


def test_without_a_file_a_drive_is_that_of_the_standards():
    assert DriveType().has(0x6065, 0)
    assert DriveType().place(0x607C, 0) == (0x607C, 0)

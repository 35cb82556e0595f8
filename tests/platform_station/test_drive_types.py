"""``hil drives import`` and ``check-type``: from a data sheet to a type, and what is made of it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from drives.bank import DriveModelError
from drives.types.eds_file import read_eds
from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.config.settings import read_toml
from hil.machines.rig.drive_file import canopen_type

runner = CliRunner()
OUR_SHEET = configs_dir() / "eds" / "hil_emulated_drive.eds"
FOREIGN_SERVO = Path(__file__).parents[1] / "foreign" / "foreign_servo.toml"
TYPES = ("cl4", "elmo_gold", "epos4", "hil_emulated", "ipos", "prl120")


def hil(*arguments):
    return runner.invoke(app, ["drives", *arguments])


def checked(name, *arguments):
    result = hil("check-type", name, "--json", *arguments)
    return result.exit_code, json.loads(result.stdout)


def rows(told):
    return {(need["place"], need["meaning"]): need for need in told["needs"]}


@pytest.mark.parametrize("name", TYPES)
def test_each_shipped_type_is_accepted_with_what_stands_in(name):
    code, told = checked(name)
    assert (code, told["ok"]) == (0, True)
    assert told["drive"]["tried_on_metal"] is False
    for need in told["needs"]:
        assert need["met"], need
        assert need["has"] or need["stand_in"], need


def test_what_stands_in_is_named():
    _, epos4 = checked("epos4")
    found = rows(epos4)
    assert found["1802h:5", "event timer of the inputs"]["stand_in"].startswith(
        "with every so many"
    )
    assert found["607Ch:0", "home offset"]["has"] == "30B1h:0"
    assert found["6066h:0", "following time [ms]"]["stand_in"] == "0 for 20"
    assert found["1400h:5, 1016h, 100Ch", "a watchdog"]["has"] == "consumer heartbeat 1016h"
    _, ipos = checked("ipos")
    assert rows(ipos)["1400h:5, 1016h, 100Ch", "a watchdog"]["has"] == "life guarding 100Ch, 100Dh"
    assert rows(ipos)["1017h:0", "its sign of life"]["has"] == "answers of node guarding"
    _, prl120 = checked("prl120")
    assert "moved in" in rows(prl120)["607Dh:1", "lower software limit"]["stand_in"]
    assert "estop_fitted" in rows(prl120)["60FDh:0", "digital inputs"]["stand_in"]


def test_a_homing_method_that_a_type_does_not_know_is_told_with_those_it_knows():
    _, epos4 = checked("epos4")
    need = rows(epos4)["6098h:0, 60E3h", "homing method 21"]
    assert need["has"].endswith("33, 34, 37")
    assert need["stand_in"].startswith("homing_method = 1 or 2 or 7 or 11 or 17")
    _, elmo = checked("elmo_gold")
    assert rows(elmo)["6098h:0, 60E3h", "homing method 21"]["has"] == "its 60E3h tells"
    _, ipos = checked("ipos")
    assert "nobody says" in rows(ipos)["6098h:0, 60E3h", "homing method 21"]["stand_in"]


def test_what_tells_the_age_of_the_feedback_is_named():
    _, elmo = checked("elmo_gold")
    assert rows(elmo)["2041h:0", "age of feedback"]["has"] == "time stamp, in TPDO4"
    _, epos4 = checked("epos4")
    assert "lag of the measured path" in rows(epos4)["1013h:0", "age of feedback"]["stand_in"]
    _, servo = checked(str(FOREIGN_SERVO))
    assert "lag of the measured path" in rows(servo)["register", "age of feedback"]["stand_in"]
    _, rack = checked("hil_rack")
    assert rows(rack)["register", "age of feedback"]["has"] == "echo of the request's number"


OWN = """
[drive]
name = "Own"
maker = "Us"
protocol = "canopen"
source = "a manual, page 1"
tried_on_metal = false
[objects]
lacks = {lacks}
"""


@pytest.mark.parametrize(
    ("lacks", "place"),
    [
        (["1016h", "1400h:5", "100Ch"], "1400h:5, 1016h, 100Ch"),
        (["6064h"], "6064h:0"),
        (["1600h"], "1400h:1"),
        (["1000h"], "1000h:0"),
        (["1017h"], "1017h:0"),
    ],
)
def test_a_type_without_what_nothing_stands_in_for_is_refused(tmp_path, lacks, place):
    path = tmp_path / "own.toml"
    path.write_text(OWN.format(lacks=json.dumps(lacks)))
    code, told = checked(str(path))
    assert (code, told["ok"]) == (1, False)
    assert [need["place"] for need in told["needs"] if not need["met"]] == [place]
    shown = hil("check-type", str(path))
    assert shown.exit_code == 1
    assert f"refused: {place}" in shown.stdout


def test_the_table_shows_units_in_brackets_as_they_are():
    assert "following time [ms]" in hil("check-type", "epos4").stdout.replace("\n", " ")


def test_a_modbus_type_is_its_map():
    code, told = checked("hil_rack")
    assert code == 0
    assert "controlword" in told["needs"][0]["has"]


def test_our_own_sheet_makes_the_file_of_our_own_drive(tmp_path):
    path = tmp_path / "made.toml"
    result = hil("import", str(OUR_SHEET), "-o", str(path))
    assert result.exit_code == 0, result.output
    made = canopen_type(read_toml(path), str(path))
    shipped = canopen_type(read_toml(configs_dir() / "drives" / "hil_emulated.toml"), "shipped")
    for place in ("1400h:5", "1016h:1", "6065h:0", "607Dh:1", "60A9h:0", "100Ch:0", "607Eh:0"):
        index, sub = int(place[:4], 16), int(place[-1])
        assert made.has(index, sub) == shipped.has(index, sub), place
    assert checked(str(path))[0] == checked(str(OUR_SHEET))[0] == 0
    again = hil("import", str(OUR_SHEET), "-o", str(path))
    assert again.exit_code == 2
    assert "is there already" in again.output


SHEET = """[FileInfo]
FileVersion=0x03
FileRevision=0x01
ModificationDate=05-23-2013
[DeviceInfo]
VendorName=M\xfcller "& S\xf6hne"
ProductName=Drive
[1000]
ParameterName=Device type
ObjectType=0x7
DataType=0x0007
AccessType=ro
[1014]
ParameterName=COB-ID EMCY
ObjectType=0x7
DataType=0x0007
AccessType=rw
DefaultValue=$NodeID + 0x80
[1016]
ParameterName=Consumer heartbeat
ObjectType=0x8
SubNumber=2
[1016sub0]
ParameterName=entries
DataType=0x0005
AccessType=ro
[1016sub1]
ParameterName=one
DataType=0x0007
AccessType=rw
[6041]
ParameterName=Statusword
DataType=0x0006
AccessType=ro
[6066]
ParameterName=Following time
DataType=0x0006
AccessType=const
DefaultValue=0
[607D]
ParameterName=Limits
ObjectType=0x8
[607Dsub2]
ParameterName=upper
DataType=0x0004
AccessType=rw
LowLimit=0x80000000
HighLimit=0x7FFFFFFF
[607F]
ParameterName=Largest speed
DataType=0x0007
AccessType=rw
LowLimit=1
HighLimit=50000
[60A9]
ParameterName=Unit
DataType=0x0007
AccessType=rw
DefaultValue=0x00B44700
ParameterValue=0xFDB44700
[6502]
ParameterName=Modes
DataType=0x0007
AccessType=ro
DefaultValue=0x1F0065
"""


def listed(sheet):
    """The same sheet with the lists of its objects, as a whole file has them."""
    found = [line[1:-1] for line in sheet.splitlines() if line.startswith("[")]
    names = [name for name in found if len(name) == 4]
    lists = ["", "[MandatoryObjects]", "SupportedObjects=0", "[OptionalObjects]"]
    lists += [f"SupportedObjects={len(names)}"]
    lists += [f"{number}=0x{name}" for number, name in enumerate(names, start=1)]
    return sheet + "\n".join(lists) + "\n"


def test_a_sheet_tells_homing_methods_and_a_time_stamp_that_can_be_mapped(tmp_path):
    sheet = SHEET + "[60E3]\nParameterName=Methods\nObjectType=8\nSubNumber=4\n"
    sheet += "[60E3sub0]\nParameterName=n\nDataType=5\nAccessType=ro\nDefaultValue=3\n"
    for sub, method in enumerate((17, 0xFE, 35), start=1):
        sheet += f"[60E3sub{sub}]\nParameterName=m\nDataType=5\nAccessType=ro\n"
        sheet += f"DefaultValue={method}\n"
    sheet += "[1013]\nParameterName=Time\nDataType=7\nAccessType=rw\nPDOMapping=1\n"
    path = tmp_path / "own.eds"
    path.write_text(listed(sheet))
    type_ = canopen_type(read_eds(path), "own.eds")
    assert type_.homing_methods == (17, -2, 35)
    assert (type_.stamp.object, type_.stamp.tick_s) == ("1013h:0", 1e-6)
    path.write_text(listed(sheet).replace("PDOMapping=1", "PDOMapping=0"))
    assert canopen_type(read_eds(path), "own.eds").stamp is None


def test_a_sheet_with_the_oddities_of_real_ones_is_read(tmp_path):
    path = tmp_path / "Odd.DCF"
    path.write_bytes(listed(SHEET).encode("latin-1"))
    tables = read_eds(path)
    assert tables["drive"]["maker"] == 'M\xfcller "& S\xf6hne"'
    assert tables["drive"]["source"] == "Odd.DCF, file version 0x03.0x01, 05-23-2013"
    assert tables["objects"]["ranges"] == {
        "6066h:0": [0, 0],
        "607Dh:2": [-(2**31), 2**31 - 1],
        "607Fh:0": [1, 50000],
    }
    assert tables["objects"]["modes"] == [1, 3, 6, 7]
    assert tables["units"] == {"speed": "0.001 rpm"}  # what was set counts, not the default
    lacks = tables["objects"]["lacks"]
    assert {"100Ch", "607Dh:1", "60FDh"} <= set(lacks)
    assert not {"1016h:1", "607Dh:2", "607Dh", "607Fh"} & set(lacks)
    made = tmp_path / "made.toml"
    assert hil("import", str(path), "-o", str(made)).exit_code == 0
    assert canopen_type(read_toml(made), "made") == canopen_type(tables, "sheet")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "0 bytes; a data sheet is a file of 1 to 4000000 bytes"),
        ("no sheet\n[Device Info]", "has no section [DeviceInfo]"),
        ("no sheet\n[DeviceInfo]", "has no section [MandatoryObjects]"),
        (listed("[DeviceInfo]"), "lacks 1000h"),
        (listed(SHEET.replace("[6041]", "[6042]")), "lacks 1000h or 6041h"),
        (
            listed(
                f"{SHEET}[60A8]\nParameterName=u\nDataType=7\nAccessType=rw\nDefaultValue=0x990000"
            ),
            "00990000h",
        ),
    ],
)
def test_what_is_no_sheet_of_a_drive_is_refused(tmp_path, text, why):
    path = tmp_path / "x.eds"
    path.write_text(text)
    for verb in ("import", "check-type"):
        result = hil(verb, str(path))
        assert result.exit_code == 2
        assert why in result.output.replace("\n", "")


@given(st.lists(st.sampled_from(listed(SHEET).splitlines()), max_size=40), st.binary(max_size=40))
def test_no_sheet_ends_in_anything_but_a_refusal(tmp_path_factory, lines, tail):
    path = Path(tmp_path_factory.getbasetemp()) / "fuzz.eds"
    path.write_bytes("\n".join(lines).encode("latin-1") + tail)
    try:
        tables = read_eds(path)
    except DriveModelError:
        return
    canopen_type(tables, "fuzz")

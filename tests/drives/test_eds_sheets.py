"""Data sheets of drives: refused if cut off anywhere; what is not used cannot be wrong."""

from pathlib import Path
from random import Random

import canopen
import pytest
from campaign import SHARE, count
from canopen.objectdictionary import ODVariable
from eds_samples import LISTS, SHIPPED, blocks, made, plain, write

from drives.bank import DriveModelError
from drives.types.eds_file import ASKED_FOR, WRITTEN, read_eds
from drives.types.eds_text import read_sheet

SEED = 31
CASES = Path(__file__).parents[3] / "shared" / "cases"
DRAWS = 10_000
CUTS_OF_A_SHEET = 10


@pytest.fixture
def read(tmp_path):
    """Reads a text as a sheet, without where it came from."""
    path = tmp_path / "sheet.eds"

    def tables(text):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        found = read_eds(path)
        del found["drive"]["source"]
        return found

    return tables


def refusal(read, text):
    with pytest.raises(DriveModelError) as caught:
        read(text)
    return str(caught.value).split("sheet.eds: ", 1)[1]


def changed(name, key, value):
    """Return the shipped sheet with one other value."""
    found = blocks(SHIPPED.read_text())
    found[name][key] = value
    return plain(found)


def test_what_is_read_of_the_shipped_sheet_is_what_another_reader_finds(read):
    found = read(SHIPPED.read_bytes())
    dictionary = canopen.import_od(str(SHIPPED), node_id=1)
    there = {
        (index, sub): entry
        for index, thing in dictionary.indices.items()
        for sub, entry in (
            {0: thing} if isinstance(thing, ODVariable) else dict(thing.subindices)
        ).items()
    }
    lacks = {
        f"{index:04X}h:{sub}" if index in dictionary.indices else f"{index:04X}h"
        for index, sub in ASKED_FOR
        if (index, sub) not in there
    }
    assert set(found["objects"]["lacks"]) == lacks
    fixed = [place for place in WRITTEN if place in there and there[place].access_type == "const"]
    assert fixed == []
    assert "ranges" not in found["objects"]
    word = there[0x6502, 0].default
    assert found["objects"]["modes"] == [k + 1 for k in range(16) if word >> k & 1]


def test_a_sheet_cut_at_any_section_is_refused_with_what_is_missing(read):
    text = SHIPPED.read_text()
    whole = read(text)
    starts = [at for at in range(len(text)) if text.startswith("\n[", at)]
    assert len(starts) > 150
    for at in starts[: starts.index(text.index(f"\n[{LISTS[2]}]"))]:
        why = refusal(read, text[: at + 1])
        assert "is cut off" in why or "no data sheet" in why, (text[at + 1 : at + 20], why)
    assert read(text[: text.index(f"[{LISTS[2]}]")]) == whole  # it lists no object


def test_a_cut_names_its_section_what_is_missing_and_what_would_be_right(read):
    text = SHIPPED.read_text()
    why = refusal(read, text[: text.index("[607D]")])
    assert "it ends in line" in why
    assert "in [607C]" in why
    assert "[OptionalObjects] lists 607Dh, 607Fh, 6081h, 6083h and 18 more" in why
    assert "the whole file is needed" in why
    why = refusal(read, text[: text.index("[607Dsub2]")])
    assert "[OptionalObjects] lists 607F" in why
    why = refusal(read, text[: text.index("20=0x1602")])
    assert "SupportedObjects = '73', and 19 objects follow; 73 are needed" in why
    found = blocks(text)
    del found["607Dsub2"]
    why = refusal(read, plain(found))
    assert "[607D] SubNumber = '3', and 2 of its sections [607Dsub0] to [607Dsub2]" in why
    del found[LISTS[1]]
    assert "it has no section [OptionalObjects]" in refusal(read, plain(found))


@pytest.mark.parametrize("seed", range(40))
def test_a_whole_sheet_of_any_maker_is_read_alike(read, seed):
    assert read(write(seed, proved_end=True)) == read(plain(made()) + "\n")


@pytest.mark.campaign
def test_a_sheet_cut_at_any_byte_is_refused_or_says_all_that_is_used(read):
    draws = count(DRAWS)
    print(f"seed {SEED}, share {SHARE:g}, {draws} cuts")
    random = Random(SEED)
    whole = read(plain(made()) + "\n")
    refused = 0
    for number in range(draws):
        if number % CUTS_OF_A_SHEET == 0:
            text = write(SEED * DRAWS + number)
        late = random.random() < 0.3
        at = random.randrange(len(text) - 400, len(text)) if late else random.randrange(len(text))
        try:
            assert read(text[:at] or "\n") == whole, (number, at, text[max(0, at - 80) : at])
        except DriveModelError:
            refused += 1
    assert refused > 0.7 * draws


IDENTITY = [
    ("VendorNumber", ["001", "", "0x0000009A", "009", "none", "AB-1026", "1,5", "$NODEID"]),
    ("ProductNumber", ["AB-1026", "", "008", "Rev B", "0xGG"]),
    ("RevisionNumber", ["Rev B", "", "1.0", "0x"]),
    ("OrderCode", ["", "=", "[x]", "007"]),
    ("BaudRate_1000", ["yes", "", "01"]),
    ("Granularity", ["08", "", "eight"]),
    ("NrOfRXPDO", ["04", "four", ""]),
    ("LSS_Supported", ["no", ""]),
]


@pytest.mark.parametrize(("key", "values"), IDENTITY)
def test_what_the_bench_does_not_use_of_the_identity_cannot_be_wrong(read, key, values):
    base = read(SHIPPED.read_bytes())
    for value in values:
        assert read(changed("DeviceInfo", key, value)) == base, value


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[Comments]\nLines=0\n", "[Comments]\nLines=1\nLine1=made by\nconverter 2.1\n"),
        ("[Comments]\nLines=0\n", "[Comments]\nLines=many\n[Comments]\nLines=\n"),
        ("[DeviceInfo]", "[DEVICEINFO]"),
        ("[DeviceInfo]", "[ deviceinfo ] ; who it is"),
        ("[FileInfo]", "this file is ours\n\n[fileinfo]"),
        ("[DummyUsage]", "[Tools]\nItems=1\n[tools]\nItems=2\n[DummyUsage]"),
        ("Dummy0001=0", "Dummy0001=\nDummy0001=1\nno key here"),
        ("EDSVersion=4.0", "EDSVersion"),
        ("SupportedObjects=73", "SupportedObjects = 0x49 ; all"),
        ("SupportedObjects=3\n", "SupportedObjects=03\n"),
        ("SupportedObjects=73", "SupportedObjects=073"),
        ("1=0x1003\n", "1=1003\n"),
        ("[607Dsub1]", "[607dSub1]"),
        ("SubNumber=3", "  SubNumber\t=  0x03"),
        ("DefaultValue=$NODEID+0x200", "DefaultValue=$NodeID + 0x200 ; of the node"),
        ("DefaultValue=0x20192", "DefaultValue=0X00020192 ; servo"),
        ("DataType=0x0007", "DataType=0007"),
    ],
)
def test_what_makers_write_is_read_like_the_base(read, old, new):
    text = SHIPPED.read_text()
    assert old in text
    assert read(text.replace(old, new)) == read(text)


@pytest.mark.parametrize("coding", ["utf-16", "utf-8-sig", "latin-1"])
def test_codings_and_line_breaks_do_not_matter(read, coding):
    text = SHIPPED.read_text().replace("VendorName=HIL bench", "VendorName=M\xfcller")
    base = read(text)
    assert base["drive"]["maker"] == "M\xfcller"
    for line_break in ("\n", "\r\n", "\r"):
        assert read(text.replace("\n", line_break).encode(coding)) == base


NUMBERS = [
    ("0x1F0065", [1, 3, 6, 7]),
    ("0X001f0065", [1, 3, 6, 7]),
    ("1F0065h", [1, 3, 6, 7]),
    ("101", [1, 3, 6, 7]),
    ("+101", [1, 3, 6, 7]),
    (" 101 ; modes", [1, 3, 6, 7]),
    ("0000", None),
    ("007", [1, 2, 3]),
    ("0x65 // modes", [1, 3, 6, 7]),
    ("", None),
    ("$NODEID+0x65", None),
]


@pytest.mark.parametrize(("text", "modes"), NUMBERS)
def test_a_number_is_read_as_makers_write_it(read, text, modes):
    assert read(changed("6502", "DefaultValue", text))["objects"].get("modes") == modes


@pytest.mark.parametrize("text", ["many", "0x", "1.5", "0x1G", "12 34x", "--5", "0b101"])
def test_a_number_that_is_used_and_is_none_is_refused_with_line_and_key(read, text):
    sheet = changed("6502", "DefaultValue", text)
    line = 1 + sheet[: sheet.index(f"DefaultValue={text}", sheet.index("[6502]"))].count("\n")
    why = refusal(read, sheet)
    assert why.startswith(f"line {line}: [6502] DefaultValue = {text!r} is no number")
    assert "0x1F or 31 is needed" in why
    assert "ValueError" not in why


def test_a_number_that_can_be_read_in_two_ways_is_refused_with_both(read):
    why = refusal(read, changed("6502", "DefaultValue", "0101"))
    assert "'0101' is 65 as an octal number" in why
    assert "101 as a decimal one" in why


def test_an_object_that_comes_twice_is_refused_if_it_says_two_things(read):
    text = SHIPPED.read_text()
    at, end = text.index("[6502]"), text.index(f"[{LISTS[2]}]")
    assert read(text + "\n" + text[at:end]) == read(text)
    why = refusal(read, text + "\n" + text[at:end].replace("DefaultValue=0x", "DefaultValue=0x1"))
    assert "[6502] comes again and says something else" in why
    why = refusal(read, text.replace("[6502]\n", "[6502]\nDefaultValue=7\n"))
    assert "[6502] DefaultValue is" in why
    assert "one of them is needed" in why
    why = refusal(read, text.replace("[6502]\n", "[6502]\nDefaultValue 7\n"))
    assert "[6502] DefaultValue has no '='" in why


def test_a_hole_of_the_makers_in_what_is_not_used_is_named(tmp_path):
    found = blocks(SHIPPED.read_text())
    del found["6081"]
    path = tmp_path / "hole.eds"
    path.write_text(plain(found))
    assert read_eds(path)["drive"]["source"].endswith("lists 6081h and does not have it")


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not here")
def test_the_cases_of_others():
    base = read_eds(CASES / "eds_identity" / "00_base.eds")
    for path in sorted((CASES / "eds_identity").glob("*.eds")):
        found = read_eds(path)
        assert found["objects"] == base["objects"], path
        assert {**found["drive"], "source": ""} == {**base["drive"], "source": ""}
    for path in (CASES / "eds_cut_off").glob("*.eds"):
        with pytest.raises(DriveModelError, match=r"OptionalObjects\] lists 607Dh, 607Fh"):
            read_eds(path)


@pytest.mark.parametrize(
    "value", ["9" * 5000, "0" + "7" * 5000, "0x" + "F" * 5000, "(" * 400_000, "F" * 5000 + "h"],
    ids=["decimal", "octal", "hexadecimal", "brackets", "h"],
)  # fmt: skip
def test_an_absurd_number_is_refused_in_a_short_text(read, value):
    told = refusal(read, changed("607D", "SubNumber", value))
    assert "SubNumber" in told
    assert "a whole number such as 0x1F or 31 is needed" in told
    assert len(told) < 300


def test_an_absurd_name_of_a_section_is_told_short(read):
    twice = f"\n[{'A' * 100_000}]\nx=1\n[{'A' * 100_000}]\nx=2\n[6064{'A' * 100_000}]\n"
    assert read(SHIPPED.read_text() + twice) == read(SHIPPED.read_text())


def test_names_of_sections_are_told_visibly():
    sheet = read_sheet("[Manufacturer\xa0Objects]\nx=1\n[\x1b[2JDeviceInfo]\ny=2\n")
    assert [one.name for one in sheet.sections.values()] == [
        "Manufacturer\\xa0Objects", "\\x1b[2JDeviceInfo",
    ]  # fmt: skip

"""Each shipped type on a rack that is emulated as that type, by the commands that a person gives.

What the rack has, lacks and counts in is in `sim.devices.drive.maker_types`, by the makers' rows;
the bench is told by the shipped drive file. A campaign: each type is a minute in real time.
"""

import random
import subprocess
import sys

import pytest
from campaign import SHARE, count
from eds_samples import lists_of, made, plain
from rack_bench import needs_wires, rack, told_well, write_quick_rig

import hil.report.style
from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError
from hil.stations.platform.drives.rack_setup import type_of

SEED = 11
"""Draws the type of a share."""
TURN = "way_per_turn_m = 0.01"
"""Lead of the emulated screw."""
EPOS4 = 'type = "epos4"\ncounts_per_m = 819200\nhoming_method = 17'
CANOPEN = {
    "hil_emulated": ('type = "hil_emulated"', ""),
    "epos4": (EPOS4, f"scale_told = false\n{TURN}"),
    "cl4": ('type = "cl4"\ncounts_per_m = 360000', TURN),
    "ipos": ('type = "ipos"\nmode = "ip"', "scale_told = false"),
    "elmo_gold": ('type = "elmo_gold"', TURN),
    "prl120": ('type = "prl120"\nhoming = "absolute"', f"scale_told = false\n{TURN}"),
}
"""What the builder of a rig writes into [drives] and [drives.canopen]."""
MODBUS = {
    "hil_rack": ('type = "hil_rack"', ""),
    "nanotec_modbus_rtu": ('type = "nanotec_modbus_rtu"\ncounts_per_m = 360000', ""),
}
DRIVES = CANOPEN | MODBUS
DRAWN = random.Random(SEED).sample(sorted(DRIVES), count(len(DRIVES)))
RATE_HZ = {name: 25 if name == "nanotec_modbus_rtu" else 100 for name in DRIVES}
"""Six units, asked one after the other, take longer than one frame to all."""
HEAVE = {
    "motion.duration_s": 2,
    "motion.fade_s": 0.5,
    "motion.terms.0.amplitude_m": 0.02,
    "motion.terms.0.frequency_hz": 0.5,
}
SERIALS = "serial_numbers = [1001, 1002, 1003, 1004, 1005, 1006]\n"


@pytest.fixture
def rig_of(tmp_path, monkeypatch):
    """Writes the rig of a type; certificates and references are kept beside it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(hil.report.style, "DPI", 36)

    def write(name):
        path = write_quick_rig(tmp_path)
        drives, canopen = DRIVES.get(name, (f'type = "{name}.toml"', ""))
        serials = "" if name == "nanotec_modbus_rtu" else SERIALS  # no register tells them
        tables = f"\n[drives]\n{serials}{drives}\n"
        tables += f"\n[drives.canopen]\n{canopen}\n" if canopen else ""
        path.write_text(path.read_text(encoding="utf-8") + tables, encoding="utf-8")
        return path

    return write


def test_every_shipped_type_has_a_rack_and_is_driven_here():
    shipped = {path.stem for path in (configs_dir() / "drives").glob("*.toml")}
    assert shipped == set(DRIVES)
    for name in shipped:
        wire = "canopen" if name in CANOPEN else "modbus-rtu"
        assert type_of(name, wire).name == name
        with pytest.raises(ConfigError, match=f"or --protocol {wire}"):
            type_of(name, "modbus-tcp" if wire == "canopen" else "canopen")


@pytest.mark.campaign
@pytest.mark.real_time
@needs_wires
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", DRAWN)
def test_a_shipped_type_is_homed_tested_and_driven(name, rig_of, tmp_path):
    print(f"seed {SEED}, share {SHARE:g}")
    rate_hz = RATE_HZ[name]
    kind = ["--type", name, "--rate", str(rate_hz)]
    kind += [] if name in CANOPEN else ["--protocol", "modbus-tcp"]
    drive(rig_of(name), kind, rate_hz, tmp_path, absolute="absolute" in DRIVES[name][0])


def drive(rig, kind, rate_hz, tmp_path, *, absolute=False):
    """Home six drives of a kind, test them if there is time, and let them heave."""
    with rack("--rig", str(rig), *kind) as emulated:
        where = ["--drives", emulated.url, "--rate", rate_hz]
        kept = [*where, "--out", tmp_path / "runs"]
        if absolute:
            lengths = ",".join(["0.67"] * 6)
            told_well("drives", "reference", rig, "--at", lengths, "--by", "A. Person", *where)
        homed = told_well("drives", "home", rig, *kept)
        assert homed["outcome"] == "completed"
        assert homed["homed"] == [1, 2, 3, 4, 5, 6]
        if SHARE == 1.0:
            passed = told_well("drives", "test", rig, "--witness", "A. Person", *kept)
            assert [leg["faults"] for leg in passed["legs"]] == [[]] * 6
        changes = {"rate_hz": rate_hz, **HEAVE}
        sets = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
        sets += ["--set", f"rig={rig}", "--out", tmp_path / "runs"]
        ran = told_well("run", "heave", "--drives", emulated.url, "--clock", "real", *sets)
        assert ran["outcome"] == "completed"


def own_sheet():
    """A maker's data sheet: no event timer of RPDOs, a fixed time, limits, methods of homing."""
    found = made()
    for place in ("60A8", "60A9", "60AA"):
        del found[place]
    for number in range(4):
        del found[f"140{number}sub5"]
        found[f"140{number}"]["SubNumber"] = "4"
    found["6007"] = dict(found["6007"], AccessType="rw")
    found["6066"] = dict(found["6066"], AccessType="const", DefaultValue="0")
    found["607F"] = dict(found["607F"], HighLimit="2000000000")
    entry = found["6065"]
    found["60E3"] = {"ParameterName": "methods", "ObjectType": "0x8", "SubNumber": "3"}
    for sub, value in enumerate(("2", "17", "21")):
        found[f"60E3sub{sub}"] = dict(entry, DataType="0x0005", AccessType="ro", DefaultValue=value)
    lists, _ = lists_of(found)
    return plain({**found, **lists}) + "\n"


@pytest.mark.campaign
@pytest.mark.real_time
@needs_wires
@pytest.mark.timeout(600)
def test_an_imported_type_is_homed_tested_and_driven(rig_of, tmp_path):
    (tmp_path / "own.eds").write_text(own_sheet())
    done = subprocess.run(
        [sys.executable, "-m", "hil.cli", "drives", "import", "own.eds", "-o", "own.toml"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    assert b"own.toml written" in done.stdout
    drive(rig_of("own"), ["--type", str(tmp_path / "own.toml"), "--rate", "62.5"], 62.5, tmp_path)

"""What a distribution of somebody else's offers: listed, run in real time, broken and doubled."""

import json
import tomllib
from pathlib import Path

import pytest
import third_party
from rack_bench import write_quick_rig
from third_bench import HERE, SWING, hil, plan_of, program, scenario

from hil.config.errors import ConfigError
from hil.recording.reader import Recording
from hil.stations.platform.motion.motion_plugins import OWN_KINDS
from hil.stations.platform.plan.scenario import Scenario

pytestmark = pytest.mark.usefixtures("third_parts")


@pytest.mark.real_time
def test_a_bank_that_raises_in_real_time_is_a_stop_with_its_words(tmp_path):
    status, told = in_real_time(tmp_path, "faulty:after")
    why = "drive: bank 'faulty' of hil-parts 1.0 failed in a cycle: ValueError: the adapter says"
    assert (status, told["outcome"]) == (1, "tripped"), told
    assert told["reason"].startswith(why)
    modes = Recording.open(Path(told["recording"])).modes
    assert told["mode"] == "FAULT"
    assert "QSTOP" in modes
    assert told["gate_record"] == ""


def in_real_time(folder, url):
    """A run of the swing in processes of its own, with the distribution installed for them.

    Its cycle is longer than what a busy machine stands still now and then.
    """
    gentle = SWING | {"height_m": 0.005, "duration_s": 3.0}
    file = scenario(folder, gentle, rig=write_quick_rig(folder))
    slow = ("--set", "rate_hz=50")
    done = program(folder, "run", file, "--json", "--drives", url, "--out", folder, *slow)
    return done.returncode, json.loads(done.stdout)


def test_broken_parts_are_listed_with_the_reason_and_the_good_ones_work():
    status, told = hil("stations")
    assert (status, told["ok"]) == (1, False)
    found = found_in(told)
    wanted = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]["entry-points"]
    # Verbs are read once, when the program starts.
    groups = ("hil.motions", "hil.banks", "hil.buses", "hil.arm_links", "hil.emulated_hosts")
    assert found.keys() == {(group, name) for group in groups for name in wanted[group]}
    good = {key for key, broken in found.items() if not broken}
    assert good == {
        ("hil.motions", "swing"), ("hil.motions", "rubbish"),
        ("hil.banks", "glide"), ("hil.banks", "faulty"), ("hil.banks", "rodline"),
        ("hil.banks", "odd"), ("hil.banks", "needy"),
        ("hil.buses", "rodline"), ("hil.buses", "odd"), ("hil.buses", "needy"),
        ("hil.buses", "bankless"),
        ("hil.emulated_hosts", "sway"),
        ("hil.arm_links", "poses"), ("hil.arm_links", "poses-sim"), ("hil.arm_links", "planted"),
    }  # fmt: skip
    assert "is a name of the bench itself" in found["hil.banks", "slcan"]
    assert "is a name of the bench itself" in found["hil.motions", "hold"]
    assert "is a name of the bench itself" in found["hil.arm_links", "serial"]
    assert "is a name of the bench itself" in found["hil.emulated_hosts", "hcu1"]
    assert found["hil.emulated_hosts", "number"] == "own_host:PORT is a int, no EmulatedKind"
    assert "parts_nowhere:KIND does not load" in found["hil.arm_links", "lost"]
    assert found["hil.arm_links", "number"] == "own_link:LINE_MOST is a int, no LinkKind"
    assert "parts_nowhere:make does not load" in found["hil.banks", "lost"]
    assert "is a name of the bench itself" in found["hil.buses", "socketcan"]
    assert "parts_nowhere:BUS does not load" in found["hil.buses", "wreck"]
    assert found["hil.buses", "number"] == "own_bus_bank:LINE_MOST is a int, no BusKind"
    assert found["hil.buses", "table"].startswith("its table is <class 'dict'>; it must be a")
    assert "does not load: ZeroDivisionError" in found["hil.buses", "raises"]
    assert found["hil.buses", "nameless"].startswith("its protocol is 'a b'; letters, digits")


def found_in(told):
    """Group and name of each part of the distribution → why it is broken."""
    ours = [one for one in told["parts"] if one["distribution"] == "hil-parts 1.0"]
    return {(one["group"], one["name"]): one["broken"] for one in ours}


def test_a_broken_group_of_verbs_is_listed_and_the_program_starts(tmp_path):
    done = program(tmp_path, "stations", "--json")
    found = found_in(json.loads(done.stdout))
    assert done.returncode == 1
    assert "parts_nowhere:app does not load" in found["hil.commands", "wreck"]
    assert found["hil.commands", "number"] == "own_bank:STATES is a dict, no typer.Typer"


def test_a_function_is_a_verb_of_the_group_that_its_name_says(tmp_path):
    done = program(tmp_path, "arm", "speak", "--times", "2")
    assert (done.returncode, done.stdout) == (0, "word word\n")
    found = found_in(json.loads(program(tmp_path, "stations", "--json").stdout))
    assert not found["hil.commands", "arm.speak"]
    assert found["hil.commands", "arm.number"] == "own_bank:STATES is a dict, no function"
    assert "parts_verbs:mute does not load" in found["hil.commands", "arm.mute"]
    assert "has a verb 'run' already" in found["hil.commands", "arm.run"]
    assert "no group of verbs 'wreck'" in found["hil.commands", "wreck.speak"]
    assert "no group of verbs 'nobody'" in found["hil.commands", "nobody.speak"]


def test_two_that_offer_one_name_are_both_named_and_neither_is_used(tmp_path, monkeypatch):
    rival = tmp_path / "rival.toml"
    rival.write_text(
        '[project]\nname = "rival"\nversion = "2"\n'
        '[project.entry-points."hil.motions"]\nswing = "own_motion_kind:SWING"\n'
    )
    third_party.metadata(rival, tmp_path / "rivals")
    monkeypatch.syspath_prepend(str(tmp_path / "rivals"))
    with pytest.raises(ConfigError, match=r"hil-parts 1\.0 and rival 2 both have it"):
        plan_of(SWING)


def test_the_names_that_others_may_not_have_are_all_of_ours():
    schema = Scenario.model_json_schema()["properties"]["motion"]["discriminator"]["mapping"]
    assert {*OWN_KINDS} == {*schema} - {"swing", "rubbish"}

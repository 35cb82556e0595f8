"""Platform and arm at the same time, each in a process of its own."""

import json

import pytest
from rack_bench import needs_wires
from typer.testing import CliRunner

from hil.cli import app
from hil.settings import ConfigError
from hil.shipped import configs_dir
from hil.together import TogetherScenario

runner = CliRunner()
SHIPPED = configs_dir() / "scenarios" / "platform_and_arm.toml"
SHORT_ARM = """
[[part]]
name = "arm"
scenario = "bkm_on_rm01"
changes = ["space_arm.model=b", "source.segment.1.duration_s=3"]
"""


def write(tmp_path, *parts, together="true"):
    path = tmp_path / "both.toml"
    head = f'station = "together"\nname = "both"\nstop_together = {together}\n'
    path.write_text(head + "\n".join(parts))
    return path


def part(name, scenario, *changes):
    return f'[[part]]\nname = "{name}"\nscenario = "{scenario}"\nchanges = {json.dumps(changes)}\n'


def told(path, tmp_path):
    answer = runner.invoke(app, ["run", str(path), "--out", str(tmp_path / "runs"), "--json"])
    return answer.exit_code, json.loads(answer.stdout)


def test_the_shipped_one_is_sound():
    scenario = TogetherScenario.load(SHIPPED)
    assert [one.name for one in scenario.part] == ["platform", "arm"]
    assert scenario.stop_together


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (part("a", "demo"), "at least 2"),
        (part("a", "demo") + part("a", "heave"), "must differ"),
        (part("a", "demo") + part("b", "nowhere"), "no such file"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, text, words):
    with pytest.raises(ConfigError, match=words):
        TogetherScenario.load(write(tmp_path, text))


def test_both_run_and_both_tell(tmp_path):
    path = write(tmp_path, part("platform", "heave", "motion.duration_s=2"), SHORT_ARM)
    status, answer = told(path, tmp_path)
    assert status == 0, answer
    assert answer["parts"]["platform"]["outcome"] == "completed"
    assert answer["parts"]["arm"]["result"] == "completed"
    assert not any(one["asked_to_stop"] for one in answer["parts"].values())


ABSENT = part("platform", "heave", 'clock="real"', 'devices.drives="slcan:/dev/nothing"')
"""Refused after a moment: its drives are not there."""
WAY = "source.segment=[{duration_s=20.0, velocity_m_s=[0.0, 0.0, 0.03]}]"


@needs_wires
@pytest.mark.xdist_group("real time")
def test_a_bad_end_of_one_stops_the_other(tmp_path):
    """Wherever it is: still proving its motion, or on its way."""
    arm = part("arm", "bkm_on_rm01", 'clock="real"', "space_arm.model=b", WAY)
    status, answer = told(write(tmp_path, arm, ABSENT), tmp_path)
    assert status == 1
    assert not answer["parts"]["platform"]["ok"]
    stopped = answer["parts"]["arm"]
    assert stopped["asked_to_stop"] == "platform came to a bad end"
    if "result" in stopped:
        assert stopped["result"] == "cancelled"
        assert stopped["sent"] < stopped["waypoints"]
    else:
        assert "interrupted" in stopped["error"]


def test_a_bad_end_of_one_leaves_the_other_alone_if_the_scenario_says_so(tmp_path):
    """The control of the test above."""
    status, answer = told(write(tmp_path, SHORT_ARM, ABSENT, together="false"), tmp_path)
    assert status == 1
    assert not answer["parts"]["platform"]["ok"]
    assert answer["parts"]["arm"]["result"] == "completed"
    assert answer["parts"]["arm"]["asked_to_stop"] == ""

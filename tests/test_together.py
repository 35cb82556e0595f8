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


def _failing_platform():
    """Trips on its way, some seconds after the arm's stream has begun."""
    return part("platform", "leaves_envelope", 'clock="real"', "check_first=false")


@needs_wires
@pytest.mark.xdist_group("real time")
@pytest.mark.parametrize("together", ["true", "false"])
def test_a_bad_end_of_one_stops_the_other_along_its_path_if_the_scenario_says_so(
    tmp_path, together
):
    """The control is the same scenario that does not say so: the arm then completes its motion."""
    way = "source.segment=[{duration_s=8.0, velocity_m_s=[0.0, 0.0, 0.03]}]"
    arm = part("arm", "bkm_on_rm01", 'clock="real"', "space_arm.model=b", way)
    path = write(tmp_path, arm, _failing_platform(), together=together)
    status, answer = told(path, tmp_path)
    assert status == 1
    assert not answer["parts"]["platform"]["ok"]
    stopped = answer["parts"]["arm"]
    if together == "true":
        assert stopped["result"] == "cancelled", stopped
        assert "platform came to a bad end" in stopped["asked_to_stop"]
        assert stopped["sent"] < stopped["waypoints"]
    else:
        assert stopped["result"] == "completed", stopped
        assert stopped["asked_to_stop"] == ""

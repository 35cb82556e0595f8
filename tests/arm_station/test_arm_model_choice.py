"""``model = "auto"``: what is taken, that it is what is run, and where none can be chosen."""

import json

import numpy as np
import pytest
from live_bench import live_plan
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError
from hil.recording.reader import Recording
from hil.stations.arm.plan.scenario import load_arm_plan
from hil.stations.arm.proof.prepare import space_arm_of
from hil.stations.arm.run.bench import prepare_plan
from sim.world.space_arm.model_choice import CANDIDATES

pytestmark = pytest.mark.xdist_group("both arms")

CIRCLE = configs_dir() / "scenarios" / "circle_on_rm01.toml"
AUTO = ("space_arm.model=auto", "space_arm.reference=b")
TURN = np.array([0.02, -0.015, 0.025, 0.03, -0.03, 0.04])


def plan_of(*changes):
    return load_arm_plan(CIRCLE, changes)


@pytest.fixture(scope="module")
def chosen():
    return prepare_plan(plan_of(*AUTO, "space_arm.bound=2mm"))


def test_what_is_taken_is_simulated_and_proved(chosen):
    taken = chosen.choice.taken.candidate
    assert taken is CANDIDATES[2]
    assert chosen.plan.scenario.space_arm.model == "b"
    assert chosen.plan.scenario.space_arm.omit == ("coefficients",)
    written = prepare_plan(
        plan_of("space_arm.model=b", 'space_arm.omit=["coefficients"]', "space_arm.accuracy=usual")
    )
    assert written.choice is None
    for mine, other in zip(chosen.steps, written.steps, strict=True):
        assert mine.snapshot.position_BG_m.tolist() == other.snapshot.position_BG_m.tolist()


def test_its_error_is_that_of_the_whole_model(chosen):
    """Against the waypoints of the same scenario with the whole model of the reference."""
    whole = prepare_plan(plan_of("space_arm.model=b"))
    apart_mm = [
        1e3 * float(np.linalg.norm(mine.snapshot.position_BG_m - other.snapshot.position_BG_m))
        for mine, other in zip(chosen.steps, whole.steps, strict=True)
    ]
    assert chosen.choice.taken.error == pytest.approx(max(apart_mm), abs=2e-3)
    assert chosen.choice.taken.error <= 2.0
    assert all(one.error > 2.0 for one in chosen.choice.tried[:-1])


def test_a_bound_that_no_model_keeps_is_refused_with_the_least_error():
    with pytest.raises(RefusedError, match=r"no model stays within 1e-07 mm.*the least error is "):
        prepare_plan(plan_of(*AUTO, "space_arm.bound=1e-7mm"))


def test_model_c_is_not_there_when_it_is_to_be_fine():
    found = prepare_plan(plan_of(*AUTO, "space_arm.bound=2mm", "space_arm.accuracy=fine"))
    assert found.plan.scenario.space_arm.accuracy == "fine"
    with pytest.raises(RefusedError):
        prepare_plan(plan_of(*AUTO, "space_arm.bound=1e-7mm", "space_arm.accuracy=fine"))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (("space_arm.model=auto",), "needs a bound"),
        (("space_arm.bound=2mm",), "'2mm' is for model"),
        ((*AUTO, "space_arm.bound=half"), "'half': percent of the range"),
        ((*AUTO, "space_arm.bound=-2mm"), "above 0 is needed"),
        ((*AUTO, "space_arm.bound=2mm", 'space_arm.omit=["coriolis"]'), "omit must be empty"),
        (('space_arm.omit=["point-masses","massless-links"]',), "not both"),
        (('space_arm.omit=["massless-links"]', "space_arm.payload="), "needs a payload"),
        (('space_arm.omit=["friction"]',), "friction"),
    ],
)
def test_bad_values(changes, reason):
    with pytest.raises(ConfigError, match=reason):
        plan_of(*changes)


def test_a_live_motion_has_no_plan_to_choose_by():
    with pytest.raises(ConfigError, match=r'has no plan to choose by; write model = "e", or a'):
        live_plan({"kind": "keyboard"}, space_arm={"model": "auto", "bound": "1%"})


def test_masses_and_torques_that_are_left_out_of_a_scenario_change_the_arm():
    moved = {}
    for omit in ("", '"coriolis"', '"point-masses"', '"massless-links"'):
        space = space_arm_of(plan_of(f"space_arm.omit=[{omit}]"))
        moved[omit] = [space.advance(TURN).position_BG_m for _ in range(4)][-1]
    apart_m = [float(np.linalg.norm(one - moved[""])) for one in moved.values()]
    assert all(far > 1e-7 for far in apart_m[1:])
    assert apart_m[3] > apart_m[2]


def changes(bound):
    return [word for one in (*AUTO, f"space_arm.bound={bound}") for word in ("--set", one)]


def test_scripts_and_people_are_told(tmp_path):
    answer = CliRunner().invoke(
        app, ["run", "circle_on_rm01", "--out", str(tmp_path), *changes("2mm"), "--json"]
    )
    found = json.loads(answer.stdout)["model_choice"]
    assert found["taken"]["model"] == "b"
    assert found["taken"]["omitted"] == ["coefficients"]
    assert found["tried"][-1] == found["taken"]
    assert (found["bound"], found["unit"], found["reference"]) == (2.0, "mm", "b")
    (recorded,) = tmp_path.glob("*/recording.mcap")
    recording = Recording.open(recorded)
    said = recording.metadata["run"]["space_arm_model"]
    assert said.startswith("model b without fresh coefficients: ")
    assert "within the bound of 2 mm" in said
    assert recording.scenario["scenario"]["space_arm"]["omit"] == ["coefficients"]
    shown = CliRunner().invoke(app, ["check", "circle_on_rm01", *changes("2mm")]).stdout
    assert "the space arm is simulated by model b without fresh coefficients" in " ".join(
        shown.split()
    )


def test_a_run_without_it_has_no_such_key():
    answer = CliRunner().invoke(app, ["check", "circle_on_rm01", "--json"])
    assert "model_choice" not in json.loads(answer.stdout)


class TestAdvance:
    MOVE = ("arm", "advance", "bkm", "--rates", "0,0.5,0,0,0,0", "--ticks", "6")

    def call(self, *options):
        return CliRunner().invoke(app, [*self.MOVE, *options])

    def test_takes_the_cheapest(self):
        found = json.loads(self.call("--model", "auto", "--bound", "20mm", "--json").stdout)
        taken = found["model_choice"]["taken"]
        assert taken["error"] <= 20.0
        assert all(one["error"] > 20.0 for one in found["model_choice"]["tried"][:-1])
        assert len(found["ticks"]) == 6

    def test_without_auto_nothing_is_chosen(self):
        assert "model_choice" not in json.loads(self.call("--model", "b", "--json").stdout)

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            (("--model", "auto"), "--bound: --model auto needs one"),
            (("--model", "b", "--bound", "2mm"), "'2mm' is for --model auto"),
            (("--model", "auto", "--bound", "half"), "--bound: 'half': percent"),
            (("--model", "auto", "--bound", "1e-9mm"), "no model stays within 1e-09 mm"),
            (("--model", "a,b"), "one payload and one model"),
        ],
    )
    def test_bad_input(self, options, reason):
        answer = self.call(*options)
        assert answer.exit_code == 2
        assert reason in " ".join(answer.stderr.split())

"""`hil arm identify`: proved strokes, held, and what they say in the robot's file."""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import replace

import controller_model
import numpy as np
import pytest
from moves_bench import PERIOD_S, RM01, standing
from stroke_bench import Drawn
from typer.testing import CliRunner

import hil.stations.arm.moves.session
import hil.stations.arm.moves.strokes
from arm_driver.fit.node_fit import fit_nodes
from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError
from hil.config.toml_edit import change_text
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.moves.approach import joints_by_operator
from hil.stations.arm.moves.move_operators import AlwaysHeld
from hil.stations.arm.moves.stroke_drive import drive_strokes
from hil.stations.arm.moves.strokes import StrokeMover, prove_strokes, with_any_delay
from sim.devices.arm.faults import parse_arm_words

SHIPPED = configs_dir() / "robots" / "rm01.toml"
OTHER = Drawn(delay_s=0.06, half_s=0.07, bandwidth_rad_s=85.0)


@pytest.fixture
def file(tmp_path):
    """A robot's own file, with a comment on every line that has none."""
    path = tmp_path / "mine.toml"
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(lines) + "\n# the end\n", encoding="utf-8")
    return path


@pytest.fixture
def emulated(monkeypatch):
    """An emulated robot that is not like the file says; faults can be given to it."""

    def use(drawn: Drawn, *faults: str, **other: object) -> None:
        def made(choice, clock):
            robot = drawn.controller(start_deg=choice.emulated_deg, **other)
            for fault in faults:
                robot.inject(parse_arm_words(fault.split()), clock.now_s())
            return robot

        monkeypatch.setattr(hil.stations.arm.moves.session, "emulated_robot", made)

    return use


@pytest.fixture
def few(monkeypatch):
    """Strokes along x alone, which is enough for what goes wrong at once."""
    monkeypatch.setattr(hil.stations.arm.moves.strokes, "AXES", ("x",))
    monkeypatch.setattr(
        hil.stations.arm.moves.strokes,
        "plan_strokes",
        lambda step: ((1, -step), (2, 2 * step), (1, -step)),
    )


def call(*words: object):
    return CliRunner().invoke(app, ["arm", "identify", *map(str, words)])


def test_what_is_found_is_written_and_supervises_and_models_the_robot(file, emulated, tmp_path):
    emulated(OTHER)
    before = file.read_text(encoding="utf-8")
    told = call(file, "--write", "--json", "--out", tmp_path / "runs")
    assert told.exit_code == 0, told.output
    answer = json.loads(told.stdout)
    assert answer["written"] == str(file)
    robot = RobotSettings.load(file)
    known = robot.identified
    assert known is not None
    assert known.path_delay_s[0] == pytest.approx(OTHER.path_delay_s, rel=0.05)
    assert known.blend_s[0] == pytest.approx(2.0 * OTHER.half_s, rel=0.05)
    for lag in (known.lag_x_s, known.lag_y_s, known.lag_z_s, known.lag_turn_s):
        assert lag[0] == pytest.approx(OTHER.lag_s, rel=0.05)
    assert robot.blend.longest_s == pytest.approx(known.blend_s[0], abs=1e-4)
    assert known.lines()[0].startswith("delay of the path ")
    least_s, most_s = robot.supervision.delay_s
    assert least_s < OTHER.path_delay_s + OTHER.lag_s < most_s
    assert most_s - least_s < 0.12, "far narrower than what stood there"
    # Everything else is as it was: comments, order, other keys.
    after = file.read_text(encoding="utf-8").splitlines()
    changed = ("longest_s", "servo_s", "lag_s", "delay_s")
    for old, new in zip(before.splitlines(), after, strict=False):
        if old.startswith(changed):
            assert new != old
            assert new.split("#")[1] == old.split("#")[1]
        else:
            assert new == old
    assert "# the end" in after
    untouched = tomllib.loads(before)
    assert {k: v for k, v in tomllib.loads("\n".join(after)).items() if k in untouched} == {
        **untouched,
        "blend": untouched["blend"] | {k: answer["identified"]["blend"][k]
                                       for k in ("longest_s", "servo_s", "lag_s")},
        "supervision": untouched["supervision"] | answer["identified"]["supervision"],
    }  # fmt: skip
    the_model_of_the_file_drives_what_a_second_model_of_that_controller_does(robot)


def the_model_of_the_file_drives_what_a_second_model_of_that_controller_does(robot):
    """Half a circle at up to 100 mm/s, waypoints fitted by the file: its accuracy by either."""
    share = np.linspace(0.0, 1.0, 261)
    angle = np.pi * share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    motion = 0.15 * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(261)])
    t = np.arange(0.0, 26 * PERIOD_S, 0.00875)
    place = controller_model.between(motion, PERIOD_S / 10, t)
    model = robot.blend.model(PERIOD_S)
    nodes = fit_nodes(motion, 10, model, 0.035)
    told = np.linalg.norm(model.path_m(nodes, t) - place, axis=1)

    def second() -> np.ndarray:
        return controller_model.errors(nodes, place, t)[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(controller_model, "LONGEST_S", OTHER.half_s)
        patch.setattr(controller_model, "SERVO_RAD_S", OTHER.bandwidth_rad_s)
        found = second()
    assert told.max() == pytest.approx(found.max(), rel=0.05)
    usual = np.linalg.norm(RM01.blend.model(PERIOD_S).path_m(nodes, t) - place, axis=1)
    assert np.median(told) == pytest.approx(np.median(found), rel=0.05)
    assert np.median(usual) != pytest.approx(np.median(found), rel=0.05), "as it stood before"


@pytest.mark.parametrize(
    ("faults", "why"),
    [
        (("slow value=0",), "not following"),
        (("slow value=0.5",), "not following"),
        (("beside value=0.02 at_s=2.5",), "refused|not following"),
        (("silence at_s=3",), "link lost"),
        (("estop at_s=2.5",), "held|hold"),
        (("period value=0.3 at_s=2.2",), "."),
    ],
)
def test_a_robot_that_goes_wrong_ends_with_its_own_result_and_nothing_is_written(
    file, emulated, few, tmp_path, faults, why
):
    emulated(Drawn(), *faults)
    before = file.read_bytes()
    told = call(file, "--write", "--out", tmp_path / "runs")
    assert told.exit_code == 1, told.output
    assert file.read_bytes() == before
    if why != ".":
        assert any(word in told.output for word in why.split("|")), told.output


def test_a_robot_without_feedback_is_refused_with_the_reason(file, emulated, few, tmp_path):
    emulated(Drawn(), feedback=False)
    told = call(file, "--write", "--out", tmp_path / "runs")
    assert told.exit_code == 1
    assert "feedback" in told.output
    assert file.read_bytes() == SHIPPED.read_bytes() + b"# the end\n"


def test_the_file_that_comes_with_the_bench_is_not_written(tmp_path):
    told = call("rm01", "--write", "--out", tmp_path)
    assert told.exit_code == 2
    assert "copy it" in told.output
    assert not list(tmp_path.iterdir())


def test_a_robot_on_a_line_needs_its_joints_said():
    told = call("rm01", "--arm-link", "serial:/dev/ttyS0?baud=9600")
    assert told.exit_code == 2
    assert "--at-joints" in told.output


class LetsGo(AlwaysHeld):
    """Holds, but for 0.4 s from the first waypoint of a stroke of two on."""

    def __init__(self, now_s, begun_s):
        self._now_s, self._begun_s = now_s, begun_s

    @property
    def held(self):
        return not (self._begun_s and self._now_s() < self._begun_s[0] + 0.4)


def test_a_stroke_that_is_let_go_is_driven_to_its_end_and_does_not_count(
    few, tmp_path, monkeypatch
):
    robot, begun_s = with_any_delay(RM01), []
    with standing() as opened:
        opened = replace(opened, choice=replace(opened.choice, robot=robot))
        now_s = opened.clock.now_s
        start = joints_by_operator(robot, opened.place, np.array(opened.choice.emulated_deg))
        strokes = prove_strokes(robot, start)
        move = StrokeMover.next

        def noted(self, *, held):
            pose = move(self, held=held)
            if len(self._poses) == 3 and self._at == 1:
                begun_s.append(now_s())
            return pose

        monkeypatch.setattr(StrokeMover, "next", noted)
        found = drive_strokes(
            opened, strokes, LetsGo(now_s, begun_s), tmp_path, baud=9600, say=lambda text: None
        )
        rested = opened.wire.poll().measured
    assert found.ok
    assert len(found.strokes) == len(strokes) - 1
    assert "stroke 2" in found.spoilt[0]
    assert len(list(found.folder.iterdir())) == len(strokes), "each is recorded"
    away_m = math.dist(rested.X_RT.position_m, opened.place.X_RT.position_m)
    assert away_m < 5e-4, "and all of them were driven to their ends"


def test_a_stroke_that_is_held_a_period_late_counts_like_any_other(tmp_path, monkeypatch):
    """Keys are not heard while a recording is set up: the first waypoint is the start again."""
    monkeypatch.setattr(hil.stations.arm.moves.strokes, "AXES", ("x", "turn"))
    monkeypatch.setattr(
        hil.stations.arm.moves.strokes, "plan_strokes", lambda step: ((2, step), (2, -step))
    )
    move, late, robot = StrokeMover.next, [False], with_any_delay(RM01)

    def driven():
        with standing() as opened:
            opened = replace(opened, choice=replace(opened.choice, robot=robot))
            start = joints_by_operator(robot, opened.place, np.array(opened.choice.emulated_deg))
            strokes = prove_strokes(robot, start)
            begun = set()

            def next_one(self, *, held):
                first = id(self) not in begun
                begun.add(id(self))
                kept.append(self)
                return move(self, held=held and not (first and late[0]))

            kept = []  # so that no two have one id
            monkeypatch.setattr(StrokeMover, "next", next_one)
            found = drive_strokes(
                opened, strokes, AlwaysHeld(), tmp_path, baud=9600, say=lambda text: None
            )
            monkeypatch.setattr(StrokeMover, "next", move)
        assert found.ok
        assert found.spoilt == ()
        return found.strokes

    plain = driven()
    late[0] = True
    for one, other in zip(plain, driven(), strict=True):
        assert (one.axis, one.travel, one.steps) == (other.axis, other.travel, other.steps)
        assert other.rest_s == pytest.approx(one.rest_s, abs=1e-4)
        assert other.rest == pytest.approx(one.rest, abs=5e-5)
        assert np.array(other.places) == pytest.approx(np.array(one.places), abs=5e-5)


def test_without_room_the_strokes_are_refused_before_the_first_byte():
    """Stretched nearly out, with 35 mm more than the arm has."""
    with standing((0.0, 45.0, -113.0, 0.0, 45.0, 0.0)) as opened:
        start = joints_by_operator(RM01, opened.place, np.array(opened.choice.emulated_deg))
        with pytest.raises(RefusedError, match=r"stroke along . to -?\d+ mm .*nothing has been"):
            prove_strokes(RM01, start)
        assert opened.wire.poll().counts.answers == 0


def test_a_text_is_changed_by_its_lines_or_not_at_all():
    text = 'a = 1  # one\n[t]\nx = [1, 2] # keep\n# tail\n[u]\ny = "s"\n'
    new = change_text(text, {"t": {"x": [3.5, 4], "z": 1}, "w": {"k": "d"}}, "file")
    assert new == (
        'a = 1  # one\n[t]\nx = [3.5, 4] # keep\nz = 1\n# tail\n[u]\ny = "s"\n\n[w]\nk = "d"\n'
    )
    for unfit in ("t = { x = 1 }\n", "[t]\nx = [\n 1,\n 2,\n]\n", "t.x = 1\n"):
        with pytest.raises(ConfigError, match="cannot be changed as it is written: t need"):
            change_text(unfit, {"t": {"x": 2}}, "file")

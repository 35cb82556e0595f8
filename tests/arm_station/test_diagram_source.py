"""Velocities of a functional diagram: drawn by itself and proved, or made of what is asked."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError
from hil.desk.velocity.source import SourceError, Twist, rest
from hil.diagram.run.change import DiagramChange
from hil.diagram.run.tap_reader import TapReader, find_tapped_laws
from hil.diagram.run.taps import OpenTaps
from hil.run.lead import Handles
from hil.stations.arm.lead.handles import handles
from hil.stations.arm.plan.scenario import arm_plan_from_table
from hil.stations.arm.run.bench import prepare_plan, run_arm
from hil.stations.arm.sources.diagram import DrawnSource, OperatedSource, velocity_diagram
from hil.stations.arm.sources.settings import make_source
from hil.stations.arm.sources.slew import SlewedSource
from hil.stations.arm.sources.source import SourceLimits

LIMITS = SourceLimits(0.05, 0.2, 0.05, 0.2)
HANDLES = configs_dir() / "diagrams" / "handles.toml"
WAVE = """format = 1
base_s = 0.01

[parameter]
"most" = { value = 0.02, unit = "m/s" }

[block]
"t" = { kind = "Clock" }
"per" = { kind = "Constant", value = 0.6283185307179586, unit = "1/s" }
"angle" = { kind = "Multiply" }
"cos" = { kind = "Cos" }
"one" = { kind = "Constant", value = 1.0 }
"up" = { kind = "Sum", signs = "+-" }
"most" = { kind = "Constant", value = "$most", unit = "m/s" }
"speed" = { kind = "Multiply" }
"none" = { kind = "Constant", unit = "m/s", value = 0.0 }
"all" = { kind = "Mux", width = 3 }
"still" = { kind = "Constant", value = [0.0, 0.0, 0.0], unit = "rad/s" }
"linear" = { kind = "Out", unit = "m/s" }
"angular" = { kind = "Out", unit = "rad/s" }

[wire]
"angle.u1" = "t.y"
"angle.u2" = "per.y"
"cos.u" = "angle.y"
"up.u1" = "one.y"
"up.u2" = "cos.y"
"speed.u1" = "up.y"
"speed.u2" = "most.y"
"all.u1" = "none.y"
"all.u2" = "none.y"
"all.u3" = "speed.y"
"linear.u" = "all.y"
"angular.u" = "still.y"
"""
"""Up by 0.02 m/s (1 - cos(2 pi t/10 s)): 0.2 m in 10 s, from rest to rest."""


@pytest.fixture
def wave(tmp_path):
    path = tmp_path / "wave.toml"
    path.write_text(WAVE)
    return path


def drawn(path, duration_s=10.0, limits=LIMITS, **changes):
    made = velocity_diagram(path, DiagramChange(changes), limits, is_operated=False)
    return DrawnSource(made, duration_s, limits, "base")


def test_what_a_diagram_draws_is_its_outputs_at_every_time(wave):
    source = drawn(wave)
    assert (source.held, source.duration_s) == (True, 10.0)
    for t_s in np.linspace(0.0, 9.999, 300):
        twist = source.sample(float(t_s))
        wanted = 0.02 * (1.0 - math.cos(0.2 * math.pi * t_s))
        assert twist.linear_m_s.tolist()[:2] == [0.0, 0.0]
        # Straight between two ticks: h^2/8 of the second derivative.
        assert abs(twist.linear_m_s[2] - wanted) < 0.01**2 / 8 * 0.02 * (0.2 * math.pi) ** 2 + 1e-15
        assert twist.frame == "base"
        assert not twist.angular_rad_s.any()
    assert source.sample(10.0) is None
    assert source.end_reason == "completed"


@pytest.mark.parametrize(
    ("change", "duration_s", "why"),
    [
        ({"most": 0.03}, 10.0, r"tick \d+ \(.* s\): speed 0.0\d+ m/s, more than 0.05 m/s"),
        ({}, 7.0, r"tick 700 \(7 s\): speed .* begin and end at rest"),
        ({}, 9.995, "whole ticks of 0.01 s"),
        ({}, 1e9, "whole ticks of 0.01 s"),
        ({"no": 1.0}, 10.0, "no such parameter"),
    ],
)
def test_a_motion_beyond_the_limits_is_refused_by_its_tick(wave, change, duration_s, why):
    with pytest.raises(SourceError, match=why):
        drawn(wave, duration_s, **change)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"per" = { kind = "Constant", value = 0.6283185307179586',
         '"per" = { kind = "Constant", value = 6.283185307179586', "changes by"),
        ('"up.u1" = "one.y"', '"up.u1" = "root.y"', "root: .* not finite|root"),
        ('"linear" = { kind = "Out", unit = "m/s" }', '"line" = { kind = "Out", unit = "m/s" }',
         "linear"),
        ('unit = "rad/s" }\n"linear"', 'unit = "N" }\n"linear"', "angular|N into"),
    ],
)  # fmt: skip
def test_a_diagram_that_is_none_of_a_velocity_is_refused(wave, old, new, why):
    text = WAVE.replace(old, new)
    if "root" in new:
        text = text.replace('"one" =', '"root" = { kind = "Sqrt" }\n"less" = { kind = "Bias", bias '
                            '= -3.0 }\n"one" =')  # fmt: skip
        text = text.replace("[wire]", '[wire]\n"root.u" = "less.y"\n"less.u" = "one.y"')
    if "line" in new and "linear" not in new:
        text = text.replace('"linear.u"', '"line.u"')
    wave.write_text(text)
    with pytest.raises(SourceError, match=why):
        drawn(wave)


def table(source):
    return {"station": "arm", "name": "drawn", "space_arm": {"model": "b"}, "source": source}


def test_both_arms_go_through_a_motion_that_a_diagram_draws(wave, tmp_path):
    source = {"kind": "diagram", "file": "wave.toml", "duration_s": 10.0, "frame": "base"}
    plan = arm_plan_from_table(table(source), tmp_path / "s.toml", ())
    prepared = prepare_plan(plan)
    result = run_arm(prepared, tmp_path)
    assert result.ok
    times = np.arange(0.0, 10.0 + 0.005, 0.005)
    lines = ["t_s,vx_m_s,vy_m_s,vz_m_s,wx_rad_s,wy_rad_s,wz_rad_s"]
    lines += [f"{t:.9f},0,0,{0.02 * (1.0 - math.cos(0.2 * math.pi * t)):.17g},0,0,0" for t in times]
    (tmp_path / "wave.csv").write_text("\n".join(lines) + "\n")
    same = {"kind": "recorded", "file": "wave.csv", "frame": "base"}
    other = prepare_plan(arm_plan_from_table(table(same), tmp_path / "s.toml", ()))
    ways = [
        np.array([step.X_RT.position_m for step in one.steps if step.X_RT is not None])
        for one in (prepared, other)
    ]
    # Where on the bench it takes place is another matter: how far it is from its beginning is not.
    away = [np.linalg.norm(way - way[0], axis=1) for way in ways]
    assert len(away[0]) == len(away[1])
    assert np.abs(away[0] - away[1]).max() < 1e-4
    assert away[0][-1] == pytest.approx(0.2, abs=1e-2)  # the space arm lags


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({}, "one of both"),
        ({"duration_s": 10.0, "by": {"kind": "keyboard"}}, "one of both"),
        ({"duration_s": -1.0}, "duration_s"),
        ({"by": {"kind": "spiral"}}, "by"),
    ],
)
def test_settings_say_who_moves_it_or_how_long_it_lasts(tmp_path, keys, why):
    source = {"kind": "diagram", "file": "wave.toml"} | keys
    with pytest.raises(ConfigError, match=why):
        arm_plan_from_table(table(source), tmp_path / "s.toml", ())


def test_a_file_that_is_not_there_is_told(tmp_path):
    source = {"kind": "diagram", "file": "nowhere.toml", "duration_s": 1.0}
    with pytest.raises((ConfigError, RefusedError), match="nowhere"):
        prepare_plan(arm_plan_from_table(table(source), tmp_path / "s.toml", ()))


# --- what an operator asks for, through `handles` ---


class Asked:
    """A live source as a test sets it."""

    duration_s, end_reason = None, ""

    def __init__(self):
        self.held, self.twist = False, rest("gripper")
        self.closed = False

    def listen(self):
        pass

    def sample(self, t_s):
        return self.twist if self.held else rest("gripper")

    def close(self):
        self.closed = True


def of_handles(path=HANDLES, fixed="", **changes):
    return velocity_diagram(path, DiagramChange(changes), LIMITS, is_operated=True, fixed=fixed)


def operated(**changes):
    inner = Asked()
    return inner, OperatedSource(inner, of_handles(**changes))


def push(inner, x, about_z=0.0):
    inner.held = True
    inner.twist = Twist(np.array([x, 0.0, 0.0]), np.array([0.0, 0.0, about_z]), "gripper")


def test_handles_lag_what_is_asked_without_what_is_not_meant():
    inner, source = operated(share=0.5)
    push(inner, 0.021, -0.105)
    for tick in range(400):
        twist = source.sample(3.0 + 0.005 * tick)
        part = 1.0 - math.exp(-0.005 * tick / 0.15)
        assert twist.linear_m_s[0] == pytest.approx(0.5 * 0.020 * part, rel=1e-9, abs=1e-15)
        assert twist.angular_rad_s[2] == pytest.approx(-0.5 * 0.1 * part, rel=1e-9, abs=1e-15)
        assert twist.linear_m_s.tolist()[1:] == [0.0, 0.0]
    push(inner, 0.0009)
    for tick in range(400, 1500):
        twist = source.sample(3.0 + 0.005 * tick)
    assert abs(twist.linear_m_s[0]) < 1e-9


def test_what_the_diagram_computes_is_told_to_who_watches(tmp_path):
    inner, taps = Asked(), OpenTaps("handles", HANDLES, HANDLES.read_text(), {}, tmp_path / "b")
    source = OperatedSource(inner, of_handles(), taps)
    (law,) = find_tapped_laws(tmp_path / "b")
    reader = TapReader.attach(law)
    reader.choose([("linear_asked", "y"), ("scaled", "y")])
    push(inner, 0.021)
    wanted = [source.sample(0.05 * number).linear_m_s.tolist() for number in range(20)]
    frames = list(reader.read())
    assert [one.values["scaled", "y"].tolist() for one in frames] == wanted
    assert frames[0].values["linear_asked", "y"].tolist() == [0.021, 0.0, 0.0]
    source.close()
    source.close()
    assert find_tapped_laws(tmp_path / "b") == []
    reader.release()


def test_where_nobody_can_watch_it_moves_as_well(tmp_path):
    (tmp_path / "open").mkdir(mode=0o755)
    taps = OpenTaps("handles", HANDLES, HANDLES.read_text(), {}, tmp_path / "open")
    inner = Asked()
    source = OperatedSource(inner, of_handles(), taps)
    push(inner, 0.021)
    source.sample(0.0)
    assert source.sample(0.5).linear_m_s[0] > 0.0
    source.close()


def test_let_go_it_wants_nothing_at_once_and_begins_anew():
    inner, source = operated()
    push(inner, 0.04)
    for tick in range(200):
        source.sample(0.005 * tick)
    inner.held = False
    assert source.sample(1.0).at_rest
    assert source.sample(1.005).at_rest
    push(inner, 0.04)
    assert source.sample(1.01).at_rest  # the lag's beginning, not where it was
    assert 0.0 < source.sample(1.015).linear_m_s[0] < 0.003
    source.close()
    assert inner.closed


def test_it_ends_where_the_diagram_made_no_number_and_the_gripper_comes_to_rest(tmp_path):
    text = HANDLES.read_text().replace('"smooth" = { kind = "Lag", time_s = "$smooth_s" }',
                                       '"smooth" = { kind = "Lag", time_s = "$smooth_s" }\n'
                                       '"per" = { kind = "Reciprocal" }\n"back" = { kind = '
                                       '"Reciprocal" }')  # fmt: skip
    text = text.replace('"scaled.u" = "smooth.y"', '"per.u" = "smooth.y"\n"back.u" = "per.y"\n'
                        '"scaled.u" = "back.y"')  # fmt: skip
    (tmp_path / "h.toml").write_text(text)
    inner = Asked()
    source = SlewedSource(OperatedSource(inner, of_handles(tmp_path / "h.toml")), LIMITS)
    push(inner, 0.04)
    assert source.sample(0.0) is None  # 1/0 in the first tick
    assert "per" in source.end_reason


@given(st.lists(st.tuples(st.booleans(), st.floats(-1e3, 1e3), st.floats(-1e3, 1e3),
                          st.floats(0.0, 0.4)), min_size=1, max_size=60))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_whatever_is_asked_limits_hold_and_time_is_kept(asked):
    inner, inner_source = operated()
    source, t_s, before = SlewedSource(inner_source, LIMITS), 0.0, np.zeros(6)
    for held, x, turn, step_s in asked:
        push(inner, x, turn)
        inner.held = held
        t_s += step_s
        twist = source.sample(t_s)
        now = np.concatenate([twist.linear_m_s, twist.angular_rad_s])
        assert np.linalg.norm(now[:3]) <= LIMITS.linear_m_s * (1 + 1e-9)
        assert np.linalg.norm(now[3:]) <= LIMITS.angular_rad_s * (1 + 1e-9)
        change = np.linalg.norm(now[:3] - before[:3])
        assert change <= LIMITS.linear_acceleration_m_s2 * min(step_s, 0.35) * (1 + 1e-9) + 1e-15
        before = now


def test_the_screens_handles_move_an_operated_diagram_and_no_drawn_one():
    asked = handles()
    assert isinstance(asked, Handles)
    by = {"kind": "keyboard", "frame": "gripper", "limits": {}}
    place = asked.place({"source": {"kind": "diagram", "file": "handles", "by": by}})
    assert place.override.startswith("source.by=")
    place.remove()
    assert asked.place({"source": {"kind": "diagram", "file": "wave", "by": None}}) is None


def test_the_shipped_handles_are_made_by_their_name_and_seen_in_the_editor(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "token").write_text("0123456789abcdef-secret")
    (tmp_path / "token").chmod(0o600)
    by = {"kind": "remote", "listen": str(tmp_path / "s.sock"), "token_file": "token"}
    source = {"kind": "diagram", "file": "handles", "by": by,
              "set": [{"parameter": "share", "value": 0.2}]}  # fmt: skip
    plan = arm_plan_from_table(table(source), tmp_path / "s.toml", ())
    assert not plan.scenario.source.planned
    made = make_source(plan.scenario.source, now_s=lambda: 0.0, scenario=tmp_path / "scenario.toml")
    assert made.duration_s is None
    assert made.sample(0.0).at_rest
    (law,) = find_tapped_laws()
    assert (law.run, law.changes) == ("handles", {("", "share"): 0.2})
    made.close()
    assert find_tapped_laws() == []
    assert Path(plan.scenario_file).name == "s.toml"

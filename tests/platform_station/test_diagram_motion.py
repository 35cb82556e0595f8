"""A functional diagram as a motion of the platform: played, proved, and broken off."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from bench_plans import PAPER

from hil import service
from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.stations.platform.commissioning.runs import play_moves
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.fit.fit_summaries import DRAWN, nothing_fits
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import load_plan, plan_from_table
from hil.stations.platform.scene.preview import preview
from hil.stations.platform.signals import MODE_CODE
from hil.stations.platform.station import STATION
from safety.modes import Mode

UNHEARD = nullcontext(SimpleNamespace(asked=None))
SINE = '"sine" = { kind = "Sine", amplitude = 0.02, frequency_hz = 0.5, unit = "m" }'
Z = '"z" = { kind = "Out", unit = "m" }'
BREAKS = (
    """
    "sine" = { kind = "Sine", amplitude = 0.02, frequency_hz = 0.5, unit = "m" }
    "three" = { kind = "Constant", value = 3.0, unit = "s" }
    "clock" = { kind = "Clock" }
    "left" = { kind = "Sum", signs = "+-" }
    "one_over" = { kind = "Reciprocal" }
    "small" = { kind = "Gain", k = 1e-9, unit = "m*s" }
    "both" = { kind = "Sum" }
    """
    + Z,
    {
        "left.u1": "three.y", "left.u2": "clock.y", "one_over.u": "left.y",
        "small.u": "one_over.y", "both.u1": "sine.y", "both.u2": "small.y", "z.u": "both.y",
    },
)  # fmt: skip
"""Heave, and 1/(3 s - t), small but at 3 s."""


def drawn(folder, blocks, wires, base_s=0.002):
    lines = [f'"{to}" = "{out}"' for to, out in wires.items()]
    blocks = "\n".join(line.strip() for line in blocks.splitlines())
    text = "\n".join(["format = 1", f"base_s = {base_s}", "[block]", blocks, "[wire]", *lines])
    (folder / "law.toml").write_text(text + "\n", encoding="utf-8")


def plan_of(folder, *, duration_s=8.0, fade_s=1.0, more=None, **scenario):
    motion = {
        "kind": "diagram", "diagram": "law.toml", "duration_s": duration_s, "fade_s": fade_s
    } | (more or {})  # fmt: skip
    table = {"name": "drawn", "rig": PAPER, "motion": motion} | scenario
    return plan_from_table(table, folder / "scenario.toml")


def refusal(folder, blocks, wires, **keys):
    drawn(folder, blocks, wires)
    with pytest.raises(ConfigError) as refused:
        motion_of(plan_of(folder, **keys))
    return str(refused.value)


def shipped(name, *changes):
    return load_plan(configs_dir() / "scenarios" / f"{name}.toml", changes)


def test_drawn_heave_is_the_shipped_sine_through_proof_and_gate(tmp_path):
    recordings = []
    for name in ("heave", "diagram_heave"):
        plan = shipped(name, "check_first=true", "motion.duration_s=5")
        result = play_moves(plan, tmp_path / name, quiet=True)
        assert result.outcome is Outcome.COMPLETED
        assert not result.violations
        recordings.append(Recording.open(result.recorder.path).columns)
    sine, diagram = recordings
    assert np.ptp(sine["wanted_pose"][:, 2][np.isfinite(sine["wanted_pose"][:, 2])]) > 0.159
    for name, most in (
        ("wanted_pose", 1e-9), ("asked_length_m", 1e-9), ("allowed_length_m", 1e-9),
        ("asked_speed_m_s", 1e-8),
    ):  # fmt: skip
        np.testing.assert_array_equal(np.isnan(sine[name]), np.isnan(diagram[name]), name)
        assert np.nanmax(np.abs(sine[name] - diagram[name])) <= most, name


def test_drawn_motion_out_of_the_envelope_is_refused_with_leg_and_time(tmp_path):
    far = SINE.replace("0.02", "0.4").replace("0.5", "0.1")
    drawn(tmp_path, f"{far}\n{Z}", {"z.u": "sine.y"})
    plan = plan_of(tmp_path, duration_s=10.0, check_first=True)
    with pytest.raises(RefusedError, match=r"\nmotion at \d\.\d\d\d s: leg 1: length "):
        play_moves(plan, tmp_path / "runs", quiet=True)
    assert not list((tmp_path / "runs").glob("**/*.mcap"))
    assert nothing_fits(plan) == DRAWN


def test_division_by_zero_is_refused_before_motion_with_block_and_time(tmp_path):
    drawn(tmp_path, *BREAKS)
    plan = plan_of(tmp_path, check_first=True)
    for attempt in (
        lambda: play_moves(plan, tmp_path / "runs", quiet=True),
        lambda: motion_of(plan_of(tmp_path)),  # as `hil check` makes it
    ):
        with pytest.raises(ConfigError, match=r"one_over made .* not finite, tick 1500 \(3 s\)"):
            attempt()
    assert not (tmp_path / "runs").exists()


def test_division_by_zero_in_a_run_ends_in_a_controlled_stop_that_names_the_block(tmp_path):
    drawn(tmp_path, *BREAKS)
    result = play_moves(plan_of(tmp_path), tmp_path / "runs", quiet=True)
    assert result.outcome is Outcome.FAILED
    assert "one_over made a number that is not finite, tick 1500 (3 s)" in result.reason
    assert "the motion comes there at 4 s" in result.reason  # led in for 1 s
    assert not result.violations
    assert result.mode in (Mode.HOLD, Mode.OFF, Mode.IDLE)
    found = Recording.open(result.recorder.path).columns
    playing = found["mode"] == MODE_CODE[Mode.ENGAGED]
    assert playing.sum() * 0.002 == pytest.approx(4.0, abs=0.005)
    speeds = found["allowed_speed_m_s"]
    speeds = speeds[np.isfinite(speeds).all(axis=1)]
    before = np.abs(found["asked_speed_m_s"][playing][-2]).max()
    assert before > 0.01  # it was in the middle of its motion ...
    assert np.abs(speeds[-1]).max() < 1e-9  # ... and stands
    most = max(plan_of(tmp_path).rig.limits.acceleration_max_m_s2)
    assert np.abs(np.diff(speeds, axis=0)).max() <= 0.002 * most * (1.0 + 1e-9)


def test_dry_run_of_a_drawn_motion_tells_the_block_that_stopped_it(tmp_path):
    drawn(tmp_path, *BREAKS)
    text = (
        f'name = "drawn"\nrig = "{PAPER}"\n[motion]\nkind = "diagram"\ndiagram = "law.toml"\n'
        "duration_s = 8.0\nfade_s = 1.0\n"
    )
    (tmp_path / "drawn.toml").write_text(text, encoding="utf-8")
    end = service.dry_run(STATION, tmp_path / "drawn.toml", tmp_path / "runs", lambda *_: None)
    assert not end.ok
    assert "one_over made a number that is not finite" in end.reason
    with pytest.raises(ConfigError, match="one_over"):
        preview(tmp_path / "drawn.toml")


def test_drawn_coordinates_are_deviations_from_neutral_and_the_rest_stays_there(tmp_path):
    alpha = '"alpha" = { kind = "Out", unit = "rad" }'
    turn = '"turn" = { kind = "Sine", amplitude = 0.03, frequency_hz = 0.25, unit = "rad" }'
    drawn(tmp_path, "\n".join((SINE, Z, turn, alpha)), {"z.u": "sine.y", "alpha.u": "turn.y"})
    plan = plan_of(tmp_path)
    motion, neutral = motion_of(plan), plan.rig.neutral.coordinates()
    assert motion.duration_s == pytest.approx(10.0)
    for t_s in np.linspace(0.0, 8.0, 57):
        at = motion.sample(1.0 + t_s)
        away = at.X_BP.coordinates() - neutral
        slow = 2.0 * np.pi * 0.5
        wanted = [0.0, 0.0, 0.02 * np.sin(slow * t_s), 0.03 * np.sin(0.5 * slow * t_s), 0.0, 0.0]
        np.testing.assert_allclose(away, wanted, atol=1e-11)
        assert at.V_BP[2] == pytest.approx(0.02 * slow * np.cos(slow * t_s), abs=1e-8)
        assert at.A_BP[2] == pytest.approx(-0.02 * slow**2 * np.sin(slow * t_s), abs=1e-5)
    for t_s in (-1.0, 0.0, 10.0, 11.0):
        at = motion.sample(t_s)
        np.testing.assert_allclose(at.X_BP.coordinates(), neutral, atol=1e-12)
        assert np.abs(at.V_BP).max() < 1e-12


ACTED = (
    """
    "to" = { kind = "PanelSlider", value = 0.0, low = -0.03, high = 0.03, unit = "m" }
    "back" = { kind = "PanelButton" }
    "down" = { kind = "Latch" }
    "never" = { kind = "ConstantBoolean" }
    "none" = { kind = "Constant", value = 0.0, unit = "m" }
    "wanted" = { kind = "Switch" }
    "slow" = { kind = "Lag", time_s = 0.5 }
    """
    + Z,
    {
        "down.set": "back.y", "down.reset": "never.y", "wanted.condition": "down.y",
        "wanted.u1": "none.y", "wanted.u2": "to.y", "slow.u": "wanted.y", "z.u": "slow.y",
    },
)  # fmt: skip
"""Heave to where a slider stands, and back when a button was pressed."""


def test_what_the_scenario_sets_slides_and_presses_is_in_the_motion_at_its_time(tmp_path):
    drawn(tmp_path, *ACTED)
    acts = {"slide": ["to=0.02@1", "to=-0.01@3"], "press": ["back@5"]}
    acts["set"] = [{"parameter": "slow.time_s", "value": 0.25}]
    motion = motion_of(plan_of(tmp_path, more=acts))
    begin = motion.sample(0.0).X_BP.position_m[2]
    times = np.arange(0.0, 8.0, 0.002)
    z = np.array([motion.sample(motion.lead_in_s + t).X_BP.position_m[2] for t in times]) - begin
    goals = np.select([times < 0.999, times < 2.999, times < 4.999], [0.0, 0.02, -0.01], 0.0)
    wanted, now, part = [], 0.0, 1.0 - np.exp(-0.002 / 0.25)
    for goal in goals:  # the lag's difference equation
        wanted.append(now)
        now += part * (goal - now)
    assert np.abs(z - wanted)[2:].max() < 1e-9
    assert z.max() > 0.0199


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"slide": ["to=0.05@1"]}, "0.05"),
        ({"slide": ["z=0.05@1"]}, "no PanelSlider or PanelSwitch 'z'"),
        ({"press": ["back"]}, "NAME@SECONDS"),
        ({"set": [{"parameter": "nobody", "value": 1.0}]}, "nobody"),
    ],
)
def test_acts_that_are_none_are_refused_before_anything_moves(tmp_path, more, why):
    drawn(tmp_path, *ACTED)
    with pytest.raises(ConfigError, match=why):
        motion_of(plan_of(tmp_path, more=more))


def test_told_rates_and_accelerations_are_taken_at_the_ticks(tmp_path):
    omega = np.pi
    more = "\n".join(
        f'"{name}" = {{ kind = "Sine", amplitude = {amplitude!r}, frequency_hz = 0.5, '
        f'phase_rad = {phase!r}, unit = "{unit}" }}\n'
        f'"z_{name}" = {{ kind = "Out", unit = "{unit}" }}'
        for name, amplitude, phase, unit in (
            # A little too fast, and so told apart from what the spline finds.
            ("rate", 1.001 * 0.02 * omega, 0.5 * np.pi, "m/s"),
            ("acceleration", 1.002 * 0.02 * omega**2, np.pi, "m/s^2"),
        )
    )
    wires = {"z.u": "sine.y", "z_rate.u": "rate.y", "z_acceleration.u": "acceleration.y"}
    drawn(tmp_path, f"{SINE}\n{Z}\n{more}", wires, base_s=0.02)
    motion = motion_of(plan_of(tmp_path))
    for tick in (0, 3, 111, 400):
        at = motion.sample(1.0 + 0.02 * tick)
        t_s = 0.02 * tick
        assert at.V_BP[2] == pytest.approx(1.001 * 0.02 * omega * np.cos(omega * t_s), abs=1e-9)
        told = -1.002 * 0.02 * omega**2 * np.sin(omega * t_s)
        assert at.A_BP[2] == pytest.approx(told, abs=1e-7)
    off = more.replace(repr(1.001 * 0.02 * omega), repr(1.2 * 0.02 * omega))
    told = refusal(tmp_path, f"{SINE}\n{Z}\n{off}", wires)
    assert "output z_rate adds up to" in told
    assert "z has gone" in told


def test_a_drawn_motion_that_is_none_is_refused_with_what_would_be_right(tmp_path):
    wire = {"z.u": "sine.y"}
    fed = '"wish" = { kind = "In", unit = "m" }'
    both = {"both.u1": "sine.y", "both.u2": "wish.y", "z.u": "both.y"}
    told = refusal(tmp_path, "\n".join((SINE, fed, '"both" = { kind = "Sum" }', Z)), both)
    assert "inputs wish: nobody feeds them" in told
    turned = '"alpha" = { kind = "Out", unit = "deg" }'
    in_deg = SINE.replace('"m"', '"deg"')
    told = refusal(tmp_path, f"{in_deg}\n{turned}", {"alpha.u": "sine.y"})
    assert "output alpha: is in deg; rad is needed" in told
    told = refusal(tmp_path, f"{SINE}\n{Z}".replace('"z"', '"zz"'), {"zz.u": "sine.y"})
    assert "output zz: no coordinate of a pose" in told
    assert "did you mean z" in told
    told = refusal(tmp_path, f"{SINE}\n{Z}".replace('"z"', '"z_rate"'), {"z_rate.u": "sine.y"})
    assert "output z_rate: is in m; m/s is needed" in told
    assert "needs the output z as well" in told
    told = refusal(tmp_path, SINE, {})
    assert "no output: a motion needs some of x, y, z, alpha, beta, gamma" in told
    told = refusal(tmp_path, f"{SINE}\n{Z}", wire, duration_s=5.0011)
    assert "duration_s is 5.0011 s: whole ticks of 0.002 s" in told
    assert "5.002 s are" in told
    told = refusal(tmp_path, f"{SINE}\n{Z}", wire, duration_s=0.01)
    assert "5 ticks" in told
    told = refusal(tmp_path, f"{SINE.replace('0.02', '2e4')}\n{Z}", wire)
    assert "output z is" in told
    assert "at most 1000" in told
    told = refusal(tmp_path, f"{SINE}\n{Z}", wire, duration_s=0.5)
    assert "fade_s is 1 s, longer than the recording of 0.5 s" in told

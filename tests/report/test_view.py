"""What is made of a recording before it is drawn: times, phases, limits, notes."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from report_samples import GOOD, demo_plan, start_of, with_columns, with_modes, write_run

from hil.machines.rig.machine import soft_range_m
from hil.recording.reader import Gap, Loss, Recording
from hil.report.phases import phases_of, times_s
from hil.stations.platform.report.view import LegLimits, RunView


def test_phases_follow_each_other_without_a_hole(good_view: RunView) -> None:
    phases = good_view.phases
    assert [(phase.mode, phase.end - phase.first) for phase in phases] == list(GOOD)
    for before, after in pairwise(phases):
        assert before.end == after.first
        assert before.end_s == after.start_s
    assert phases[0].start_s == 0.0
    assert phases[-1].end_s == good_view.times[-1]


def test_a_mode_without_a_name_is_shown_by_its_number(good_run: Recording) -> None:
    nameless = with_modes(good_run, "OFF")
    assert phases_of(nameless, times_s(nameless))[0].mode == "1"
    view = RunView.of(nameless)
    assert view.homed == 0
    assert not view.moving.any()


def test_homed_is_the_first_cycle_after_homing(good_view: RunView) -> None:
    assert good_view.homed == start_of(GOOD, "STANDBY") == 23


def test_times_that_are_not_there_are_bridged(good_run: Recording) -> None:
    times = good_run.t_s.copy()
    times[10:20] = np.nan
    np.testing.assert_allclose(times_s(with_columns(good_run, t_s=times)), good_run.t_s, atol=1e-12)


def test_times_that_go_back_are_levelled(good_run: Recording) -> None:
    times = good_run.t_s.copy()
    times[100] = 0.0
    assert (np.diff(times_s(with_columns(good_run, t_s=times))) >= 0).all()


def test_without_times_cycles_are_counted(good_run: Recording) -> None:
    times = times_s(with_columns(good_run, t_s=np.full(good_run.cycles, np.nan)))
    np.testing.assert_array_equal(times, np.arange(good_run.cycles))


def test_limits_are_those_of_the_rig(good_view: RunView) -> None:
    rig = demo_plan().rig
    limits = good_view.limits
    assert limits is not None
    for leg in range(6):
        assert (limits.soft_min_m[leg], limits.soft_max_m[leg]) == soft_range_m(rig, leg)
    np.testing.assert_allclose(limits.closed_m, 0.64)
    np.testing.assert_allclose(limits.open_m, 1.38)
    with pytest.raises(ValueError, match="read-only"):
        limits.speed_m_s[0] = 9.0


def test_each_leg_keeps_its_own_limits() -> None:
    strokes = [0.70, 0.71, 0.72, 0.73, 0.74, 0.75]
    rig = demo_plan(f"rig_settings.cylinders.stroke_m={strokes}").rig
    np.testing.assert_allclose(LegLimits.of(rig).open_m, 0.64 + np.array(strokes))


def test_a_good_recording_needs_no_note(good_view: RunView) -> None:
    assert good_view.notes == ()
    assert good_view.simulated
    assert good_view.virtual


def test_real_drives_are_not_called_simulated(tmp_path) -> None:
    view = RunView.of(write_run(tmp_path / "a.mcap", drives="paper (can:can0)", simulated=""))
    assert not view.simulated


def test_what_is_wrong_with_a_recording_is_noted(good_run: Recording) -> None:
    odd = dataclasses.replace(
        good_run,
        scenario=None,
        truncated=True,
        losses=(Loss("chunk 7", 1.0, 1.5, 250), Loss("gone", 4.0, 4.1, 9, damaged=False)),
        gaps=(Gap(5, 2),),
        metadata={},
    )
    view = RunView.of(odd)
    text = "\n".join(view.notes)
    assert "not finished properly" in text
    assert "damaged once; 250 cycles are missing by that" in text
    assert "1.000 to 1.500 s, 250 cycles missing: chunk 7" in text
    assert "4.000 to 4.100 s, 9 cycles missing: gone" in text
    assert "2 rows are missing" in text
    assert "scenario is not in the file" in text
    assert (view.plan, view.limits, view.geometry) == (None, None, None)


def test_a_scenario_of_another_version_is_noted_with_its_key(good_run: Recording) -> None:
    assert good_run.scenario is not None
    other = dict(good_run.scenario) | {"rig": dict(good_run.scenario["rig"]) | {"wheels": 4}}
    view = RunView.of(dataclasses.replace(good_run, scenario=other))
    assert view.plan is None
    assert any("rig.wheels" in note for note in view.notes)


def test_a_rig_that_cannot_be_is_noted_and_still_has_limits(good_run: Recording) -> None:
    plan = demo_plan("rig_settings.name=other").model_dump(mode="json")
    plan["rig"]["geometry"]["platform_half_angle_deg"] = 14.0  # similar hexagons
    view = RunView.of(dataclasses.replace(good_run, scenario=plan))
    assert view.geometry is None
    assert view.limits is not None
    assert any("cannot be drawn" in note and "singular" in note for note in view.notes)

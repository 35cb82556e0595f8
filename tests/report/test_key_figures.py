"""The table of key figures: the recording's own extremes, against the right leg's limit."""

import dataclasses

import numpy as np
import pytest
from report_samples import LAG, demo_plan, start_of, with_columns, write_run

from hil.recording.reader import Recording
from hil.report.recorded_run import KeyFigure
from hil.run.evidence import evidence_of
from hil.stations.platform.report.key_figures import key_figures
from hil.stations.platform.report.leg_figures import step_rate, window_share
from hil.stations.platform.report.view import RunView
from hil.stations.platform.signals import CycleFlag


def table(recording: Recording) -> dict[str, KeyFigure]:
    return {row.name: row for row in key_figures(RunView.of(recording))}


def test_values_are_those_of_the_evidence(good_run: Recording) -> None:
    rows = table(good_run)
    evidence = evidence_of(good_run, np.full(6, 0.64))
    assert evidence.length_min_m is not None
    assert evidence.tracking_error_max_m is not None
    assert rows["shortest leg"].value == f"{evidence.length_min_m:.4f} m"
    assert rows["longest leg"].value == f"{evidence.length_max_m:.4f} m"
    assert rows["leg speed, measured"].value == f"{evidence.leg_speed_max_m_s:.3f} m/s"
    assert rows["tracking error"].value == f"{evidence.tracking_error_max_m * 1e3:.3f} mm"
    assert rows["rod strokes"].value == (
        f"{evidence.stroke_min_m:.4f} to {evidence.stroke_max_m:.4f} m"
    )
    assert not any(row.bad for row in rows.values())


def test_extremes_name_their_leg_and_time_and_margin(good_run: Recording) -> None:
    lengths = good_run.column("measured_length_m").copy()
    cycle = start_of(
        (("IDLE", 3), ("HOMING", 20), ("STANDBY", 10), ("ENGAGING", 50), ("x", 1)), "x"
    )
    lengths[cycle + 100, 4] = 1.3700
    lengths[cycle + 60, 1] = 0.6470
    rows = table(with_columns(good_run, measured_length_m=lengths))
    longest = rows["longest leg"]
    assert (longest.value, longest.where) == ("1.3700 m", "leg 5 at 0.37 s")
    assert (longest.limit, longest.margin, longest.bad) == ("1.3750 m (soft)", "5.0 mm", False)
    shortest = rows["shortest leg"]
    assert (shortest.where, shortest.margin) == ("leg 2 at 0.29 s", "2.0 mm")


@pytest.mark.parametrize(("length_m", "name"), [(1.3751, "longest leg"), (0.6449, "shortest leg")])
def test_a_limit_that_is_exceeded_is_bad(good_run: Recording, length_m: float, name: str) -> None:
    lengths = good_run.column("measured_length_m").copy()
    lengths[200, 2] = length_m
    row = table(with_columns(good_run, measured_length_m=lengths))[name]
    assert row.bad
    assert row.margin == "-0.1 mm"


def test_the_limit_is_that_of_the_leg_in_question(tmp_path) -> None:
    plan = demo_plan(
        "rig_settings.cylinders.stroke_m=[0.70,0.71,0.72,0.73,0.74,0.75]",
        "rig_settings.limits.speed_max_m_s=[0.5,0.49,0.48,0.47,0.46,0.45]",
    )

    def change(index, frame):
        speeds = (0.1, 0.1, 0.1, -0.44, 0.1, 0.1)
        lengths = (1.0, 1.0, 1.0, 1.0, 1.0, 1.2)
        if index != 200:
            return frame
        return frame._replace(measured_speed_m_s=speeds, measured_length_m=lengths)

    rows = table(write_run(tmp_path / "a.mcap", plan=plan, change=change))
    assert rows["longest leg"].limit == "1.3850 m (soft)"
    speed = rows["leg speed, measured"]
    assert (speed.value, speed.limit, speed.where) == ("0.440 m/s", "0.470 m/s", "leg 4 at 0.40 s")
    assert speed.margin == "0.030 m/s"
    assert rows["rod strokes"].limit == "0 to 0.7000…0.7500 m by leg (mechanical)"


def test_what_lies_outside_the_motion_does_not_count(good_run: Recording) -> None:
    lengths = good_run.column("measured_length_m").copy()
    lengths[5] = 2.0  # homing
    lengths[-5] = 0.1  # parked
    assert table(with_columns(good_run, measured_length_m=lengths)) == table(good_run)


def test_the_following_window_is_the_gates(good_view: RunView) -> None:
    share = window_share(good_view)
    assert share is not None
    cycle = 200
    sent = good_view.recording.column("sent_length_m")
    speed = (sent[cycle] - sent[cycle - 1]) / 0.002
    error = LAG * np.abs(1.0 - sent[cycle])
    np.testing.assert_allclose(share[cycle], error / (0.004 + 0.03 * np.abs(speed)), rtol=1e-9)


def test_a_window_that_was_left_is_bad(good_run: Recording) -> None:
    measured = good_run.column("measured_length_m").copy()
    measured[300, 3] = good_run.column("sent_length_m")[300, 3] + 0.5
    row = table(with_columns(good_run, measured_length_m=measured))["following window used"]
    assert row.bad
    assert row.where == "leg 4 at 0.60 s"


@pytest.mark.parametrize(("share", "bad"), [(0.98, False), (1.02, True), (1.09, True)])
def test_a_window_is_left_where_more_than_all_of_it_is_used(good_run, share, bad) -> None:
    """The demo's window is 4 mm and 30 mm for each m/s that was sent."""
    measured, sent = good_run.column("measured_length_m").copy(), good_run.column("sent_length_m")
    speed_m_s = (sent[300, 3] - sent[299, 3]) / 0.002
    measured[300, 3] = sent[300, 3] + share * (0.004 + 0.03 * abs(speed_m_s))
    row = table(with_columns(good_run, measured_length_m=measured))["following window used"]
    assert row.where == "leg 4 at 0.60 s"
    assert row.value == f"{100.0 * share:.0f} %"
    assert row.bad is bad


def test_a_rate_over_missing_cycles_is_not_made_up(good_view: RunView) -> None:
    index = good_view.recording.column("index").copy()
    index[200:] += 3
    view = dataclasses.replace(good_view, recording=with_columns(good_view.recording, index=index))
    rate = step_rate(view, view.recording.column("sent_length_m"))
    assert np.isnan(rate[200]).all()
    assert np.isfinite(rate[199]).all()
    assert np.isfinite(rate[201]).all()


def test_the_commanded_acceleration_is_the_second_difference(good_view: RunView) -> None:
    allowed = good_view.recording.column("allowed_length_m")
    most = np.nanmax(np.abs(np.diff(allowed, n=2, axis=0)[good_view.moving[2:]])) / 0.002**2
    row = {row.name: row for row in key_figures(good_view)}["leg acceleration, commanded"]
    assert row.value == f"{most:.3f} m/s²"
    assert row.limit == "6.000 m/s²"


def test_counts_of_what_should_not_happen(good_run: Recording) -> None:
    flags = good_run.column("flags").copy()
    flags[[93, 94]] |= int(CycleFlag.FEEDBACK_STALE)
    flags[[0, 95]] |= int(CycleFlag.FORWARD_FAILED)  # the first is not of the motion
    rows = table(with_columns(good_run, flags=flags))
    found = {name: (row.value, row.bad) for name, row in rows.items() if name.startswith("cycles")}
    assert found == {
        "cycles recorded": ("545 over 1.09 s", False),
        "cycles with feedback missing": ("2", True),
        "cycles in motion without a pose found": ("1", True),
    }


def test_the_virtual_clock_has_no_lateness_and_the_real_one_a_limit(tmp_path) -> None:
    def late(index, frame):
        return frame._replace(late_s=6.1e-3 if index == 77 else 30e-6)

    plan = demo_plan("clock=real")
    rows = table(write_run(tmp_path / "a.mcap", plan=plan, change=late, clock="real"))
    assert "lateness" not in rows
    assert rows["lateness, median"].value == "30 µs"
    greatest = rows["lateness, greatest"]
    assert (greatest.value, greatest.limit) == ("6100 µs", "6000 µs")
    assert greatest.bad
    virtual = table(write_run(tmp_path / "b.mcap", change=late))
    assert virtual["lateness"].value == "virtual clock: no lateness"


def test_deadlines_given_up_are_counted_from_the_times(tmp_path) -> None:
    def late(index, frame):
        # Cycle 100 wakes 3 ms late, past the next deadline too; that one is given up (1).
        if index == 100:
            return frame._replace(late_s=0.003, dt_s=0.005)
        if index == 101:
            return frame._replace(late_s=0.0, dt_s=0.001)
        # Cycle 200 computes for long: the next one comes at the fourth deadline after it (3).
        return frame._replace(late_s=1e-5, dt_s=0.008 if index == 201 else 0.002)

    plan = demo_plan("clock=real")
    real = table(write_run(tmp_path / "a.mcap", plan=plan, change=late, clock="real"))
    assert (real["deadlines given up"].value, real["deadlines given up"].bad) == ("4", True)
    assert "deadlines given up" not in table(write_run(tmp_path / "b.mcap", change=late))


def test_without_a_scenario_values_are_shown_and_limits_are_not(good_run: Recording) -> None:
    rows = table(dataclasses.replace(good_run, scenario=None))
    assert rows["longest leg"].value == table(good_run)["longest leg"].value
    assert {row.limit for row in rows.values()} == {""}
    assert "rod strokes" not in rows


def test_without_motion_only_the_counts_remain(tmp_path) -> None:
    rows = table(write_run(tmp_path / "a.mcap", (("IDLE", 5), ("HOMING", 5))))
    assert "longest leg" not in rows
    assert rows["cycles recorded"].value == "10 over 0.02 s"

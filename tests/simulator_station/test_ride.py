"""A ride from power-up to parked: repeatable, limited, given up in order, with its rows."""

import math

import numpy as np
import pytest
import scripted_source
from ride_bench import PERIOD_S, coded, in_mode, plan_of, ridden

from hil.config.errors import ConfigError
from hil.report.page import write_report
from hil.stations.simulator.run.bench import ride_of
from hil.stations.simulator.run.rehearsal import rehearse

pytestmark = [pytest.mark.usefixtures("scripted"), pytest.mark.campaign]


def test_the_same_scenario_gives_the_same_recording(tmp_path):
    one, recording = ridden(tmp_path)
    two, _ = ridden(tmp_path)
    other, _ = ridden(tmp_path, {"surge_m_s2": 1.01})
    assert one.ok
    assert one.recorder.sha256 == two.recorder.sha256 != other.recorder.sha256
    assert recording.metadata["run"]["source_code"].startswith("scripted of rides-of-others 2.0 ")


def test_it_ends_at_rest_at_neutral_before_it_parks(tmp_path):
    result, recording = ridden(tmp_path)
    assert result.outcome.value == "completed"
    assert not result.violations
    last = np.flatnonzero(in_mode(recording, "ENGAGED"))[-1]
    neutral = plan_of().rig.neutral.coordinates()
    np.testing.assert_array_equal(recording.column("wanted_pose")[last], neutral)
    assert np.abs(recording.column("asked_speed_m_s")[last]).max() == 0.0


def test_a_rider_at_rest_feels_gravity_and_on_the_way_what_is_wanted(tmp_path):
    _, recording = ridden(tmp_path, {"lasts_s": 6.0})
    ride = in_mode(recording, "ENGAGED")
    force = recording.column("felt_force_m_s2")[ride]
    np.testing.assert_allclose(force[0], (0.0, 0.0, -9.80665))
    following = recording.column("weight")[ride] == 1.0
    wanted = recording.column("wanted_force_m_s2")[ride][following]
    sine = np.sin(2.0 * np.pi * 0.4 * recording.column("t_s")[ride][following])
    np.testing.assert_allclose(wanted[:, 0], sine, atol=1e-9)
    assert np.corrcoef(wanted[:, 0], force[following][:, 0])[0, 1] > 0.5


@pytest.mark.usefixtures("unpainted")
def test_no_force_makes_the_gate_stop_it(tmp_path):
    result, recording = ridden(tmp_path, {"surge_m_s2": 40.0, "roll_rad_s": 3.0, "lasts_s": 4.0})
    assert result.outcome.value == "completed"
    assert not result.violations
    assert recording.column("governor_active").any()
    assert np.nanmin(recording.column("governor_margin")) >= 0.0
    picture = write_report(recording, tmp_path)
    assert "What was left of the legs" in picture.read_text()


def test_without_its_governor_the_gate_stops_the_same_ride(tmp_path):
    asked = {"surge_m_s2": 40.0, "roll_rad_s": 3.0, "lasts_s": 4.0}
    result, _ = ridden(tmp_path, asked, {"governor": False, "gain": 4.0, "preset": "base"})
    assert result.outcome.value == "tripped"


@pytest.mark.parametrize("again_s", [10.6, scripted_source.NEVER_S])
def test_a_source_that_comes_back_is_followed_again_and_one_that_does_not_parks(tmp_path, again_s):
    source = {"lasts_s": 8.0, "lost_from_s": 9.0, "lost_until_s": again_s}
    result, recording = ridden(tmp_path, source)
    states = list(dict.fromkeys(coded(recording, "host").tolist()))
    back = again_s < scripted_source.NEVER_S
    assert result.outcome.value == ("completed" if back else "tripped")
    followed = ["WAITING", "LIVE", "FADING_OUT", "AWAY"]
    assert states == (followed if back else [*followed, "LOST"])
    if not back:
        assert result.reason.startswith("the live source was lost: no fresh packet for 2 s")
        parks = recording.column("t_s")[in_mode(recording, "PARKING")][0]
        assert 11.3 < parks < 14.0
    modes = {event.message for event in result.events if "→" in event.message}
    assert not any("CSTOP" in one or "HOLD" in one for one in modes)


def test_it_engages_only_when_its_source_was_live_for_a_second(tmp_path):
    _, recording = ridden(tmp_path, {"live_from_s": 3.0})
    engaging = recording.column("t_s")[in_mode(recording, "ENGAGING")][0]
    live = recording.column("t_s")[coded(recording, "host") == "LIVE"][0]
    assert 3.0 < live < 4.0  # as soon as its force is known to be a vehicle's
    assert 1.0 <= engaging - live <= 1.0 + PERIOD_S + 1e-6
    heard = [event.message for event in recording.events if "the source is" in event.message]
    assert any("expected live for 1 s" in one for one in heard)


def test_a_source_that_falls_silent_while_the_platform_engages_is_lost(tmp_path):
    """A vehicle that was never followed is no ride that was completed."""
    _, recording = ridden(tmp_path / "sound")
    times_s = recording.column("t_s")
    engaging = times_s[in_mode(recording, "ENGAGING")]
    silent = {"silent_from_s": float(engaging[0] + 0.1), "lasts_s": None}
    result, recording = ridden(tmp_path / "silent", silent, duration_s=20.0)
    assert (result.ok, result.outcome.value) == (False, "tripped")
    assert result.reason.startswith("the live source was lost: no fresh packet for 2 s")
    parks = recording.column("t_s")[in_mode(recording, "PARKING")][0]
    assert parks - recording.column("t_s")[in_mode(recording, "ENGAGED")][0] < 5.0


def test_a_ride_of_a_given_time_ends_by_itself(tmp_path):
    result, recording = ridden(tmp_path, {"lasts_s": None}, duration_s=1.5)
    ride = recording.column("t_s")[in_mode(recording, "ENGAGED")]
    assert result.outcome.value == "completed"
    assert 2.3 < ride[-1] - ride[0] < 5.0


def test_presets_change_by_the_hosts_flag_without_a_jump(tmp_path):
    source = {"ground_from_s": 7.5, "lasts_s": 5.0}
    _, recording = ridden(tmp_path, source, {"ground_preset": "base"}, rate_hz=500.0)
    preset = recording.column("preset")
    at = np.flatnonzero(np.diff(preset.astype(int)))
    assert recording.column("t_s")[at[0] + 1] == pytest.approx(7.5, abs=0.003)
    accelerations = np.diff(recording.column("asked_speed_m_s"), axis=0) / 0.002
    jumps = np.abs(np.diff(accelerations, axis=0)).max(axis=1)
    assert jumps[at[0] - 5 : at[0] + 5].max() < 0.05


def test_a_rehearsal_is_the_ride(tmp_path):
    _, recording = ridden(tmp_path, {"frequency_hz": 0.0, "surge_m_s2": 0.0})
    ride = rehearse(plan_of({"frequency_hz": 0.0, "surge_m_s2": 0.0}))
    assert ride.duration_s < 5.0
    asked = recording.column("wanted_pose")[in_mode(recording, "ENGAGED")]
    np.testing.assert_allclose(asked[-1], ride.rows[-1, 0], atol=1e-12)
    assert not ride.active.any()


@pytest.mark.parametrize(
    ("source", "cueing", "more", "words"),
    [
        ({"kind": "pendulum"}, {}, {}, "kind = 'pendulum': must be one of"),
        ({"surge": 1.0}, {}, {}, "source.surge = 1.0: unknown key"),
        ({}, {"preset": "loose"}, {}, "preset = 'loose': no such file"),
        ({}, {"gain": -0.1}, {}, "cueing.gain = -0.1"),
        ({}, {"gain": math.nan}, {}, "cueing.gain"),
        ({}, {"algorithm": "magic"}, {}, "cueing.algorithm = 'magic'"),
        ({}, {}, {"motion": {"kind": "hold", "duration_s": 1.0}}, "motion"),
        ({}, {}, {"duration_s": 0.0}, "duration_s = 0.0"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(source, cueing, more, words):
    with pytest.raises(ConfigError) as refused:
        ride_of(plan_of(source, cueing, **more))
    assert words in str(refused.value)

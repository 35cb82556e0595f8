"""The low-pass of a host's map: its closed form, what it costs, and what it leaves of a ride."""

import cmath
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hil.config.errors import ConfigError, MotionError
from hil.config.named_files import GIVEN
from hil.hosts.watch.states import HostReading
from hil.stations.platform.motion.lowpass import LiveLowPass, lowpass
from hil.stations.simulator.cue.latency_run import lowpass_delay_s
from hil.stations.simulator.plan.scenario import ride_from_table
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.host import KIND, HostSettings
from hil.stations.simulator.sources.smoothing import SmoothedStates
from platform6dof.cueing.vehicle import REST, UNKNOWN

PERIOD_S = 0.002


def butterworth(frequency_hz, corner_hz, order=2):
    """Of s at the frequency that Tustin's rule with a prewarped corner takes for this one."""
    s = 1j * math.tan(math.pi * frequency_hz * PERIOD_S) / math.tan(math.pi * corner_hz * PERIOD_S)
    poles = [cmath.exp(1j * math.pi * (2 * k + order + 1) / (2 * order)) for k in range(order)]
    return 1.0 / np.prod([s - pole for pole in poles])


@pytest.mark.parametrize("corner_hz", [2.0, 10.0, 60.0])
@pytest.mark.parametrize("share", [0.1, 0.5, 1.0, 2.0, 3.5])
def test_a_sine_comes_out_as_the_closed_form_says(corner_hz, share):
    frequency_hz = share * corner_hz
    one = LiveLowPass(corner_hz, PERIOD_S)
    times_s = PERIOD_S * np.arange(round(12.0 / PERIOD_S))
    asked = np.sin(2.0 * math.pi * frequency_hz * times_s)
    out = np.array([one.step([value])[0] for value in asked])
    last = times_s > 8.0
    turned = 2.0 * math.pi * frequency_hz * times_s[last]
    both = np.stack([np.cos(turned), np.sin(turned)], axis=1)
    (cosine, sine), *_ = np.linalg.lstsq(both, out[last], rcond=None)
    wanted = butterworth(frequency_hz, corner_hz)
    assert complex(sine, cosine) == pytest.approx(wanted, abs=1e-6)
    if share == 1.0:
        assert abs(wanted) == pytest.approx(math.sqrt(0.5), abs=1e-12)
    if share < 1.0:
        later_s = -cmath.phase(wanted) / (2.0 * math.pi * frequency_hz)
        assert one.phase_delay_s(frequency_hz) == pytest.approx(later_s, rel=1e-9)


def test_its_delay_at_low_frequency_is_that_of_the_documents():
    for corner_hz in (5.0, 10.0, 20.0):
        later_s = LiveLowPass(corner_hz, PERIOD_S).phase_delay_s(0.2)
        assert later_s == pytest.approx(math.sqrt(2.0) / (2.0 * math.pi * corner_hz), rel=1e-2)


def test_a_record_is_filtered_by_the_same_law_forth_and_back():
    times_s = PERIOD_S * np.arange(6000)
    for frequency_hz in (4.0, 10.0, 14.0):
        asked = np.sin(2.0 * math.pi * frequency_hz * times_s)[:, None]
        out = lowpass(asked, PERIOD_S, 10.0)[2000:4000, 0]
        gain = out @ asked[2000:4000, 0] / (asked[2000:4000, 0] @ asked[2000:4000, 0])
        assert gain == pytest.approx(abs(butterworth(frequency_hz, 10.0, order=4)) ** 2, abs=1e-6)


@given(share=st.floats(-300.0, 0.0).map(lambda power: 10.0**power))
@example(share=1e-5)
@example(share=2e-40)
def test_a_constant_passes_unchanged_or_the_corner_is_refused(share):
    samples = np.full((3000, 1), 3.0)
    corner_hz = share * 0.5 / PERIOD_S
    if not 1e-5 <= share < 1.0:
        with pytest.raises(MotionError, match=r"at least 0\.0025 Hz"):
            lowpass(samples, PERIOD_S, corner_hz)
    else:
        assert lowpass(samples, PERIOD_S, corner_hz) == pytest.approx(samples, rel=1e-6)


def test_it_begins_at_rest_and_what_is_no_number_begins_anew():
    one = LiveLowPass(10.0, PERIOD_S)
    assert one.step([3.0, math.nan]) == pytest.approx([3.0, math.nan], nan_ok=True)
    assert one.step([3.0, -2.0]) == pytest.approx([3.0, -2.0])
    assert one.step([4.0, -2.0])[0] < 3.1
    one.reset()
    assert one.step([7.0, 1.0]) == pytest.approx([7.0, 1.0])
    for corner_hz in (250.0, 0.0, math.nan):
        with pytest.raises(MotionError, match=r"below half the sample rate, 250 Hz, is needed"):
            LiveLowPass(corner_hz, PERIOD_S)


def test_an_attitude_turns_all_about_and_is_followed_the_same_way():
    """Half a turn flips the sign of a quaternion, which is no turn."""
    one, told = SmoothedStates(LiveLowPass(10.0, PERIOD_S)), REST
    later_s, rate_rad_s = 0.0225, 1.0
    for cycle in range(5000):
        angle = rate_rad_s * PERIOD_S * cycle
        x, y, z, w = Rotation.from_euler("z", angle).as_quat(canonical=True)
        told = one.step(replace(REST, attitude=(w, x, y, z), v_m_s=UNKNOWN))
        w, x, y, z = told.attitude
        behind = Rotation.from_euler("z", angle) * Rotation.from_quat([x, y, z, w]).inv()
        if cycle > 500:
            assert behind.as_rotvec()[2] == pytest.approx(rate_rad_s * later_s, abs=2e-4)
    assert all(map(math.isnan, told.v_m_s))
    assert told.f_m_s2 == pytest.approx(REST.f_m_s2)


def ridden(folder, lowpass_hz, seconds=9.0):
    """Forces that are followed, and when, of a drive whose host is heard through a map."""
    name = folder / "own.toml"
    name.write_text('kind = "hcu1"\n' + (f"lowpass_hz = {lowpass_hz}\n" if lowpass_hz else ""))
    table = {"kind": "host", "map": str(name), "emulated": {"feed": "drive", "rate_hz": 200.0}}
    GIVEN.take(table)  # as on the command line
    now = [0.0]
    around = Surroundings(Path("ride.toml"), PERIOD_S, True, 3, lambda: now[0])
    told: list[HostReading] = []
    with KIND.open(HostSettings.build(table, "ride.toml"), around) as source:
        for cycle in range(round(seconds / PERIOD_S)):
            now[0] = PERIOD_S * cycle
            if cycle == 1000:
                source.begin(now[0])
            told.append(source.poll(now[0]))
    return np.array([one.state.f_m_s2 for one in told[1000:] if one.state is not None])


def test_what_a_ride_follows_is_its_source_filtered_and_nothing_else(tmp_path):
    plain, slow = ridden(tmp_path, None), ridden(tmp_path, 10.0)
    assert plain.shape == slow.shape
    one = LiveLowPass(10.0, PERIOD_S)
    wanted = np.array([one.step(force) for force in plain.tolist()])
    assert np.abs(slow - wanted)[500:].max() < 1e-9
    assert np.abs(slow - plain).max() > 0.02
    with pytest.raises(
        ConfigError, match=r"source\.map: lowpass_hz is 400\.0 Hz: at least 0\.0025 Hz and"
    ):
        ridden(tmp_path, 400.0)
    with pytest.raises(ConfigError, match="lowpass_hz"):
        ridden(tmp_path, -1.0)


def test_its_delay_is_a_share_of_its_own(tmp_path):
    (tmp_path / "own.toml").write_text('kind = "hcu1"\nlowpass_hz = 8.0\n')

    def plan_of(map_):
        source = {"kind": "host", "map": map_, "emulated": {"feed": "drive"}}
        GIVEN.take(source)
        table = {
            "name": "ride", "station": "simulator", "rig": "training_simulator", "rate_hz": 500.0,
            "source": source, "cueing": {"preset": "tight"}, "duration_s": 2.0,
        }  # fmt: skip
        return ride_from_table(table, Path("ride.toml"), ())

    assert lowpass_delay_s(plan_of("hcu1")) is None
    wanted_s = -cmath.phase(butterworth(1.0, 8.0)) / (2.0 * math.pi)
    assert lowpass_delay_s(plan_of(str(tmp_path / "own.toml"))) == pytest.approx(wanted_s, rel=1e-9)

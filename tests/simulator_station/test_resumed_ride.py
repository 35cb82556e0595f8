"""A ride that a stall of the computer ended is resumed by one press, and by nothing less."""

import numpy as np
import pytest
from led_bench import LedBench
from operated_bench import PERIOD_S
from test_way_back import BACK, STALLS, late, silent

from hil.desk.order import Button
from hil.hosts.watch.states import HostState
from safety.modes import Mode


@pytest.mark.parametrize("stall", [silent, late])
def test_play_resumes_a_ride_that_a_stall_ended(tmp_path, stall):
    bench = LedBench(tmp_path)
    with bench.opened:
        bench.run(0.1)
        bench.press(Button.HOME)
        bench.until(Mode.STANDBY)
        bench.until(lambda: bench.heard.host is HostState.LIVE)
        bench.press(Button.ENGAGE)
        bench.until(Mode.ENGAGED)
        bench.press(Button.PLAY)
        bench.run(5.0)
        stall(bench)
        bench.until(STALLS[stall])
        since = len(bench.lengths)
        bench.run(5.0)
        held = {lengths for lengths in bench.lengths[since:] if not np.isnan(lengths[0])}
        assert bench.mode is STALLS[stall]
        assert len(held) == 1, "what is held until the power goes"
        assert not bench.course.done
        bench.modes = [bench.mode]
        bench.press(Button.PLAY)
        bench.until(Mode.ENGAGED, 60.0)
        assert bench.modes[1:] == BACK[STALLS[stall]]
        since = len(bench.rows)
        bench.run(4.0)
        assert bench.told.operation.playing == "play"
        assert bench.ride.motion.weight == 1.0
        assert np.ptp(bench.steps(since)[0], axis=0).max() > 1e-3


def test_a_ride_whose_source_is_gone_is_led_to_where_it_waits_and_told_so(tmp_path):
    bench = LedBench(tmp_path)
    with bench.opened:
        bench.run(0.1)
        bench.press(Button.HOME)
        bench.until(Mode.STANDBY)
        bench.until(lambda: bench.heard.host is HostState.LIVE)
        bench.press(Button.ENGAGE)
        bench.until(Mode.ENGAGED)
        bench.press(Button.PLAY)
        bench.run(3.0)
        bench.fault("stall duration_s=60")
        silent(bench)
        bench.until(Mode.HOLD)
        bench.run(3.0)
        bench.press(Button.PLAY)
        bench.until(Mode.STANDBY, 60.0)
        bench.run(100 * PERIOD_S)
        assert bench.mode is Mode.STANDBY
        assert bench.refused.startswith("PLAY: taken back:")
        assert "source" in bench.refused

"""How long a motion of joints takes: by its largest turn alone, however small."""

import numpy as np
import pytest

from hil.config.file_search import configs_dir
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.sources.planned_motion import planned_motion

JOINT_MOVE = configs_dir() / "scenarios" / "joint_move.toml"
SHORTEST_S = {
    "uniform": lambda deg: deg / 10.0,
    "quintic": lambda deg: 1.875 * deg / 10.0,  # its greatest speed is 15/8 of the mean one
}
"""At 10 degrees a second, as its closed form has it."""


@pytest.mark.parametrize("profile", SHORTEST_S)
@pytest.mark.parametrize("deg", [2.0, 20.0, -80.0])
def test_a_motion_takes_as_long_as_its_largest_turn_at_the_speed_asked_for(profile, deg):
    limits = ("motion.speed_deg_s=10.0", "motion.acceleration_deg_s2=10000.0",
              "motion.jerk_deg_s3=1e6")  # fmt: skip
    goal = f"motion.goal=[{{joint=1, by_deg={deg}}}, {{joint=4, by_deg={deg / 3.0}}}]"
    shortest_s = SHORTEST_S[profile](abs(deg))
    changes = (goal, f'motion.profile="{profile}"', f"motion.duration_s={1.01 * shortest_s}")
    plan = load_world_plan(JOINT_MOVE, (*limits, *changes))
    start = np.zeros(len(plan.robot.drives))
    motion, line = planned_motion(plan, plan.scenario.motion, None, start)
    assert line is None
    step_s = plan.scenario.step_s
    assert len(motion) * step_s == pytest.approx(1.01 * shortest_s, abs=2.0 * step_s)
    last = motion.row(len(motion) - 1)[0]
    assert np.abs(last).max() == pytest.approx(np.radians(abs(deg)), rel=1e-6)

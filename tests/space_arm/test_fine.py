"""A scenario asks for the fine simulation of its space arm."""

from pathlib import Path

import numpy as np
import pytest

from hil.config.settings import ConfigError
from hil.stations.arm.plan.scenario import arm_plan_from_table
from hil.stations.arm.proof.prepare import space_arm_of
from sim.world.space_arm.integrators import SpanStatus

RATES = np.array([0.01, -0.01, 0.01, 0.02, -0.02, 0.02])


def plan(**space_arm):
    segment = {"duration_s": 1.0, "velocity_m_s": [0.0, 0.02, 0.0]}
    table = {
        "station": "arm",
        "name": "fine",
        "space_arm": space_arm,
        "source": {"kind": "profile", "frame": "base", "segment": [segment]},
    }
    return arm_plan_from_table(table, Path("fine"))


@pytest.mark.parametrize("model", ["a", "d", "e"])
def test_fine_takes_more_steps_to_the_same_place(model):
    usual, fine = (
        space_arm_of(plan(model=model, payload="light", accuracy=accuracy)).advance(RATES)
        for accuracy in ("usual", "fine")
    )
    assert fine.status is SpanStatus.DONE
    assert fine.span.steps > 3 * usual.span.steps
    off_m = np.linalg.norm(fine.position_BG_m - usual.position_BG_m)
    assert 0.0 < off_m < 2e-5


def test_rigid_gaps_have_no_fine_simulation():
    with pytest.raises(ConfigError, match='"fine" is not there for model c; "usual" is'):
        plan(model="c", accuracy="fine")

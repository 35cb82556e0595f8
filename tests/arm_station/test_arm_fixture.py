"""A fixture in a scenario: the held body is stopped by it, and what makes no sense is refused."""

from typing import Any

import numpy as np
import pytest

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.stations.arm.plan.scenario import ArmPlan, load_arm_plan
from hil.stations.arm.proof.prepare import space_arm_of

SHIPPED = configs_dir() / "scenarios" / "bkm_on_rm01.toml"
ABOVE = {"points_m": [[0, 0, 0]], "face": [{"centre_m": [10.95, 2.43, 1.18], "normal": [0, 0, -2]}]}


def plan_with(fixture: dict[str, Any] | None, **chosen: Any) -> ArmPlan:
    changes = {f"space_arm.{key}": value for key, value in chosen.items()}
    if fixture is not None:
        changes["space_arm.fixture"] = fixture
    return load_arm_plan(SHIPPED, list(changes.items()))


def test_the_body_is_stopped_by_the_face() -> None:
    rises = {}
    for name, fixture in (("free", None), ("felt", ABOVE)):
        space = space_arm_of(plan_with(fixture, model="a", accuracy="usual"))
        up = np.linalg.lstsq(*_upward(space), rcond=None)[0]
        for _ in range(5):
            snapshot = space.advance(up)
        rises[name] = snapshot.position_BG_m[2]
    assert rises["free"] > 1.18 + 0.015
    assert 1.18 < rises["felt"] < rises["free"] - 0.005
    assert space.contact is not None
    assert space.contact.wrench[2] < -100.0


def _upward(space: Any) -> tuple[np.ndarray, np.ndarray]:
    """Jacobian by differences, and the twist that is wanted."""
    q, slopes = space.state[0], np.zeros((6, 6))
    place = space.snapshot().position_BG_m
    state = space.state
    for j in range(6):
        state[0] = q + 1e-6 * np.eye(6)[j]
        space.state = state
        slopes[:3, j] = (space.snapshot().position_BG_m - place) / 1e-6
    state[0] = q
    space.state = state
    return slopes, np.array([0.0, 0.0, 0.02, 0.0, 0.0, 0.0])


def changed(**changes: Any) -> dict[str, Any]:
    return ABOVE | changes


@pytest.mark.parametrize(
    ("fixture", "chosen", "says"),
    [
        (ABOVE, {"payload": ""}, "only a body in the gripper"),
        (ABOVE, {"model": "auto", "bound": "2mm"}, "free motions only"),
        (ABOVE, {"omit": ["point-masses"]}, "all masses"),
        (changed(stiffness_n_m=1e12), {}, "at most"),
        (
            changed(face=[{"centre_m": [10.95, 2.43, 1.16], "normal": [0, 0, -1]}]),
            {},
            "7.59 mm inside",
        ),
        (changed(face=[{"centre_m": [1, 1, 1], "normal": [0, 0, 0]}]), {}, "no direction"),
        (changed(friction=float("nan")), {}, "friction"),
        (changed(points_m=[]), {}, "points_m"),
    ],
)
def test_a_fixture_that_makes_no_sense_is_refused(
    fixture: dict[str, Any], chosen: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError, match=says) as refused:
        plan_with(fixture, **chosen)
    assert "space_arm.fixture" in str(refused.value)

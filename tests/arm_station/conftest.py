"""What takes long is looked for once for each motion: the robot's place, the best of waypoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from line_bench import line, prepared  # noqa: F401 fixtures

import hil.stations.arm.proof.prepare
import hil.stations.arm.report.accuracy
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.reference import BestReference
from hil.stations.arm.report.bound import BestPath
from hil_common.arrays.pose import Pose

_KEPT: dict[tuple[object, ...], BestReference] = {}
_BEST: dict[tuple[object, ...], BestPath] = {}


def _kept(search: Callable[..., BestReference]) -> Callable[..., BestReference]:
    """The same search; an answer that was found before is given again, a refusal is not kept."""

    def best_reference(
        geometry: PumaGeometry, path: Sequence[Pose], period_s: float, **settings: Any
    ) -> BestReference:
        poses = b"".join(pose.packed.tobytes() for pose in path)
        arm = tuple(np.asarray(getattr(geometry, name)).tobytes() for name in geometry.__slots__)
        key = (arm, poses, period_s, repr(sorted(settings.items())))
        if key not in _KEPT:
            _KEPT[key] = search(geometry, path, period_s, **settings)
        return _KEPT[key]

    return best_reference


@pytest.fixture(autouse=True, scope="session")
def _places_are_kept() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            hil.stations.arm.proof.prepare,
            "best_reference",
            _kept(hil.stations.arm.proof.prepare.best_reference),
        )
        yield


@pytest.fixture(autouse=True, scope="session")
def _bests_are_kept() -> Iterator[None]:
    """Many tests report one run with changes that are none of its path."""
    find = hil.stations.arm.report.accuracy.best_path

    def best_path(*told: Any) -> BestPath:
        key = tuple(x.tobytes() if isinstance(x, np.ndarray) else x for x in told)
        if key not in _BEST:
            _BEST[key] = find(*told)
        return _BEST[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hil.stations.arm.report.accuracy, "best_path", best_path)
        yield


@pytest.fixture
def searched_anew() -> None:
    """For a test that a search gives the same again: what was found before is forgotten."""
    _KEPT.clear()

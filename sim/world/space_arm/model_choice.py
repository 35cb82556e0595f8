"""The cheapest simulation of a motion that stays within a bound on the gripper's error.

Candidates are tried in the order of their counted operations against a reference of the whole
model, and the first within the bound is taken. What the code does not do faster is no candidate:
Coriolis torques, point masses and massless links save nothing (``hil arm cost``), held coefficients
and simpler drives do. The error counts with the distance of two references, so that the bound is
kept though the reference itself is not exact.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.error_bound import ErrorBound
from sim.world.space_arm.integrators import Integrator
from sim.world.space_arm.omissions import Omission, ReducedModel
from sim.world.space_arm.simulator import SpaceArm

Array = NDArray[np.float64]

_HELD = frozenset({Omission.COEFFICIENTS})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A simulation that may do."""

    model: DriveModel
    """Drives."""
    omitted: frozenset[Omission] = frozenset()
    """Things that are left out besides."""

    def space_arm(
        self,
        arm: Arm,
        q_rad: Array,
        payload: Body | None,
        *,
        integrator: Integrator | None = None,
    ) -> SpaceArm:
        """Make the simulated arm, at rest; the integrator is SDIRK2 if it is None."""
        model = ReducedModel.of(self.model.effects, self.omitted)
        return model.space_arm(arm, q_rad, payload, integrator=integrator)

    def __str__(self) -> str:
        names = [one.value for one in Omission if one in self.omitted]
        return f"model {self.model.value}" + (f" without fresh {names[0]}" if names else "")


CANDIDATES = tuple(
    Candidate(DriveModel(letter), omitted)
    for letter, omitted in (
        ("a", _HELD), ("a", frozenset()), ("b", _HELD), ("b", frozenset()), ("d", _HELD),
        ("c", _HELD), ("c", frozenset()), ("e", _HELD), ("d", frozenset()), ("e", frozenset()),
    )
)  # fmt: skip
"""All of them, by counted operations of a tick, the cheapest first; the tests count again."""


class NoModelError(ValueError):
    """No candidate stays within the bound."""


@dataclass(frozen=True, slots=True)
class TriedModel:
    """A candidate and its error."""

    candidate: Candidate
    """Simulation that was tried."""
    error: float
    """Largest error at the end of a tick, that of the reference included, in the bound's unit;
    infinite if it has no solution."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The simulation that is taken for a motion."""

    taken: TriedModel
    """Cheapest candidate within the bound."""
    bound: ErrorBound
    """Bound that it keeps."""
    reference: DriveModel
    """Whole model that it is compared with."""
    reference_error: float
    """Largest distance of two references of that model, in the bound's unit."""
    tried: tuple[TriedModel, ...]
    """Every candidate that was tried, the cheapest first."""

    def __str__(self) -> str:
        found = self.bound.quantity(self.taken.error)
        return (
            f"{self.taken.candidate}: {found} from model {self.reference.value}, within the bound "
            f"of {self.bound}"
        )


Simulate = Callable[[Candidate], Array | None]
"""Simulates the motion: places of the gripper at the ends of its ticks [m], shape (N, 3); None if
there is no solution."""


def choose_model(
    simulate: Simulate,
    references: tuple[Array, Array],
    reference: DriveModel,
    bound: ErrorBound,
    candidates: Sequence[Candidate] = CANDIDATES,
) -> ModelChoice:
    """Take the first candidate whose error stays within a bound.

    Args:
        references: places of the gripper by the whole model, by two integrators [m], (N, 3) each;
            a motion that ends before the other stays where it ended.

    Raises:
        NoModelError: if no candidate keeps the bound; the least error is in the message.
        ValueError: if a bound in percent is asked for of a gripper that is at rest.
    """
    wanted, other = _of_one_length(*references)
    unsure = bound.errors(other, wanted)
    reference_error = float(unsure.max())
    tried = list[TriedModel]()
    for candidate in candidates:
        path = simulate(candidate)
        error = np.inf if path is None else _error(path, wanted, unsure, bound)
        tried.append(TriedModel(candidate, error))
        if error <= bound.value:
            return ModelChoice(tried[-1], bound, reference, reference_error, tuple(tried))
    least = min(tried, key=lambda one: one.error)
    raise NoModelError(
        f"no model stays within {bound} of model {reference.value}: the least error is "
        f"{bound.quantity(least.error)}, with {least.candidate}; two references of model "
        f"{reference.value} are up to {bound.quantity(reference_error)} apart"
    )


def _error(path_m: Array, wanted_m: Array, unsure: Array, bound: ErrorBound) -> float:
    path, wanted = _of_one_length(path_m, wanted_m)
    rest = len(path) - len(unsure)
    return float((bound.errors(path, wanted) + np.pad(unsure, (0, rest), mode="edge")).max())


def _of_one_length(one_m: Array, other_m: Array) -> tuple[Array, Array]:
    """Let the path that ends first stay where it ended [m], (N, 3) each."""
    longest = max(len(one_m), len(other_m))
    one, other = (
        np.vstack([path, np.repeat(path[-1:], longest - len(path), axis=0)])
        for path in (one_m, other_m)
    )
    return one, other

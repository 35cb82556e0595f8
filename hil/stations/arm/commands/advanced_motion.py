"""Simulated arm of ``hil arm advance``: of a model that is named, or the cheapest that will do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hil.config.errors import ConfigError
from hil.stations.arm.commands.space_arms import Load, models_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sim.world.space_arm.arm import Arm
    from sim.world.space_arm.integrators import Integrator
    from sim.world.space_arm.model_choice import Candidate, ModelChoice
    from sim.world.space_arm.simulator import SpaceArm

    Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AdvancedMotion:
    """A few ticks with constant rates."""

    arm: Arm
    """The arm, without payload."""
    load: Load
    """Payload in the gripper."""
    q_rad: Array
    """Joint angles at the start, at rest [rad]."""
    command_rad_s: Array
    """Commanded rates [rad/s]."""
    ticks: int
    """Number of ticks."""

    def path_m(self, candidate: Candidate, integrator: Integrator | None = None) -> Array | None:
        """Simulate the motion: places at the ends of ticks [m], (N, 3); None without a solution."""
        import numpy as np

        from sim.world.space_arm.integrators import SpanStatus

        space = candidate.space_arm(self.arm, self.q_rad, self.load.body, integrator=integrator)
        snapshots = [space.advance(self.command_rad_s) for _ in range(self.ticks)]
        if any(one.status is SpanStatus.FAILED for one in snapshots):
            return None
        return np.array([one.position_BG_m for one in snapshots])


def simulated_arm(
    motion: AdvancedMotion, model: str, bound: str | None
) -> tuple[SpaceArm, ModelChoice | None]:
    """Make the simulated arm at its start, and say how it was chosen if that was left to us.

    Args:
        model: letter of a drive model, or ``auto``.
        bound: largest error of ``auto``, as text.

    Raises:
        ConfigError: if a word is none, or no model keeps the bound.
        ValueError: if the start is beyond the joints' ranges, or the rates are absurd.
    """
    from sim.world.space_arm.simulator import SpaceArm

    if model == "auto":
        choice = _cheapest(motion, bound)
        taken = choice.taken.candidate
        return taken.space_arm(motion.arm, motion.q_rad, motion.load.body), choice
    models = models_of(model, motion.arm)
    if len(models) != 1:
        raise ConfigError("command line", ["one payload and one model are needed here"])
    if bound is not None:
        raise ConfigError("--bound", [f"{bound!r} is for --model auto"])
    return SpaceArm(motion.arm, models[0], motion.q_rad, payload=motion.load.body), None


def _cheapest(motion: AdvancedMotion, bound: str | None) -> ModelChoice:
    """Choose the cheapest simulation within a bound of model e."""
    from sim.world.space_arm.drive import DriveModel
    from sim.world.space_arm.error_bound import ErrorBound
    from sim.world.space_arm.model_choice import Candidate, choose_model
    from sim.world.space_arm.reference_integrators import reference_pair

    if bound is None:
        raise ConfigError("--bound", ["--model auto needs one, such as 0.5% or 2mm"])
    try:
        allowed = ErrorBound.parse(bound)
    except ValueError as error:
        raise ConfigError("--bound", [str(error)]) from None
    whole = Candidate(DriveModel.E)
    pair = reference_pair(motion.arm, whole.model.effects)
    best, other = (motion.path_m(whole, one) for one in pair)
    if best is None or other is None:
        raise ConfigError("command line", ["model e has no solution to compare with"])
    try:
        return choose_model(motion.path_m, (best, other), whole.model, allowed)
    except ValueError as error:
        raise ConfigError("--bound", [str(error)]) from None

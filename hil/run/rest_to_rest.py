"""The shortest way from rest to rest with bounded jerk, as phases of constant jerk."""

from typing import Final

from ruckig import InputParameter, Result, Ruckig, Trajectory

from hil.config.errors import MotionError

SLACK_MAX: Final = 1e3
"""Limits beyond this in the planner's units never bind, and would cost it precision."""

Cubic = tuple[float, float, float, float]
"""Path parameter, its rate, second and third derivative at the beginning of a phase."""


def unit_path(ceilings: tuple[float, float, float]) -> list[tuple[float, Cubic]]:
    """Return the phases of the shortest way from rest at 0 to rest at 1: length [s] and cubic.

    Args:
        ceilings: Limits of rate, second and third derivative [1/s, 1/s2, 1/s3].

    Raises:
        MotionError: If the planner finds no way within them.
    """
    rate, second, third = ceilings
    # The planner works in a unit of time in which the tightest limit is 1, whatever the way's
    # length is, because its tolerances are absolute.
    unit_s = max(1.0 / rate, second**-0.5, third ** (-1.0 / 3.0))
    problem = InputParameter(1)
    problem.current_position, problem.target_position = [0.0], [1.0]
    problem.max_velocity = [min(rate * unit_s, SLACK_MAX)]
    problem.max_acceleration = [min(second * unit_s**2, SLACK_MAX)]
    problem.max_jerk = [min(third * unit_s**3, SLACK_MAX)]
    trajectory = Trajectory(1)
    result = Ruckig(1).calculate(problem, trajectory)
    if result not in (Result.Working, Result.Finished):
        raise MotionError(f"no move within {ceilings} 1/s, 1/s2, 1/s3 was found: {result.name}")
    profile = trajectory.profiles[0][0]
    phases: list[tuple[float, Cubic]] = []
    s = v = a = 0.0
    for t, jerk in zip(profile.t, profile.j, strict=True):
        if t <= 0.0:
            continue
        cubic = (s, v / unit_s, a / unit_s**2, jerk / unit_s**3)
        phases.append((t * unit_s, cubic))
        s, v, a = (
            s + t * (v + t * (a / 2.0 + t * jerk / 6.0)),
            v + t * (a + t * jerk / 2.0),
            a + t * jerk,
        )
    return phases

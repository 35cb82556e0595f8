"""Facts of a robot for the diagram that moves it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from hil.config.errors import ConfigError

if TYPE_CHECKING:
    from hil.diagram.run.diagram_use import DiagramUse, RobotFacts
    from hil.stations.world.plan.scenario import WorldPlan


def robot_facts(plan: WorldPlan, use: DiagramUse) -> RobotFacts:
    """Facts of a plan's robot for a diagram: number of joints, and its D-H rows.

    Those of a group begin with its name: ``arm_joints``, ``arm_dh``.
    """
    facts: dict[str, Callable[[], Any]] = {}
    for one in use.group:
        facts[f"{one.name}_joints"] = partial(len, one.joints)
        facts[f"{one.name}_dh"] = partial(_rows, plan, f"{one.name}_dh", one.joints, one.end)
    if use.group:
        return facts
    count = len(use.joints or plan.robot.drives)
    return {"joints": lambda: count, "dh": partial(_rows, plan, "dh", use.joints, use.end)}


def _rows(
    plan: WorldPlan, name: str, joints: tuple[int, ...], end: int | None
) -> tuple[tuple[float, ...], ...]:
    """D-H rows of the chain to an end, which these joints lead to, if any are named."""
    from sim.world.motion.chain import Chain, ChainError
    from sim.world.motion.chain_rows import dh_rows

    try:
        chain = Chain(plan.tree, end)
        if joints and chain.joints != joints:
            raise ChainError(f"joints {joints} do not lead to the end; {chain.joints} do")
        return dh_rows(chain)
    except ChainError as error:
        problem = f"diagram.file: its parameter {name} wants D-H rows of the robot: {error}"
        raise ConfigError(plan.scenario_file, [problem]) from None

"""Facts of a robot for the diagram that moves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hil.config.errors import ConfigError

if TYPE_CHECKING:
    from hil.diagram.run.diagram_use import DiagramUse, RobotFacts
    from hil.stations.world.plan.scenario import WorldPlan


def robot_facts(plan: WorldPlan, use: DiagramUse) -> RobotFacts:
    """Facts of a plan's robot for a diagram: number of joints, and its D-H rows."""

    def rows() -> tuple[tuple[float, ...], ...]:
        from sim.world.motion.chain import Chain, ChainError
        from sim.world.motion.chain_rows import dh_rows

        try:
            chain = Chain(plan.tree, use.end)
            if use.joints and chain.joints != use.joints:
                raise ChainError(f"joints {use.joints} do not lead to the end; {chain.joints} do")
            return dh_rows(chain)
        except ChainError as error:
            problem = f"diagram.file: its parameter dh wants D-H rows of the robot: {error}"
            raise ConfigError(plan.scenario_file, [problem]) from None

    return {"joints": lambda: len(use.joints or plan.robot.drives), "dh": rows}

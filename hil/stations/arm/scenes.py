"""The scenes of a run of the arm station: a space arm and a robot, or a robot alone."""

from hil.recording.header import RunHeader
from hil.stations.arm.report.machines import ArmMachines
from hil.stations.arm.scene_robot import RobotScene
from hil.stations.arm.scene_space_arm import SpaceArmScene

ArmScene = RobotScene | SpaceArmScene


def scenes_of(header: RunHeader) -> tuple[ArmScene, ...]:
    """What a run's arms look like."""
    plan = header.scenario
    machines = ArmMachines.from_scenario(plan)
    choice = plan.get("scenario", {})
    payload = choice.get("space_arm", {}).get("payload", "")
    robot = plan.get("robot", {}).get("name", "")
    simulated = "robot" in header.simulated
    beside = RobotScene(machines.robot, robot, simulated=simulated)
    if machines.space is None:
        return (beside,)
    return (SpaceArmScene(machines.space, payload), beside)

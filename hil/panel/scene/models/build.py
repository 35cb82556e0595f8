"""From a run's header to the scenes that show it."""

from hil.config.settings import ConfigError
from hil.recording.header import RunHeader
from hil.scene.figure import Scene
from hil.stations.platform.scene import PlatformScene


class SceneError(Exception):
    """A run that cannot be drawn; the message says why."""


def scenes_of(header: RunHeader) -> tuple[Scene, ...]:
    """What a run's machines look like: one platform, a space arm and a robot, or a robot alone.

    Args:
        header: of the run, live or recorded.

    Raises:
        SceneError: if the header does not describe its machines.
    """
    try:
        if header.signals.station == "arm":
            return _arms(header)
        return (PlatformScene.from_scenario(header.scenario),)
    except KeyError as error:
        raise SceneError(f"the run's header has no {error}; nothing can be drawn") from error
    except ConfigError as error:
        problem = error.problems[0] if error.problems else str(error)
        raise SceneError(f"the run's header: {problem}") from error
    except ValueError as error:
        raise SceneError(f"the run's header: {error}") from error


def _arms(header: RunHeader) -> tuple[Scene, ...]:
    """Both arms; their packages are loaded only when there are any, a platform is seen sooner."""
    from hil.stations.arm.report.machines import ArmMachines
    from hil.stations.arm.scene_robot import RobotScene
    from hil.stations.arm.scene_space_arm import SpaceArmScene

    plan = header.scenario
    machines = ArmMachines.from_scenario(plan)
    choice = plan.get("scenario", {})
    payload = choice.get("space_arm", {}).get("payload", "")
    robot = plan.get("robot", {}).get("name", "")
    simulated = header.metadata.get("robot", "").startswith("SIMULATED")
    beside = RobotScene(machines.robot, robot, simulated=simulated)
    if machines.space is None:
        return (beside,)
    return (SpaceArmScene(machines.space, payload), beside)

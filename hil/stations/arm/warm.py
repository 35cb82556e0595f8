"""Compile every kernel before a run, so that nothing compiles inside a waypoint."""

from arm_driver import warm as robot
from hil.config.shipped import configs_dir
from hil.machines.space_arm_settings import ArmSettings
from sim.world.space_arm import warm as space_arm


def warm_arm(*, classic: bool = False, fine: bool = False) -> None:
    """Compile, or load from the cache, all kernels that a run of an arm calls.

    Args:
        classic: the integrators that only comparisons take, too.
        fine: the one for ``space_arm.accuracy = "fine"``, too.
    """
    robot.warm()
    settings = ArmSettings.load(configs_dir() / "arms" / "bkm.toml")
    space_arm.warm(settings.arm(), settings.home_rad(), classic=classic, fine=fine)

"""Compile every kernel before a run, so that nothing compiles inside a cycle.

Numba keeps the result beside the code (or in the user's cache folder), so this takes long only
once after an installation.
"""

from drives import cylinder
from hil.stations.platform.motion import warm as motions
from platform6dof import warm as mathematics


def warm() -> None:
    """Compile, or load from the cache, all kernels that a run of a platform calls."""
    mathematics.warm()
    cylinder.warm()
    motions.warm()


def warm_arm(*, classic: bool = False, fine: bool = False) -> None:
    """Compile, or load from the cache, all kernels that a run of an arm calls.

    Args:
        classic: the integrators that only comparisons take, too.
        fine: the one for ``space_arm.accuracy = "fine"``, too.
    """
    # A platform starts half a second sooner without them.
    from arm_driver import warm as robot
    from hil.config.shipped import configs_dir
    from hil.machines.space_arm_settings import ArmSettings
    from sim.world.space_arm import warm as space_arm

    robot.warm()
    settings = ArmSettings.load(configs_dir() / "arms" / "bkm.toml")
    space_arm.warm(settings.arm(), settings.home_rad(), classic=classic, fine=fine)

"""Compile every kernel once before the tests, so that their workers and programs only load them.

Without it each worker compiles what it meets, and so does every program that its tests start, all
at the same time. Two processes share the kernels between them: no kernel is compiled twice.

Run as a program; exits with 1 if a kernel cannot be compiled.
"""

import importlib.util
import multiprocessing
import sys
from collections.abc import Callable

import numpy as np


def warm_platform() -> None:
    """The platform's kernels, those of a led bench and those of the emulated robot."""
    import hil.stations.platform.lead.kernels
    from hil.stations.platform.cycle.kernel_warmup import warm
    from platform6dof.cueing import angle_signs as turns
    from platform6dof.cueing import course, governor, slopes
    from platform6dof.warm import warm_workspace
    from sim.devices.arm.kinematics import dh_table, forward, solve
    from sim.devices.arm.servo import JointServos, ServoSettings

    warm()
    warm_workspace()
    hil.stations.platform.lead.kernels.warm()
    governor.warm()
    slopes.warm()
    course.warm()
    turns.warm()
    servos = JointServos(ServoSettings(), np.zeros(6))
    servos.run(1)
    table, pose, q_rad = dh_table(0.1), np.zeros((3, 4)), np.zeros(6)
    forward(table, q_rad, np.empty((6, 3)), np.empty((6, 3)), pose)
    solve(table, pose, q_rad, np.empty(6))


def warm_arm() -> None:
    """The kernels of the space arm with all its integrators, of the robot, and of worlds."""
    import hil.diagram.kernel  # noqa: F401
    from hil.config import quick_table
    from hil.config.file_search import configs_dir
    from hil.machines.space_arm.settings import ArmSettings
    from hil.stations.arm.run.bench import warm_arm

    quick_table.warm()
    warm_arm(classic=True, fine=True)
    warm_arm(ArmSettings.load(configs_dir() / "arms" / "crane.toml"), classic=True, fine=True)
    if importlib.util.find_spec("mujoco") is not None:
        warm_world()


def warm_world() -> None:
    """What a step of a robot in a world has: ties, law, sensors."""
    from hil.machines.world.robot_documents import robot_of
    from sim.world.control.laws import Gains, JointLaw
    from sim.world.engine.dynamics import RobotDynamics
    from sim.world.engine.mjcf import model_text
    from sim.world.engine.mjcf_robot import PlacedRobot
    from sim.world.engine.world import World
    from sim.world.sensors.readings import RobotSensors

    robot = robot_of("rig:paper")[0]
    world = World(model_text([PlacedRobot(robot)]))
    RobotDynamics(world, world.robots[0])
    RobotSensors(world.robots[0], world.step_s, 0)
    JointLaw(robot.drives, "torque", "computed", Gains(*np.ones((3, 6))), world.step_s)


def main() -> int:
    """Compile the halves at the same time."""
    halves: tuple[Callable[[], None], ...] = (warm_platform, warm_arm)
    # Nothing of a half is inherited by the other: each is a program of its own.
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=half) for half in halves]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return int(any(process.exitcode for process in processes))


if __name__ == "__main__":
    sys.exit(main())

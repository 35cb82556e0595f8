"""Robots and scenes for runs, made in code."""

from pathlib import Path

from hil.config.file_search import configs_dir
from sim.world.robots.body import BodyPlace, BodyShape
from sim.world.robots.model import JointType, Robot, RobotDrive, RobotJoint, RobotLink
from sim.world.robots.robot_toml_writer import write_toml

SCENARIOS = configs_dir() / "scenarios"
ROBOTS = configs_dir() / "world" / "robots"
BALL_M = 0.05
BALL_KG = 2.0
HIGH_M = 0.5


def with_sensors(folder: Path, *tables: str, name: str = "robot_a") -> str:
    """A file of a shipped robot with more tables."""
    file = folder / "with_sensors.toml"
    file.write_text((ROBOTS / f"{name}.toml").read_text() + "\n" + "\n".join(tables))
    return str(file)


def dipper(folder: Path) -> str:
    """A file of a ball of `BALL_KG` on a vertical slide, at rest `HIGH_M` over the floor."""
    links = (
        RobotLink(0, (0.0, 0.0, 0.0, HIGH_M), (1,)),
        RobotLink(1, (0.0,) * 4, shape=BodyShape.SPHERE, size_m=(BALL_M,), mass_kg=BALL_KG,
                  place=BodyPlace((0.0, 0.0, 0.0))),
    )  # fmt: skip
    joints = (RobotJoint(0, JointType.FIXED, (), -1, 0),
              RobotJoint(1, JointType.SLIDE, (0.0, 0.0, 1.0), 0, 1))  # fmt: skip
    robot = Robot(links, joints, "dipper", drives=(RobotDrive(1, "torque", 400.0),))
    file = folder / "dipper.toml"
    file.write_text(write_toml(robot))
    return str(file)


def scenario(folder: Path, text: str) -> Path:
    """A file of a scenario of the virtual environment."""
    file = folder / "scenario.toml"
    file.write_text(f'station = "world"\nname = "own"\n{text}\n')
    return file

"""Object of the entry point of the task `container`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hil.recording.signals import Signal
from hil.run.late_call import late_of
from hil.stations.task.container.container_figures import FIGURES
from hil.stations.task.container.settings import ContainerSettings
from hil.stations.task.plan.task import DiagramChoice, LedBlocks, Task

if TYPE_CHECKING:
    from hil.config.settings import Settings
    from hil.stations.task.container.container_judge import ContainerJudge
    from hil.stations.task.plan.task import DrawnTask
    from sim.world.robots.model import Robot

_late: Final = late_of("hil.stations.task.container")
SIDES: Final = ("left", "right")
"""First words of the wheels' joints, one driven at each side."""
ARM: Final = ("arm", "hand")
"""First words of the arm's joints."""
END: Final = "grip"
"""Joint whose place is the tool."""
JAW: Final = "left_jaw"
"""Joint of the jaws' drive, which moves both."""


def _groups(robot: Robot) -> dict[str, Any]:
    """Groups of a robot's driven joints that the diagram commands, by the joints' names."""
    names = {one.number: one.name for one in robot.joints}
    driven = [one.joint for one in robot.drives]
    jaws = tuple(one for one in driven if names[one] == JAW)
    wheels = tuple(
        one for one in driven if names[one].partition("_")[0] in SIDES and one not in jaws
    )
    arm = tuple(one for one in driven if names[one].partition("_")[0] in ARM)
    end = next((number for number, name in names.items() if name == END), None)
    return {
        "group": (
            {"name": "wheels", "joints": wheels}, {"name": "arm", "joints": arm, "end": end},
            {"name": "jaws", "joints": jaws},
        )
    }  # fmt: skip


def _judge(settings: Settings, drawn: DrawnTask, bench: Any) -> ContainerJudge:
    from hil.stations.task.container.container_judge import ContainerJudge

    assert isinstance(settings, ContainerSettings)  # noqa: S101  # the task's own model
    contacts = bench.contacts.pairs.contacts
    return ContainerJudge(bench.world, drawn.scene.scene, settings, contacts=contacts)


TASK: Final = Task(
    name="container",
    title="Drive to a container, grasp it, and put it into a bin",
    settings=ContainerSettings,
    robot="mf4_wheels",
    draw=_late("draw:draw"),
    navigators={
        name: DiagramChoice("container", library={"Navigator": f"mf4_drive_{name}"})
        for name in ("robust", "classic", "fuzzy", "manual")
    },
    inputs=("container_m", "container_heading_rad", "bin_m"),
    outputs=("wheels", "arm", "jaws", "phase", "reason", "done"),
    diagram=_groups,
    starts=("start",),
    led={
        "manual": LedBlocks(
            ahead="navigator/drive/ahead.value",
            turn="navigator/drive/turn.value",
            pause="pause.on",
            stop="stop.presses",
        )
    },
    judge=_judge,
    figures=FIGURES,
    signals=(Signal("slip_m", "f8", unit="m"),),
    time_limit_s=lambda settings: getattr(settings, "time_limit_s", 300.0),
)
"""The task `container`."""

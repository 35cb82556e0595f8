"""Object of the entry point of the task `container`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hil.run.late_call import late_of
from hil.stations.task.container.settings import ContainerSettings
from hil.stations.task.plan.task import DiagramChoice, LedBlocks, Task

if TYPE_CHECKING:
    from hil.config.settings import Settings
    from hil.stations.task.container.container_judge import ContainerJudge
    from hil.stations.task.plan.task import DrawnTask

_late: Final = late_of("hil.stations.task.container")
WHEELS: Final = {"name": "wheels", "joints": (1, 2)}
ARM: Final = {"name": "arm", "joints": (5, 6, 7, 8, 9, 10), "end": 13}
JAWS: Final = {"name": "jaws", "joints": (11,)}


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
    diagram={"group": (WHEELS, ARM, JAWS)},
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
    time_limit_s=lambda settings: getattr(settings, "time_limit_s", 300.0),
)
"""The task `container`."""

"""Object of the entry point of the task `valve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hil.run.late_call import late_of
from hil.stations.task.plan.task import DiagramChoice, LedBlocks, Task
from hil.stations.task.valve.settings import ValveSettings
from hil.stations.task.valve.turn_signals import SIGNALS
from hil.stations.task.valve.valve_figures import FIGURES

if TYPE_CHECKING:
    from hil.config.settings import Settings
    from hil.stations.task.plan.task import DrawnTask
    from hil.stations.task.valve.valve_judge import ValveJudge

_late: Final = late_of("hil.stations.task.valve")
ARM: Final = {"name": "arm", "joints": (1, 2, 3, 4, 5, 6, 7), "end": 13}
FINGERS: Final = {"name": "fingers", "joints": (8, 9, 10, 11)}
CLASSIC: Final = {"law.kp": 0.2, "law.ki": 0.1, "law.reset_s": 5.0}
"""Printed gains of the paper."""


def _judge(settings: Settings, drawn: DrawnTask, bench: Any) -> ValveJudge:
    from hil.stations.task.valve.valve_judge import ValveJudge

    assert isinstance(settings, ValveSettings)  # noqa: S101  # the task's own model
    gated = bench.gated
    return ValveJudge(
        bench.world, settings, drawn.values["angle_rad"], gated.law.output_now,
        lambda: gated.commanded, contacts=bench.contacts.pairs.contacts,
    )  # fmt: skip


TASK: Final = Task(
    name="valve",
    title="Turn the valve of an airlock by a claw, under force control",
    settings=ValveSettings,
    robot="torso_claw",
    draw=_late("draw:draw"),
    navigators={
        "tuned": DiagramChoice("valve"),
        "classic": DiagramChoice("valve", set=CLASSIC),
        "joint": DiagramChoice("valve", library={"WristLaw": "joint_law"}),
        "manual": DiagramChoice("valve", library={"Turn": "hand_turn"}),
    },
    inputs=("valve_m", "valve_axis", "angle_rad"),
    outputs=("arm", "fingers", "phase", "reason", "done", "force_n", "moment_nm"),
    diagram=lambda _: {"group": (ARM, FINGERS)},
    starts=("start",),
    led={"manual": LedBlocks(turn="turn/jog.value", pause="turn/pause.on", stop="stop.presses")},
    judge=_judge,
    figures=FIGURES,
    signals=SIGNALS,
    time_limit_s=lambda settings: getattr(settings, "time_limit_s", 240.0),
)
"""The task `valve`."""

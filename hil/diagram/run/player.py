"""Plays a diagram alone: inputs, a person's acts, and a table of what comes out."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hil.config.errors import ConfigError
from hil.config.files import write_whole
from hil.diagram.run.fault import StoppedError
from hil.diagram.run.live import Version, followed

if TYPE_CHECKING:
    from hil.diagram.run.engine import Engine
    from hil.diagram.run.input_plan import InputPlan
    from hil.diagram.run.models import DiagramModels
    from hil.diagram.run.operator_actions import Timed
    from hil.diagram.run.recording import DiagramRecording


def play(
    version: Version, plan: InputPlan, acts: Sequence[Timed], ticks: int, table: Path | None,
    recording: DiagramRecording | None = None, models: DiagramModels | None = None,
) -> tuple[Engine, StoppedError | None]:  # fmt: skip
    """Run some ticks and write what comes out.

    Args:
        acts: changes in order of their times.
        recording: of what happens.
        models: its FMUs, begun.

    Returns:
        What ran last, and the fault that ended it early, or None.

    Raises:
        ConfigError: if a change is refused, or the table cannot be written.
    """
    rows: list[list[float]] = []
    base_s, waiting, fault = version.sound.flat.base_s, deque(acts), None
    for name, values in plan.steady().items():
        version.engine.set_input(name, values)
    for tick in range(ticks):
        while waiting and waiting[0][0] <= (tick + 0.5) * base_s:
            version, changed = followed(version, waiting.popleft()[1].changes)
            if recording is not None:
                recording.changed(tick, changed)
        engine = version.engine
        for name, row in plan.at(tick * base_s).items():
            engine.set_input(name, row)
        try:
            if models is not None:
                models.before(engine)
            engine.step()
        except StoppedError as error:
            fault = error
            if recording is not None:
                recording.stopped(error)
            break
        if recording is not None:
            recording.tick(engine)
        if models is not None:
            models.after(engine)
        if table is not None:
            rows.append([value for name in engine.outputs for value in engine.output(name)])
    if table is not None:
        _write(version.engine, table, rows)
    return version.engine, fault


def _write(engine: Engine, table: Path, rows: list[list[float]]) -> None:
    names = ["t_s"]
    for name, where in engine.outputs.items():
        count = where.stop - where.start
        names += [name] if count == 1 else [f"{name}_{number}" for number in range(1, count + 1)]
    base_s = engine.sound.flat.base_s
    lines = [
        ",".join(map(repr, [tick * base_s, *map(float, row)])) for tick, row in enumerate(rows)
    ]
    try:
        write_whole(table, ("\n".join([",".join(names), *lines]) + "\n").encode())
    except OSError as error:
        raise ConfigError("--out", [f"{table}: {error.strerror}"]) from None

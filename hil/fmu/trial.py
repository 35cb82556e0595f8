"""An FMU alone: judged by its description, tried for a loop, or run as fast as it goes."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hil.config.errors import ConfigError
from hil.config.files import replacing_text
from hil.fmu.description import (
    MAX_ARRAY,
    NUMERIC,
    Description,
    elements_of,
    read_description,
    require_runnable,
)
from hil.fmu.pace import ModelPace, steps_of
from hil.fmu.process import ModelProcess
from hil.fmu.wire import MAX_VALUES, ModelOrder, StepStatus

ANSWER_S = 60.0
"""A step that takes longer is none: here nobody waits on a platform [s]."""


@dataclass(slots=True)
class Trial:
    """Result of a trial."""

    steps: int = 0
    """Steps that were done, each of a cycle or of several."""
    cycles_of_step: int = 1
    """Cycles of the loop that one of them takes."""
    failed: str = ""
    """Reason why no more were done; empty if all were."""
    spent_s: list[float] = field(default_factory=list)
    """Time that the model took in each [s]."""
    last: dict[str, float] = field(default_factory=dict)
    """Outputs after the last one."""

    @property
    def median_s(self) -> float:
        """Median of the time for a cycle [s]."""
        return float(np.median(self.spent_s))

    @property
    def p99_s(self) -> float:
        """99th percentile of it [s]."""
        return float(np.percentile(self.spent_s, 99.0))

    @property
    def max_s(self) -> float:
        """Longest [s]."""
        return max(self.spent_s)


def tried(file: Path, period_s: float, step_s: float | None, count: int, *, load: bool) -> Trial:
    """Judge an FMU for a loop, and try it if its code may be loaded.

    Args:
        period_s: of the loop [s].
        step_s: communication step [s]; None: the period.
        count: cycles to try.

    Raises:
        ConfigError: for one that the bench could not run.
        RefusedError: if it does not begin.
    """
    model, steps = _model(file, period_s, step_s)
    trial = Trial(steps=0, cycles_of_step=steps.cycles)
    if load:
        for _ in _cycles(model, steps, math.ceil(count / steps.cycles), {}, trial):
            pass
    return trial


def run_alone(
    file: Path,
    period_s: float,
    step_s: float | None,
    count: int,
    start: Mapping[str, float],
    output: Path | None,
) -> Trial:
    """Run an FMU whose code is trusted.

    Args:
        start: values of parameters and inputs, by variable.
        output: CSV file for time and outputs, a row for each cycle, or longer step, and one before.

    Raises:
        ConfigError: for one that the bench could not run, or a file that cannot be written.
        RefusedError: if it does not begin.
    """
    model, steps = _model(file, period_s, step_s)
    for name in start:
        model.settable(name, "--start")
    trial = Trial(cycles_of_step=steps.cycles)
    cycles = _cycles(model, steps, math.ceil(count / steps.cycles), start, trial)
    with _table(output, ("t_s", *_outputs(model))) as write:
        for index, values in enumerate(cycles):
            write((index * steps.cycles * period_s, *values))
    return trial


def _model(file: Path, period_s: float, step_s: float | None) -> tuple[Description, ModelPace]:
    model = read_description(file)
    require_runnable(model)
    return model, steps_of(model, period_s, step_s, str(file), between=True)


def _outputs(model: Description) -> tuple[str, ...]:
    """Names of its numbers, those of arrays one by one."""
    names: list[str] = []
    for one in model.variables:
        if one.causality != "output" or one.type not in NUMERIC or one.size > MAX_ARRAY:
            continue
        names += elements_of(one) if one.shape else [one.name]
    return tuple(names[:MAX_VALUES])


def _cycles(
    model: Description,
    steps: ModelPace,
    count: int,
    start: Mapping[str, float],
    trial: Trial,
) -> Iterator[tuple[float, ...]]:
    """Outputs at the beginning and after each cycle, until it fails; `trial` is filled."""
    names = _outputs(model)
    order = ModelOrder(
        path=str(model.path), sha256=model.sha256, step_s=steps.step_s, substeps=steps.in_cycle,
        outputs=names, inputs=(), start=dict(start),
    )  # fmt: skip
    with ModelProcess(order) as process:
        answer = process.first
        while True:
            trial.last = dict(zip(names, answer.values, strict=True))
            yield answer.values
            if trial.steps == count:
                return
            process.ask(trial.steps + 1, ())
            answer = process.wait(ANSWER_S)
            if answer.status is not StepStatus.OK:
                trial.failed = answer.text or answer.status.name.lower()
                return
            trial.steps += 1
            trial.spent_s.append(answer.spent_s)


@contextmanager
def _table(output: Path | None, heading: tuple[str, ...]):
    """Gives what writes a row; nothing is written without a file."""
    if output is None:
        yield lambda row: None
        return
    try:
        with replacing_text(output) as file:
            writer = csv.writer(file)
            writer.writerow(heading)
            yield writer.writerow
    except OSError as error:
        raise ConfigError(str(output), [f"cannot be written: {error.strerror}"]) from None

"""An FMU alone: judged by its description, tried for a loop, or run as fast as it goes."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hil.config.errors import ConfigError
from hil.config.files import replacing_text
from hil.fmu.description import (
    NUMERIC,
    Description,
    read_description,
    require_runnable,
    whole_steps,
)
from hil.fmu.process import ModelProcess
from hil.fmu.wire import MAX_VALUES, ModelOrder, StepStatus

ANSWER_S = 60.0
"""A step that takes longer is none: here nobody waits on a platform [s]."""


@dataclass(slots=True)
class Trial:
    """How it went."""

    steps: int = 0
    """Cycles that were done."""
    failed: str = ""
    """Why no more were; empty if all were."""
    spent_s: list[float] = field(default_factory=list)
    """Time that the model took in each [s]."""
    last: dict[str, float] = field(default_factory=dict)
    """Outputs after the last one."""

    @property
    def median_s(self) -> float:
        """Of the time for a cycle [s]."""
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
    model, step_s, substeps = _model(file, period_s, step_s)
    trial = Trial()
    if load:
        for _ in _cycles(model, step_s, substeps, count, {}, trial):
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
        output: CSV file for time and outputs, a row for each cycle and one before.

    Raises:
        ConfigError: for one that the bench could not run, or a file that cannot be written.
        RefusedError: if it does not begin.
    """
    model, step_s, substeps = _model(file, period_s, step_s)
    for name in start:
        model.variable(name, "--start")
    trial = Trial()
    cycles = _cycles(model, step_s, substeps, count, start, trial)
    with _table(output, ("t_s", *_outputs(model))) as write:
        for index, values in enumerate(cycles):
            write((index * period_s, *values))
    return trial


def _model(file: Path, period_s: float, step_s: float | None) -> tuple[Description, float, int]:
    model = read_description(file)
    require_runnable(model)
    given, step_s = step_s, period_s if step_s is None else step_s
    substeps = whole_steps(period_s, step_s, "--step", str(file))
    if model.fixed_step_s is not None and (model.major == "3" or given is None):
        whole_steps(step_s, model.fixed_step_s, "its fixed step", str(file))
    return model, step_s, substeps


def _outputs(model: Description) -> tuple[str, ...]:
    scalars = [one for one in model.variables if one.causality == "output" and not one.shape]
    return tuple(one.name for one in scalars if one.type in NUMERIC)[:MAX_VALUES]


def _cycles(
    model: Description,
    step_s: float,
    substeps: int,
    count: int,
    start: Mapping[str, float],
    trial: Trial,
) -> Iterator[tuple[float, ...]]:
    """Outputs at the beginning and after each cycle, until it fails; `trial` is filled."""
    names = _outputs(model)
    order = ModelOrder(
        path=str(model.path), sha256=model.sha256, step_s=step_s, substeps=substeps,
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

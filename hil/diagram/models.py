"""FMUs of a diagram that runs alone: each in a process of its own, stepped in time with its block.

No time passes for such a run, so each answer is waited for. A live cycle waits for nothing, and
native code of others has no bound on its time: there, and where nobody said that it is trusted, a
diagram with an FMU is refused before anything of it is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError, RefusedError
from hil.diagram.flat import FlatDiagram, ModelBlock
from hil.diagram.library.models import described, entries, inner_name, start_of
from hil.fmu.pace import steps_of
from hil.fmu.process import ModelProcess
from hil.fmu.wire import ModelOrder, StepAnswer, StepStatus

if TYPE_CHECKING:
    from hil.diagram.engine import Engine

ANSWER_S: Final = 60.0
"""A step that takes longer is none: nobody waits on a machine here [s]."""


class _RunningModel:
    """One FMU beside a diagram.

    Args:
        process: it has said its initial values.
        cycles: ticks of its block in one step.
        line: whether it goes straight from one step to the next, a step later; else it holds.
    """

    def __init__(
        self, block: ModelBlock, process: ModelProcess, cycles: int, *, line: bool
    ) -> None:
        self._block, self._process, self._cycles, self._line = block, process, cycles, line
        self._newest: tuple[float, ...] = process.first.values
        self._before = self._newest
        self._tick, self._asked = 0, 0
        p = block.parameters
        self._inputs = [(f"{block.path}/{inner_name(one, p)}", "y") for one in entries(p["takes"])]
        self._outputs = [f"{block.path}/{inner_name(one, p)}" for one in entries(p["gives"])]

    def tell(self, engine: Engine, values: tuple[float, ...]) -> None:
        """Let its outputs be these from the next tick on."""
        for path, value in zip(self._outputs, values, strict=True):
            engine.values[engine.table.numbers[path]] = value

    def begin(self, engine: Engine) -> None:
        """Tell its initial outputs."""
        self.tell(engine, self._newest)

    def ticked(self, engine: Engine, tick: int) -> None:
        """Go on by a tick of its block, if this was one.

        Raises:
            RefusedError: if the model does not.
        """
        block = self._block
        if tick < block.offset or (tick - block.offset) % block.rate:
            return
        if self._tick % self._cycles == 0:
            self._asked += 1
            inputs = tuple(float(engine.port(*end)[0]) for end in self._inputs)
            self._process.ask(self._asked, inputs)
            self._answer = self._process.wait(ANSWER_S)
        self._tick += 1
        passed = self._tick % self._cycles
        if passed == 0:
            self._take(self._answer, tick)
        if not self._line:
            self.tell(engine, self._newest)
            return
        share = passed / self._cycles
        pairs = zip(self._before, self._newest, strict=True)
        self.tell(engine, tuple(a + share * (b - a) for a, b in pairs))

    def _take(self, answer: StepAnswer, tick: int) -> None:
        if answer.status is not StepStatus.OK:
            why = answer.text or answer.status.name.lower()
            raise RefusedError(f"{self._block.path}: tick {tick}: the model failed: {why}")
        self._before, self._newest = self._newest, answer.values


class DiagramModels:
    """All FMUs of a diagram.

    Args:
        models: that have begun.
    """

    def __init__(self, models: list[_RunningModel]) -> None:
        self._models = models

    def begin(self, engine: Engine) -> None:
        """Tell the initial outputs, before the first tick."""
        for one in self._models:
            one.begin(engine)

    def ticked(self, engine: Engine) -> None:
        """A tick was computed: step what is due.

        Raises:
            RefusedError: if a model does not go on.
        """
        for one in self._models:
            one.ticked(engine, engine.tick - 1)


@contextmanager
def opened_models(flat: FlatDiagram, *, trusted: bool) -> Iterator[DiagramModels]:
    """The FMUs of a diagram, each in its process.

    Args:
        trusted: whether the person who runs it trusts their native code.

    Raises:
        ConfigError: if a step does not fit its block's period, or the file is another one.
        RefusedError: if their code is not trusted, or one does not begin.
    """
    with ExitStack() as stack:
        ready = [(one, *_order_of(one, flat, trusted=trusted)) for one in flat.models.values()]
        made: list[_RunningModel] = []
        for block, order, cycles in ready:
            process = stack.enter_context(ModelProcess(order))
            line = block.parameters["between"] == "line" and cycles > 1
            made.append(_RunningModel(block, process, cycles, line=line))
        yield DiagramModels(made)


def _order_of(block: ModelBlock, flat: FlatDiagram, *, trusted: bool) -> tuple[ModelOrder, int]:
    """What its process is told, and ticks in a step; nothing of it is loaded."""
    p, model = block.parameters, described(block.file)
    place = f"{block.path}: {block.file.name}"
    if block.conditional:
        line = "its time would stand still while its part of the diagram does not run"
        raise ConfigError(place, [f"an FMU stands where it always runs: {line}"])
    if p["sha256"] and p["sha256"] != model.sha256:
        line = f"sha256 is not that of the file, which is {model.sha256}: look at the file"
        raise ConfigError(place, [line])
    if not trusted:
        raise RefusedError(
            f"{place} is native code, which can do all that you can do. If you trust it, add "
            f'--trust; sha256 = "{model.sha256}" in its block refuses every other file'
        )
    period_s = block.rate * flat.base_s
    pace = steps_of(model, period_s, p["step_s"] or None, place, between=bool(p["between"]))
    order = ModelOrder(
        path=str(block.file), sha256=model.sha256, step_s=pace.step_s, substeps=pace.in_cycle,
        outputs=tuple(one.variable for one in entries(p["gives"])),
        inputs=tuple(one.variable for one in entries(p["takes"])), start=start_of(p["start"]),
    )  # fmt: skip
    return order, pace.cycles

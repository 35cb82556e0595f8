"""FMUs of a diagram that runs: each in a process of its own, stepped in time with its block.

A step is asked for after a tick and its answer is taken before the tick that needs it. Where no
time passes for the run, that answer is waited for. A cycle in real time waits for nothing: without
an answer the block's outputs stay, tick by tick, and after its deadline the model is given up,
which stops the diagram. Native code that nobody said is trusted is refused before it is loaded.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, Self

from hil.config.errors import ConfigError, RefusedError
from hil.config.named_files import EmbeddedPath
from hil.diagram.check.flat import FlatDiagram, ModelBlock
from hil.diagram.library.models import described, entries, inner_name, start_of
from hil.diagram.run.fault import ModelFailedError
from hil.fmu.model_steps import VIRTUAL_WAIT_S
from hil.fmu.pace import steps_of
from hil.fmu.process import ModelProcess
from hil.fmu.wire import ModelOrder, StepAnswer, StepStatus

if TYPE_CHECKING:
    from hil.diagram.run.engine import Engine
    from hil.fmu.model_steps import ModelSteps

ALONE_WAIT_S: Final = 60.0
"""Where a person runs a diagram alone, a step that takes longer is none [s]."""
DRY_WAIT_S: Final = VIRTUAL_WAIT_S
"""Likewise in a station's run on the virtual clock [s]."""
WATCHED_WAIT_S: Final = 0.5
"""Likewise in the editor, whose window stands still meanwhile [s]."""


class RunningModel:
    """One FMU beside a diagram.

    Args:
        block: that it is.
        steps: what does its steps.
        first: its initial values.
        cycles: ticks of its block in one step.
        tick_s: from one tick of its block to the next [s].
        wait_s: how long an answer is waited for [s]; None: not at all.
    """

    def __init__(
        self, block: ModelBlock, steps: ModelSteps, first: tuple[float, ...], cycles: int,
        tick_s: float, wait_s: float | None,
    ) -> None:  # fmt: skip
        self._block, self._steps, self._cycles, self._wait_s = block, steps, cycles, wait_s
        p = block.parameters
        self._line = p["between"] == "line" and cycles > 1
        self._late_most = max(1, round(p["deadline_s"] / tick_s))
        self._before = self._newest = first
        self._asked, self._passed, self._waits, self._running_late = 0, 0, False, 0
        self.late: int = 0
        """Ticks so far that went on without the answer that was due."""
        self._inputs = [(f"{block.path}/{inner_name(one, p)}", "y") for one in entries(p["takes"])]
        self._outputs = [f"{block.path}/{inner_name(one, p)}" for one in entries(p["gives"])]

    @property
    def path(self) -> str:
        """Of its block."""
        return self._block.path

    def before(self, engine: Engine) -> None:
        """Tell its outputs for the tick that comes, if its block has one then.

        Raises:
            ModelFailedError: if it does not go on.
        """
        if not self._has(engine.tick):
            return
        if self._waits and self._passed >= self._cycles:
            self._take(engine)
        share = self._passed / self._cycles if self._line and self._waits else 0.0
        pairs = zip(self._before, self._newest, strict=True)
        values = (a + share * (b - a) for a, b in pairs) if self._line else self._newest
        for path, value in zip(self._outputs, values, strict=True):
            engine.values[engine.table.numbers[path]] = value

    def after(self, engine: Engine) -> None:
        """A tick was computed: ask for the next step, if its block had one and none is asked."""
        if not self._has(engine.tick - 1):
            return
        if not self._waits:
            self._asked, self._passed, self._waits = self._asked + 1, 0, True
            self._steps.ask(self._asked, tuple(float(engine.port(*end)[0]) for end in self._inputs))
        self._passed = min(self._passed + 1, self._cycles)

    def _has(self, tick: int) -> bool:
        block = self._block
        return tick >= block.offset and (tick - block.offset) % block.rate == 0

    def _take(self, engine: Engine) -> None:
        steps, wait_s = self._steps, self._wait_s
        answer = steps.take() if wait_s is None else steps.wait(wait_s)
        if answer is None:
            self._running_late += 1
            if self._running_late <= self._late_most:
                self.late += 1
                return
            answer = steps.give_up(self._block.parameters["deadline_s"])
        if answer.status is StepStatus.OK and answer.index != self._asked:
            answer = StepAnswer(StepStatus.CRASHED, answer.index, (), "it answered another step")
        if answer.status is not StepStatus.OK:
            why = answer.text or answer.status.name.lower()
            time_s = engine.tick * engine.sound.flat.base_s
            raise ModelFailedError(self._block.path, why, engine.tick, time_s)
        self._before, self._newest = self._newest, answer.values
        self._waits, self._running_late = False, 0


class DiagramModels:
    """All FMUs of a diagram, judged; a context, which ends their processes.

    Args:
        trusted: whether the person who runs it trusts their native code.
        wait_s: how long an answer is waited for [s]; None: not at all, in real time.

    Raises:
        ConfigError: if a step does not fit its block's period, or the file is another one.
        RefusedError: if their code is not trusted.
    """

    def __init__(self, flat: FlatDiagram, *, trusted: bool, wait_s: float | None) -> None:
        self._flat, self._wait_s = flat, wait_s
        self._orders = [(one, *_order_of(one, flat, trusted=trusted))
                        for one in flat.models.values()]  # fmt: skip
        self._opened = ExitStack()
        self._running: list[RunningModel] = []

    def begin(self) -> None:
        """Begin them, or begin them anew; this takes seconds.

        Raises:
            RefusedError: if one does not begin.
        """
        self.close()
        with ExitStack() as stack:
            for block, order, cycles in self._orders:
                process = stack.enter_context(ModelProcess(order))
                tick_s, first = block.rate * self._flat.base_s, process.first.values
                self._running.append(
                    RunningModel(block, process, first, cycles, tick_s, self._wait_s)
                )
            self._opened = stack.pop_all()

    def before(self, engine: Engine) -> None:
        """Tell the outputs that the tick that comes needs.

        Raises:
            ModelFailedError: if a model does not go on.
        """
        if len(self._running) != len(self._orders):
            raise RuntimeError("the FMUs of a diagram were not begun")
        for one in self._running:
            one.before(engine)

    def after(self, engine: Engine) -> None:
        """A tick was computed: ask for the steps that follow."""
        for one in self._running:
            one.after(engine)

    @property
    def late(self) -> dict[str, int]:
        """Path of each whose answers were not there in time → in how many ticks."""
        return {one.path: one.late for one in self._running if one.late}

    def close(self) -> None:
        """End their processes; harmless when repeated."""
        self._running = []
        self._opened.close()

    def __enter__(self) -> Self:
        """Begin them; raises as `begin`."""
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        """End them."""
        self.close()


def _order_of(block: ModelBlock, flat: FlatDiagram, *, trusted: bool) -> tuple[ModelOrder, int]:
    """What its process is told, and ticks in a step; nothing of it is loaded."""
    p, place = block.parameters, f"{block.path}: {block.file.name}"
    if isinstance(block.file, EmbeddedPath):
        raise RefusedError(f"{place} is not in the recording: run its scenario again")
    model = described(block.file)
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

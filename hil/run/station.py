"""The value `Station`: a kind of bench as everybody sees it who is not that bench.

Nothing outside `hil/stations` names a station; who needs to know something of one asks the value
that its entry point gives. The value is light: what computes is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from hil.config.errors import ConfigError
from hil.config.file_kind import FileKind
from hil.recording.signals import Signals
from hil.run.pages import Page
from hil.run.pages import Role as Role  # who writes a station finds both here
from hil.run.pages import Shape as Shape

if TYPE_CHECKING:
    from hil.config.offers import Offer
    from hil.config.settings import Change
    from hil.recording.header import RunHeader
    from hil.recording.reader import Recording
    from hil.run.console import Console
    from hil.run.end import Conclusion
    from hil.run.lead import Lead
    from hil.run.preview import Preview
    from hil.run.run import Opening
    from hil.scene.figure import Scene
    from hil.scene.margins import MarginGroup, RestState
    from hil.timing.doctor import Finding

MachinePreview = Callable[[Mapping[str, Any], Path], "Preview"]
"""Makes a picture of a machine from the table of its file, and from where that is or will be."""


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing that a check of a whole motion has found."""

    place: str
    """Phase and leg, or joint and waypoint."""
    quantity: str
    value: float
    limit: float
    unit: str
    t_s: float | None
    """Beginning of the finding, from the start of its phase [s]; None if it has no time."""
    wrong: bool
    """Whether the limit is passed; else it is what comes nearest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """Views of a station's runs beside their signals and events."""

    lamps: Mapping[str, tuple[Role, Shape]] = field(default_factory=dict)
    """Mode → colour and shape of its lamp; the two say the same, so neither is needed alone."""
    margins: Callable[[Mapping[str, Any]], tuple[MarginGroup, ...]] | None = None
    """What is left to limits, from the plan in a run's header; raises `KeyError` or `ValueError`
    for a plan that does not describe its machines."""
    rest_states: Callable[[], Mapping[str, RestState]] = dict
    """Mode → what measured lengths mean in it; one that is not there leaves it as it was."""
    lasts_s: Callable[[Mapping[str, Any]], float | None] = field(default=lambda motion: None)
    """Duration of a motion from rest to rest [s], from its table; None if that does not give it."""
    first_traces: tuple[str, ...] = ()
    lateness: tuple[tuple[str, str], ...] = ()
    """Name and signal of each time of a turn that is counted: how late, how long it took."""
    moving: tuple[str, ...] = ()
    clears: frozenset[str] = frozenset()
    """Modes in which no fault holds any more."""
    advice: Mapping[str, str] = field(default_factory=dict)
    """Check of its gate → what to do about what it found."""
    findings: Callable[[Mapping[str, Any]], tuple[CheckFinding, ...]] | None = None
    pages: Callable[[Mapping[str, Any]], tuple[Page, ...]] | None = None
    """Pages of its own in the panel, from the plan in a run's header; raises `KeyError` or
    `ValueError` for a plan that does not describe them. None: it has none."""


NO_VIEWS: Final = Views()
"""Views of a station that is not installed: its signals and events are all that is known."""


def number(value: object) -> float:
    """A number out of JSON, which has none for what is not there."""
    return float(value) if isinstance(value, int | float) else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of `hil run` and `hil check` that some stations have."""

    flag: str
    metavar: str = ""
    help: str
    many: bool = False
    switch: bool = False
    """It is given without a value."""
    checks: bool = False
    key: str = ""
    """Key of the scenario that its value is set in; empty: the station reads it itself."""
    device: bool = False
    """Its value is the URL of a device; one that is not simulated takes the real clock."""
    number: bool = False
    """Its value is a number."""


SIMULATED: Final = "sim:"
"""URL of a device that is computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Request of the command line for a run or a check."""

    scenario: Path | None
    """Its file; None for a motion that the options describe."""
    options: Mapping[str, Any]
    """The station's own options, by their flags; those not given are not there."""
    overrides: tuple[str, ...] = ()
    """Those of `--set`, as they were typed."""
    clock: str | None = None
    """Clock in place of the scenario's."""
    fallback: str | None = None
    """Whether emulated devices may step in, in place of the scenario's choice."""
    folder: Path = Path("runs")
    report: bool = False
    operator: bool = False
    as_json: bool = False
    progress: Callable[[float, float], None] | None = None
    """Callback of a dry run with the time of the run and that of its end [s]; None for others."""

    @property
    def file(self) -> Path:
        """Its scenario.

        Raises:
            ConfigError: if none is given.
        """
        if self.scenario is None:
            raise ConfigError("command line", ["a SCENARIO is needed"])
        return self.scenario

    @property
    def quiet(self) -> bool:
        """Whether nothing is printed for people while it lasts."""
        return self.as_json or self.dry

    @property
    def dry(self) -> bool:
        """Whether it is a dry run: of the scenario alone, on simulated devices."""
        return self.progress is not None

    def changes(self, options: Iterable[Option], more: Iterable[Change] = ()) -> list[Change]:
        """Changes of a scenario: options, then `overrides`, then the clock.

        Args:
            options: those of the station.
            more: what the station itself makes of its options.
        """
        found = [*self._of_options(options), *more, *self.overrides]
        return found if self.clock is None else [*found, ("clock", self.clock)]

    def _of_options(self, options: Iterable[Option]) -> Iterator[Change]:
        for option in options:
            value = self.options.get(option.flag)
            if value is None or not option.key:
                continue
            yield option.key, _number(value) if option.number else value
            if option.device and value != SIMULATED and self.clock is None:
                yield "clock", "real"
        if self.fallback is not None:
            yield "devices.fallback", self.fallback


def _number(text: str) -> int | float | str:
    """A number as it was typed; what is none stays a text, for the scenario to refuse."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Result of the proof of a whole motion."""

    ok: bool
    values: Mapping[str, Any]
    show: Callable[[], None]


class Prepared(Protocol):
    """Plan that a run plays, proved as far as its station proves it before a run."""

    @property
    def name(self) -> str:
        """Name of its scenario."""
        ...

    @property
    def clock(self) -> str:
        """``"virtual"`` or ``"real"``."""
        ...


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of a run beside how it ended."""

    values: Mapping[str, Any]
    """Values that `--json` prints of it, beside `ConclusionSummary`."""
    show: Callable[[], None]
    """Shows people its figures."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Emulated devices of a station in place of absent ones."""

    device: str
    """Device that may be absent: "drives", "robot"."""
    emulated: Callable[[Any], AbstractContextManager[tuple[Any, str]]]
    """The same prepared plan on emulated devices for a while, and their URL."""
    fallback: Callable[[Any], str]
    """Choice of a prepared plan: ``"sim"`` allows emulated devices."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page of a run that only one station has."""

    name: str
    """Name of the section, and of its picture."""
    maker: str
    """``module:function``, loaded when a page is made: what `Station.recorded` gives → a picture
    (`hil.report.style`), tables (`hil.report.recorded_run`), or None."""
    title: str = ""
    absent: str = ""
    """Words where there is nothing; empty: then there is no section either."""
    unless: str = ""
    """Name of a property of the run; where it is true, the section is not for that run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """A kind of bench."""

    name: str
    """Value of ``station`` in its scenarios."""
    scenarios: FileKind
    machines: tuple[FileKind, ...] = ()
    options: tuple[Option, ...] = ()
    signals: Signals
    load: Callable[[Request], Any] | None = None
    """Reads a scenario and its machines, checked: its plan. Raises `ConfigError`. None: the plan is
    the scenario itself, with what the command line changes in it."""
    prove: Callable[[Any, Request], Checked]
    """Proves the whole motion of a plan; raises `ConfigError` or `RefusedError`."""
    prepare: Callable[[Any, Request, Console], Any] = lambda plan, request, console: plan
    """Proves what a run needs proved before it opens anything: from a plan to a `Prepared`. Raises
    as `prove` does."""
    play: Callable[[Any, Opening], Callable[[Conclusion], Any] | None]
    """Plays a prepared plan within its opening: opens its devices, records, concludes. It returns
    what makes the result of the run of how it ended; None if that is all. Raises as `prove` does,
    and for an absent device a `RefusedError` of code `DEVICE_ABSENT` with ``url`` and ``says``."""
    summary: Callable[[Any, Any], Summary] | None = None
    """Sums up the result of a run, with a `hil.terminal.run_products.Afterwards` that makes what
    takes its recording; None: its outcome is all."""
    stand_in: StandIn | None = None
    """Emulated devices in place of absent ones; None: it has none."""
    recorded: Callable[[Recording], Any] | None = None
    """Prepares a recording for its page: a `hil.report.recorded_run.RecordedRun`; None: there is no
    more to say than of any run."""
    figures: str = ""
    """Maker of the key figures of that, ``module:function``; empty: those that all runs have."""
    sections: tuple[Section, ...] = ()
    views: Views = NO_VIEWS
    lead: Lead | None = None
    """Requests that operators may make of its runs beside the stop; None if there are none."""
    scene: Callable[[RunHeader], tuple[Scene, ...]] | None = None
    """What its machines look like, from a run's header; raises `KeyError` or `ValueError` for a
    header that does not describe them."""
    preview: Callable[[Path], Preview] | None = None
    """What the motion of a scenario file will look like; moves and proves nothing, raises
    `ConfigError`. None: there is no picture before it runs."""
    machine_preview: MachinePreview | None = None
    """What a machine of one of its files looks like at rest, from its table and where that is or
    will be; raises `ConfigError` or `RefusedError`. None: there is no picture of it alone."""
    diagram_ends: Callable[[Path], Any] | None = None
    """What a diagram of a scenario file may take and has to give: `hil.diagram.check.seam`; it
    raises `ConfigError` or `RefusedError`. None: its scenarios take no diagrams."""
    examine: Callable[[str, int], list[Finding]] | None = None
    """Looks at a link to its devices, a URL and a bit rate [bit/s], and moves nothing."""
    examine_chain: Callable[[Sequence[float]], list[Finding]] | None = None
    """Runs all that a run is in real time on emulated devices, at rates [Hz]."""
    warm: Callable[[bool], object] = bool
    """Compiles what a run calls; True: without a word."""
    offered: Callable[[], tuple[Offer, ...]] = tuple
    """Offers of others to it under entry points of its own."""

    def plan(self, request: Request) -> Any:
        """Read what is asked for as a plan.

        Raises:
            ConfigError: with the file, the key path, the value and what would have been right.
        """
        if self.load is not None:
            return self.load(request)
        from hil.config.settings import apply_overrides, read_toml  # who lists stations needs none

        table = apply_overrides(read_toml(request.file), request.changes(self.options))
        return self.scenarios.model().build(table, str(request.file))

    @property
    def files(self) -> tuple[FileKind, ...]:
        """Kinds of all its files."""
        return self.scenarios, *self.machines

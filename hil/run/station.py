"""The value `Station`: the description of a kind of bench for all other code.

Nothing outside `hil/stations` names a station; other code uses the value that the station's entry
point provides. The value is light: modules that compute are imported when they are called.
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
    from hil.run.workspace_maker import WorkspaceMaker
    from hil.scene.figure import Scene
    from hil.scene.margins import MarginGroup, RestState
    from hil.timing.doctor import Finding

MachinePreview = Callable[[Mapping[str, Any], Path], "Preview"]
"""Function that draws a machine from the table of its file and from the path of that file."""


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One finding of a check of a whole motion."""

    place: str
    """Phase and leg, or joint and waypoint."""
    quantity: str
    value: float
    limit: float
    unit: str
    t_s: float | None
    """Beginning of the finding, from the start of its phase [s]; None if it has no time."""
    wrong: bool
    """Whether the limit is exceeded; otherwise the finding is the value nearest to the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """Views of a station's runs in addition to signals and events."""

    lamps: Mapping[str, tuple[Role, Shape]] = field(default_factory=dict)
    """Mode → colour and shape of its lamp; each of the two identifies the state by itself."""
    margins: Callable[[Mapping[str, Any]], tuple[MarginGroup, ...]] | None = None
    """Remaining margins to limits, from the plan in a run's header; raises `KeyError` or
    `ValueError` for a plan that does not describe its machines."""
    rest_states: Callable[[], Mapping[str, RestState]] = dict
    """Mode → meaning of measured lengths in it; a missing mode keeps the previous meaning."""
    lasts_s: Callable[[Mapping[str, Any]], float | None] = field(default=lambda motion: None)
    """Duration of a motion from rest to rest [s], from its table; None if that does not give it."""
    first_traces: tuple[str, ...] = ()
    lateness: tuple[tuple[str, str], ...] = ()
    """Name and signal of each recorded time of a turn: its lateness, its duration."""
    moving: tuple[str, ...] = ()
    clears: frozenset[str] = frozenset()
    """Modes in which all faults are cleared."""
    advice: Mapping[str, str] = field(default_factory=dict)
    """Check of its gate → remedy for a violation."""
    findings: Callable[[Mapping[str, Any]], tuple[CheckFinding, ...]] | None = None
    pages: Callable[[Mapping[str, Any]], tuple[Page, ...]] | None = None
    """Pages of its own in the panel, from the plan in a run's header; raises `KeyError` or
    `ValueError` for a plan that does not describe them. None: it has none."""


NO_VIEWS: Final = Views()
"""Views of a station that is not installed: only its signals and events are known."""


def number(value: object) -> float:
    """Return a number from JSON, where a missing value has none."""
    return float(value) if isinstance(value, int | float) else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of `hil run` and `hil check` that some stations have."""

    flag: str
    metavar: str = ""
    help: str
    many: bool = False
    switch: bool = False
    """Whether the option has no value."""
    checks: bool = False
    key: str = ""
    """Key of the scenario that its value is set in; empty: the station reads it itself."""
    device: bool = False
    """Whether its value is the URL of a device; one that is not simulated uses the real clock."""
    number: bool = False
    """Whether its value is a number."""


SIMULATED: Final = "sim:"
"""URL of a device that is computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Request of the command line for a run or a check."""

    scenario: Path | None
    """Its file; None for a motion that the options describe."""
    options: Mapping[str, Any]
    """The station's own options, by their flags; options that were not given are absent."""
    overrides: tuple[str, ...] = ()
    """Texts of `--set`, as they were typed."""
    clock: str | None = None
    """Clock in place of the scenario's."""
    fallback: str | None = None
    """Whether emulated devices may replace absent ones; overrides the scenario's choice."""
    folder: Path = Path("runs")
    report: bool = False
    operator: bool = False
    as_json: bool = False
    progress: Callable[[float, float], None] | None = None
    """Callback of a dry run with the time of the run and that of its end [s]; None for others."""
    seed: int | None = None
    """Seed in place of the scenario's."""
    drawn: tuple[tuple[str, Any], ...] = ()
    """Keys of the scenario and the values that its seed has drawn; all other changes go before."""

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
        """Whether nothing is printed for people during the run or check."""
        return self.as_json or self.dry

    @property
    def dry(self) -> bool:
        """Whether it is a dry run: of the scenario alone, on simulated devices."""
        return self.progress is not None

    def changes(self, options: Iterable[Option], more: Iterable[Change] = ()) -> list[Change]:
        """Changes of a scenario: drawn values, options, then `overrides`, then the clock.

        Args:
            options: options of the station.
            more: changes that the station itself derives from its options.
        """
        found = [*self.drawn, *self._of_options(options), *more, *self.overrides]
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
    """Return a typed number; any other text stays a text, which the scenario refuses."""
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
    """The result of a run in addition to its end."""

    values: Mapping[str, Any]
    """Values that `--json` prints in addition to `ConclusionSummary`."""
    show: Callable[[], None]
    """Prints the figures for people."""


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
    """``module:function``, loaded when a page is made: result of `Station.recorded` → a picture
    (`hil.report.style`), tables (`hil.report.recorded_run`), or None."""
    title: str = ""
    absent: str = ""
    """Text if the maker returns None; empty: the section is then left out."""
    unless: str = ""
    """Name of a property of the run; if it is true, the section is left out for that run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """A kind of bench."""

    name: str
    """Value of ``station`` in its scenarios."""
    scenarios: FileKind
    extends: str = ""
    """Name of the station whose runs it makes, with more of its own; empty: none."""
    machines: tuple[FileKind, ...] = ()
    options: tuple[Option, ...] = ()
    signals: Signals
    load: Callable[[Request], Any] | None = None
    """Reads and checks a scenario and its machines, and returns the plan; raises `ConfigError`.
    None: the plan is the scenario itself, with the changes of the command line."""
    prove: Callable[[Any, Request], Checked]
    """Proves the whole motion of a plan; raises `ConfigError` or `RefusedError`."""
    prepare: Callable[[Any, Request, Console], Any] = lambda plan, request, console: plan
    """Makes the proofs that a run requires before it opens anything: from a plan to a `Prepared`.
    Raises as `prove` does."""
    play: Callable[[Any, Opening], Callable[[Conclusion], Any] | None]
    """Plays a prepared plan within its opening: opens its devices, records, concludes. It returns
    the function from the end of the run to its result; None for no more. Raises as `prove` does,
    and for an absent device a `RefusedError` of code `DEVICE_ABSENT` with ``url`` and ``says``."""
    summary: Callable[[Any, Any], Summary] | None = None
    """Summarizes the result of a run, with a `hil.terminal.run_products.Afterwards` that makes the
    products of its recording; None: the outcome is the whole result."""
    stand_in: StandIn | None = None
    """Emulated devices in place of absent ones; None: it has none."""
    recorded: Callable[[Recording], Any] | None = None
    """Prepares a recording for its page: a `hil.report.recorded_run.RecordedRun`; None: the page is
    that of any run."""
    figures: str = ""
    """Maker of the key figures of a recorded run, ``module:function``; empty: those of all runs."""
    sections: tuple[Section, ...] = ()
    views: Views = NO_VIEWS
    compared: tuple[str, ...] = ()
    """Measures of its runs that a campaign shows side by side, in this order; empty for the first
    that it finds."""
    lead: Lead | None = None
    """Requests of operators to its runs in addition to the stop; None if there are none."""
    scene: Callable[[RunHeader], tuple[Scene, ...]] | None = None
    """Appearance of its machines, from a run's header; raises `KeyError` or `ValueError` for a
    header that does not describe them."""
    preview: Callable[[Path], Preview] | None = None
    """Preview of the motion of a scenario file; moves and proves nothing, raises
    `ConfigError`. None: there is no picture before it runs."""
    motion: Callable[[Path, Sequence[Change]], tuple[Any, Any]] | None = None
    """Plan of a scenario file with changes, and the motion of its platform computed ahead; raises
    `ConfigError`. None: it moves no platform."""
    machine_preview: MachinePreview | None = None
    """Picture of a machine of one of its files at rest, from the table and the path of the file;
    raises `ConfigError` or `RefusedError`. None: there is no picture of a machine alone."""
    workspace: WorkspaceMaker | None = None
    """Map and proof of the workspace of one of its machines; None: it has none."""
    diagram_ends: Callable[[Path], Any] | None = None
    """Signals that a diagram of a scenario file may take and must give: `hil.diagram.check.seam`;
    it raises `ConfigError` or `RefusedError`. None: its scenarios take no diagrams."""
    examine: Callable[[str, int], list[Finding]] | None = None
    """Examines a link to its devices, from a URL and a bit rate [bit/s], and moves nothing."""
    examine_chain: Callable[[Sequence[float]], list[Finding]] | None = None
    """Runs the whole real-time chain on emulated devices, at rates [Hz]."""
    warm: Callable[[bool], object] = bool
    """Compiles the kernels that a run calls; True: without any message."""
    offered: Callable[[], tuple[Offer, ...]] = tuple
    """Offers of other packages under the station's own entry points."""

    def plan(self, request: Request) -> Any:
        """Read the request as a plan.

        Raises:
            ConfigError: with the file, the key path, the value and what would have been right.
        """
        if self.load is not None:
            return self.load(request)
        from hil.config.settings import apply_overrides, scenario_toml  # who lists stations: none

        table = apply_overrides(scenario_toml(request.file), request.changes(self.options))
        return self.scenarios.model().build(table, str(request.file))

    @property
    def files(self) -> tuple[FileKind, ...]:
        """Kinds of all its files."""
        return self.scenarios, *self.machines

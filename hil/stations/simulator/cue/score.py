"""A recorded ride through the whole chain as a dry run, its score, and the largest gain.

The scenario is made here; the run is that of the station: virtual clock, simulated drives, gate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from hil.config.errors import ConfigError, RefusedError
from hil.config.named_files import GIVEN
from hil.config.toml_text import toml_value
from hil.hosts.watch.states import SOUND
from hil.recording.reader import Recording
from hil.run.console import ReportingConsole
from hil.run.run import Opening, conduct
from hil.stations.platform.bench.bench import play_plan
from hil.stations.platform.bench.run_sequence import RunResult
from hil.stations.simulator.chain.parts import parts_of
from hil.stations.simulator.figures.felt_ride import (
    FeltRide,
    RideFigures,
    felt_ride,
    figures_of,
    shares_of,
)
from hil.stations.simulator.plan.scenario import (
    CueingSettings,
    RidePlan,
    load_ride,
    ride_from_table,
)
from hil.stations.simulator.run.bench import open_ride_source, ride_of
from hil.stations.simulator.run.rehearsal import wait_until_live
from hil.stations.simulator.sources.record_file import is_scenario, refuse_map
from hil.stations.simulator.words import CAUSES, PHYSICAL
from platform6dof.cueing.score import Score

GAIN_MOST: Final = 2.0
"""Largest share of a vehicle's force that is tried."""
GAIN_FACTOR_MOST: Final = 10.0
"""Largest factor on the preset's own share, as a scenario may have it."""
GAIN_STEP: Final = 0.01
"""A gain is found to this share of itself."""
RIG: Final = "paper"
PRESET: Final = "tight"
RECORDED: Final = "recording"
"""Kind of the source whose future is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CueRequest:
    """Request for a ride of a recording."""

    record: Path
    """A recorded ride (CSV), or a scenario of this station (TOML)."""
    rig: str | None = None
    algorithm: str | None = None
    preset: str | None = None
    map_name: str | None = None
    gain: float | None = None
    """Share of the vehicle's force that is wanted; None for the preset's or the scenario's own."""
    preview_s: float | None = None
    governor: bool = True
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class CueResult:
    """A ride that was run."""

    plan: RidePlan
    run: RunResult
    ride: FeltRide
    score: Score
    figures: RideFigures


def plan_of(request: CueRequest) -> RidePlan:
    """Return the scenario that is run.

    Raises:
        ConfigError: with the file or option, the value and what would be right.
    """
    plan = _of_scenario(request) if is_scenario(request.record) else _of_record(request)
    if not math.isfinite(plan.lasts_s):
        text = "duration_s: this source has no end of its own; say when the ride is over"
        raise ConfigError(plan.scenario_file, [text])
    if request.preview_s is not None:
        plan = _with_preview(plan, request.preview_s)
    return plan if request.gain is None else at_gain(plan, request.gain)


def at_gain(plan: RidePlan, gain: float) -> RidePlan:
    """Return the same ride with a share of the vehicle's force, rates in the preset's ratio to it.

    Raises:
        ConfigError: of a gain that cannot be.
    """
    if not (math.isfinite(gain) and gain >= 0.0):
        raise ConfigError("--gain", [f"{gain:g}: it must be finite and at least 0"])
    share = float(shares_of(plan.presets[0], plan.scenario.cueing.algorithm)[0])
    if share == 0.0:
        text = f"preset {plan.presets[0].name!r}: force.gain is 0: no gain makes a force of that"
        raise ConfigError("--gain", [text])
    factor = gain / share
    if factor > GAIN_FACTOR_MOST:
        text = f"{gain:g}: {factor:.3g} times the preset's own {share:g}"
        text += f"; at most {GAIN_FACTOR_MOST:g} times"
        raise ConfigError("--gain", [text])
    cueing = plan.scenario.cueing.model_copy(update={"gain": factor})
    return _with_cueing(plan, cueing)


def run_cue(
    plan: RidePlan, folder: Path, report: Callable[[float, float], None] | None = None
) -> CueResult:
    """Run a plan and judge its recording.

    Args:
        plan: from `plan_of`.
        folder: gets a folder for the run.
        report: called with the time of the run and about its end [s].

    Raises:
        ConfigError: if something in it cannot be had.
        RefusedError: if the platform never followed.
    """
    prepared = ride_of(plan).prepared
    console = None if report is None else ReportingConsole(report)
    opening = Opening(prepared.name, folder, virtual=prepared.clock == "virtual", console=console)
    result = conduct(partial(play_plan, prepared), opening)
    recording = Recording.open(result.recorder.path)
    ride = felt_ride(recording, plan)
    return CueResult(plan, result, ride, ride.score(), figures_of(recording, plan))


@dataclass(frozen=True, slots=True)
class FittedGain:
    """The largest gain that was found."""

    gain: float
    """Share of the vehicle's force."""
    margin: float
    """Smallest share left of a limit with it [1]."""
    bound: str
    """Limit that is reached beyond it; empty if none is up to `GAIN_MOST`."""


def fit_gain(plan: RidePlan, report: Callable[[float, bool], None] | None = None) -> FittedGain:
    """Return the largest gain at which the governor never acts, by halving.

    Args:
        plan: of the ride; its gain plays no part.
        report: called with each gain that was tried, and whether it went through.

    Raises:
        RefusedError: if even the smallest one does not go through.
    """
    plan = _with_cueing(plan, plan.scenario.cueing.model_copy(update={"governor": True}))

    def tried(gain: float) -> _FitTrial:
        found = _passes(at_gain(plan, gain))
        if report is not None:
            report(gain, found.whole)
        return found

    share = float(shares_of(plan.presets[0], plan.scenario.cueing.algorithm)[0])
    low, high = 0.0, min(GAIN_MOST, GAIN_FACTOR_MOST * share)
    bound = tried(high)
    if bound.whole:
        return FittedGain(high, bound.margin, "")
    best: _FitTrial | None = None
    while high - low > GAIN_STEP * high and high > GAIN_STEP:
        gain = 0.5 * (low + high)
        found = tried(gain)
        if found.whole:
            low, best = gain, found
        else:
            high, bound = gain, found
    if best is None:
        raise RefusedError(f"at a gain of {high:g} the ride does not fit yet: {bound.binding}")
    return FittedGain(low, best.margin, bound.binding)


@dataclass(frozen=True, slots=True)
class _FitTrial:
    whole: bool
    """The governor never acted."""
    margin: float
    binding: str


def _passes(plan: RidePlan) -> _FitTrial:
    """Ride without a platform until the governor acts."""
    from platform6dof.cueing.margins import QUANTITIES

    parts = parts_of(plan)
    period_s, least = plan.scenario.period_s, math.inf
    now = [0.0]
    with open_ride_source(plan, lambda: now[0]) as source:
        waited_s = wait_until_live(plan, source, now)
        source.begin(waited_s)
        index = 0
        while source.ended_s > now[0]:
            reading = source.poll(now[0])
            if reading.cause in PHYSICAL and reading.host not in SOUND:
                raise RefusedError(f"source: {CAUSES[reading.cause]}: {getattr(source, 'why', '')}")
            state = reading.state
            if state is not None:
                gain = plan.scenario.cueing.gain
                parts.predictive.look_ahead(source, now[0], gain)
                cued = parts.chain.follow(state, 1.0, gain)
                least = min(least, cued.margin)
                if cued.active:
                    names = QUANTITIES[cued.binding - 1][0] if cued.binding else "its limits"
                    return _FitTrial(False, cued.margin, f"{names} at {now[0]:.2f} s")
            index += 1
            now[0] = waited_s + index * period_s
    return _FitTrial(True, least, "")


def _of_record(request: CueRequest) -> RidePlan:
    preset = request.preset or PRESET
    cueing: dict[str, Any] = {"preset": preset, "governor": request.governor}
    if request.algorithm is not None:
        cueing["algorithm"] = request.algorithm
    source = {"kind": RECORDED, "file": str(request.record.resolve())}
    if request.map_name is not None:
        source["map"] = _absolute(request.map_name)
    table = {
        "name": "cue",
        "description": f"{request.record.name} by {preset}",
        "station": "simulator",
        "rig": request.rig or RIG,
        "seed": request.seed,
        "source": source,
        "cueing": cueing,
    }
    GIVEN.take(table)
    return ride_from_table(table, Path("command line"))


def _of_scenario(request: CueRequest) -> RidePlan:
    changes = ['clock="virtual"', 'devices.drives="sim:"', f"seed={request.seed}"]
    refuse_map(request.map_name)
    for key, value in (
        ("rig", request.rig),
        ("cueing.preset", request.preset),
        ("cueing.algorithm", request.algorithm),
    ):
        if value is not None:
            changes.append(f"{key}={toml_value(value)}")
    if not request.governor:
        changes.append("cueing.governor=false")
    return load_ride(request.record, changes)


def _absolute(name: str) -> str:
    """Return a map that is a file, by its whole path; a shipped name as it is."""
    return str(Path(name).resolve()) if Path(name).is_file() else name


def _with_preview(plan: RidePlan, preview_s: float) -> RidePlan:
    """Return the same ride with a preview.

    Raises:
        ConfigError: of a live source, an algorithm without a preview, or a bad value.
    """
    line = f"--preview {preview_s:g}"
    kind = plan.scenario.source_kind
    if kind != RECORDED:
        text = f"source {kind!r} is live, and nobody knows what it will say: leave it out"
        raise ConfigError(plan.scenario_file, [f"{line}: {text}"])
    preset = plan.presets[0]
    algorithm = plan.scenario.cueing.algorithm or preset.algorithm
    if algorithm != "mpc":
        text = f"the {algorithm} algorithm looks at nothing ahead: --algorithm mpc does"
        raise ConfigError("command line", [f"{line}: {text}"])
    cueing = plan.scenario.cueing.model_dump(mode="json", exclude_unset=True)
    return _with_cueing(plan, CueingSettings.build(cueing | {"preview_s": preview_s}, line))


def _with_cueing(plan: RidePlan, cueing: CueingSettings) -> RidePlan:
    scenario = plan.scenario.model_copy(update={"cueing": cueing})
    return plan.model_copy(update={"scenario": scenario})

"""Tuning of a preset to a recorded ride or to the cueing test, and its file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, get_args

import numpy as np

from hil.config.errors import ConfigError, RefusedError
from hil.machines.cueing.preset import CueingPreset
from hil.stations.simulator.sources.record_file import read_recorded
from platform6dof.cueing.objectives import (
    Knobs,
    Objective,
    ResponseObjective,
    RideObjective,
    TuneBounds,
)
from platform6dof.cueing.parameters import ClassicalParameters, CueingError
from platform6dof.cueing.record import VehicleRecord
from platform6dof.cueing.tuning import TRIALS, NothingFitsError, Tuned, tune

ObjectiveName = Literal["ride", "omct"]
OBJECTIVES: Final[tuple[ObjectiveName, ...]] = get_args(ObjectiveName)
STEP_S: Final = 0.02
"""Recordings are tried at 50 Hz: half of that, 25 Hz, is above what a platform follows."""
OMCT_TRIALS: Final = 4000
"""A closed form takes a thousandth of a ride's time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRequest:
    """Request for a tuning."""

    preset: CueingPreset
    """Preset at which the search begins; what is not tuned stays."""
    record: Path | None
    """A recorded ride; None for the cueing test."""
    map_name: str | None
    """Map of its columns."""
    objective: ObjectiveName
    gain: float | None
    """Share of the vehicle's force that is wanted; None for the preset's own."""
    travel_m: float
    """Largest surge and sway; of the cueing test for 1 m/s²."""
    tilt_deg_s: float
    """Largest rate of tilt."""
    rates: bool = False
    """Whether the vehicle's rates are ridden, too; else its force alone."""
    trials: int | None = None
    seed: int = 0


def tune_preset(request: TuneRequest, report: Callable[[int], None] | None = None) -> Tuned:
    """Search for the best parameters.

    Args:
        request: what is to be tuned.
        report: called with the number of sets tried so far.

    Raises:
        ConfigError: of a request that cannot be, with the option, its value and what would be
            right; of a recording that cannot be read.
        MotionError: of the recording, with its place.
        RefusedError: if no set keeps the bounds.
    """
    objective, start = _objective(request)
    trials = request.trials or (OMCT_TRIALS if request.objective == "omct" else TRIALS)
    try:
        return tune(objective, Knobs.of(start), trials=trials, seed=request.seed, report=report)
    except NothingFitsError as error:
        raise RefusedError(str(error)) from None
    except ValueError as error:
        raise ConfigError("--trials", [str(error)]) from None


def _objective(request: TuneRequest) -> tuple[Objective, ClassicalParameters]:
    for option, value, unit in (
        ("--travel", request.travel_m, "m"),
        ("--tilt", request.tilt_deg_s, "deg/s"),
        ("--gain", 1.0 if request.gain is None else request.gain, ""),
    ):
        if not (math.isfinite(value) and value > 0.0):
            line = f"{option} {value:g} {unit}".rstrip()
            raise ConfigError("command line", [f"{line}: it must be finite and above 0"])
    try:
        start = request.preset.classical()
        if request.gain is not None:
            start = at_gain(start, request.gain)
        bounds = TuneBounds(request.travel_m, math.radians(request.tilt_deg_s))
    except (CueingError, ValueError) as error:
        raise ConfigError(request.preset.name, [str(error)]) from None
    if request.objective == "omct":
        if request.record is not None:
            line = f"{request.record}: the cueing test has stimuli of its own: leave RECORD out"
            raise ConfigError("command line", [f"{line}, or --objective omct"])
        return ResponseObjective(start, bounds), start
    if request.record is None:
        raise ConfigError("command line", ["a RECORD is needed, or --objective omct"])
    recorded, head_m = read_recorded(request.record, request.map_name)
    ride = recorded.ride(head_m)
    force, omega = signals_of(ride, rates=request.rates)
    try:
        return RideObjective(force, omega, STEP_S, start, bounds), start
    except ValueError as error:
        raise ConfigError(str(request.record), [str(error)]) from None


def signals_of(ride: VehicleRecord, *, rates: bool) -> tuple[np.ndarray, np.ndarray]:
    """Read force and rates of a ride at 50 Hz, shape (N, 3) each; rates of 0 if not wanted."""
    grid = ride.at_rate(STEP_S)
    omega = grid.omega_rad_s if rates else np.zeros_like(grid.omega_rad_s)
    return grid.f_m_s2.copy(), omega.copy()


def at_gain(start: ClassicalParameters, gain: float) -> ClassicalParameters:
    """Return a set that wants a share of the vehicle's force, its rates by their own ratio to that.

    Raises:
        CueingError: if a rate's gain, or what follows from it, is out of its bounds.
        ValueError: if the set wants no force at all.
    """
    own = start.force[0].gain
    if not own > 0.0:
        raise ValueError("force.gain is 0: a set that wants no force has no ratio to it")
    share = gain / own
    x, y, z = (replace(one, gain=one.gain * share) for one in start.force)
    p, q, r = (replace(one, gain=one.gain * share) for one in start.rates)
    return replace(start, force=(x, y, z), rates=(p, q, r))


def preset_text(request: TuneRequest, found: Tuned, name: str) -> str:
    """Return the TOML file of what was found."""
    best, start = found.parameters, request.preset
    x, tilt = best.translation[0], best.tilt
    z = best.translation[2]
    what = f"the cueing test, from {start.name}"
    if request.record is not None:
        what = f"{request.record.name}, from {start.name}"
    bounds = found.bounds
    lines = [
        f"name = {_quoted(name)}",
        f"about = {_quoted(_about(what, found))}",
        'algorithm = "classical"',
        f"tilt_turns_force = {str(best.tilt_turns_force).lower()}",
        "",
        "[force]",
        f"gain = {_three([one.gain for one in best.force])}",
        f"most_m_s2 = {_three([one.most for one in best.force])}",
        *_cubic(start.force.curve, start.force.input_most_m_s2, start.force.end_slope, "m_s2"),
        "",
        "[rates]",
        f"gain = {_three([one.gain for one in best.rates])}",
        f"most_deg_s = {_three([math.degrees(one.most) for one in best.rates])}",
        *_cubic(start.rates.curve, start.rates.input_most_deg_s, start.rates.end_slope, "deg_s"),
        "",
        "[translation]",
        f"wn_rad_s = {_three([x.wn_rad_s, x.wn_rad_s, z.wn_rad_s])}",
        f"damping = {_three([x.damping, x.damping, z.damping])}",
        f"wb_rad_s = {_three([x.wb_rad_s, x.wb_rad_s, z.wb_rad_s])}",
        "",
        "[tilt]",
        f"wl_rad_s = {tilt.wl_rad_s:.6g}",
        f"damping = {tilt.damping:.6g}",
        f'by = "{start.tilt.by}"',
        f"rate_deg_s = {math.degrees(bounds.tilt_rad_s):.6g}",
        *(
            []
            if start.tilt.acceleration_deg_s2 is None
            else [f"acceleration_deg_s2 = {start.tilt.acceleration_deg_s2:.6g}"]
        ),
        f"most_deg = {start.tilt.most_deg:.6g}",
        f"force_m_s2 = {start.tilt.force_m_s2:.6g}",
        "",
        "[rotation]",
        f"wr_rad_s = {_three([one.wr_rad_s for one in best.rotation])}",
        f"order = {start.rotation.order}",
        f"damping = {_three(list(start.rotation.damping))}",
        "",
    ]
    return "\n".join(lines)


def _about(what: str, found: Tuned) -> str:
    best, bounds = found.best, found.bounds
    text = f"tuned to {what}: travel {best.travel_m:.3g} of {bounds.travel_m:g} m, "
    if len(best.parts) == 2:
        return f"{text}NRMSE of surge {best.parts[0]:.3f}, of sway {best.parts[1]:.3f}"
    return f"{text}smallest modulus {min(best.parts):.3f}"


def _cubic(
    curve: str, inputs: tuple[float, ...] | None, slope: tuple[float, ...], unit: str
) -> list[str]:
    if curve == "clip" or inputs is None:
        return []
    return [
        f'curve = "{curve}"',
        f"input_most_{unit} = {_three(list(inputs))}",
        f"end_slope = {_three(list(slope))}",
    ]


def _three(values: list[float]) -> str:
    return "[" + ", ".join(f"{one:.6g}" for one in values) + "]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

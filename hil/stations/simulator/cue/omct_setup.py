"""Request of `hil cue omct`, made into a chain and run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from hil.config.errors import ConfigError
from hil.config.named_files import GIVEN
from hil.machines.cueing.preset import filter_of, read_preset
from hil.machines.rig.governor import governor_of
from hil.stations.platform.plan.scenario import Plan, plan_from_table
from hil.stations.simulator.cue.omct_run import OmctChain, OmctRun, run_omct
from hil.stations.simulator.figures.felt_ride import shares_of
from platform6dof.cueing.omct import FREQUENCIES_RAD_S, TESTS

NUMBERS: Final = tuple(one.number for one in TESTS)
RATE_HZ: Final = 500.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OmctRequest:
    """Request for a cueing test; None for what is shipped, or all."""

    rig: str | None = None
    preset: str | None = None
    algorithm: str | None = None
    gain: float | None = None
    """Share of the vehicle's force; None for the preset's own."""
    tests: tuple[float, ...] | None = None
    frequencies: tuple[float, ...] | None = None
    governor: bool = True
    drives: bool = True


def run_cueing_test(request: OmctRequest) -> OmctRun:
    """Run it.

    Raises:
        ConfigError: with the option, its value and what would be right.
        RefusedError: if the chain asks for what no leg can give.
    """
    tests = _tests(request.tests)
    frequencies = _frequencies(request.frequencies)
    plan = _plan(request.rig or "paper")
    preset = read_preset(request.preset or "base")
    period_s = plan.scenario.period_s
    share = float(shares_of(preset, request.algorithm)[0])
    factor = 1.0
    if request.gain is not None:
        if not (math.isfinite(request.gain) and request.gain > 0.0 and share > 0.0):
            line = f"--gain {request.gain:g}: it must be finite and above 0, and so force.gain"
            raise ConfigError("command line", [line])
        factor = request.gain / share
    chain = OmctChain(
        cue=filter_of(preset, period_s, request.algorithm),  # pyright: ignore[reportArgumentType]
        governor=governor_of(plan.rig, period_s) if request.governor else None,
        neutral=np.array(plan.rig.neutral.coordinates(), dtype=np.float64),
        head_m=(0.0, 0.0, 0.0),
        gain=factor,
    )
    return run_omct(plan, chain, tests=tests, frequencies=frequencies, drives=request.drives)


def _tests(asked: tuple[float, ...] | None) -> tuple[int, ...]:
    if asked is None:
        return NUMBERS
    for one in asked:
        if one not in NUMBERS:
            line = f"--tests {one:g}: it must be 1 to {NUMBERS[-1]}"
            raise ConfigError("command line", [line])
    return tuple(int(one) for one in asked)


def _frequencies(asked: tuple[float, ...] | None) -> tuple[float, ...]:
    if asked is None:
        return FREQUENCIES_RAD_S
    most = math.pi * RATE_HZ / 8.0
    for one in asked:
        if not 0.02 <= one <= most:
            line = f"--frequencies {one:g}: it must be 0.02 to {most:.0f} rad/s"
            raise ConfigError("command line", [line])
    return asked


def _plan(rig: str) -> Plan:
    """Return a rig at rest: the test needs its drives and its limits, and no motion."""
    hold = {"kind": "hold", "duration_s": 1.0}
    table = {"name": "omct", "rig": rig, "rate_hz": RATE_HZ, "motion": hold}
    GIVEN.take(table)
    return plan_from_table(table, Path("command line"))

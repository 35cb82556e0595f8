"""Sources: blocks without inputs. Time is counted in base ticks: t = tick · base_s."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from hil.diagram.library.kind import (
    BlockKind,
    BlockSetting,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
    flat,
    shape_of,
    source,
)  # fmt: skip

UNIT: Final = ParameterKind("unit", "unit", "1", about="unit of the output")
TIME_MOST_S: Final = 1e6
SEED_MOST: Final = 2**32 - 1


def ticks(time_s: float, period_s: float) -> int:
    """Return the whole number of periods nearest to a time."""
    return math.floor(time_s / period_s + 0.5)


def seconds(name: str, default: float | None = 0.0, *, above: float = -math.inf) -> ParameterKind:
    """Return a parameter that is a time."""
    low = 0.0 if above == -math.inf else -math.inf
    return ParameterKind(name, "real", default, low, TIME_MOST_S, "s", above=above)


def _in_unit(parameters: Parameters) -> Ports:
    return source(parameters["unit"])


def _constant_ports(parameters: Parameters) -> Ports:
    frame = parameters["frame"] or "?f"
    shape = shape_of(parameters["value"])
    return Ports((), (PortKind("y", parameters["unit"], shape, frame=frame),))


def _pulse(parameters: Parameters, setting: BlockSetting) -> Sequence[float]:
    period = max(ticks(parameters["period_s"], setting.base_s), 1)
    width = ticks(parameters["width"] * parameters["period_s"], setting.base_s)
    return (
        period, width, ticks(parameters["delay_s"], setting.base_s),
        parameters["low"], parameters["high"],
    )  # fmt: skip


def seed_of(parameters: Parameters, setting: BlockSetting) -> tuple[float, float]:
    """Return two words of 32 bits, made of the diagram's seed, the block's own and its path."""
    text = f"{setting.seed}/{parameters['seed']}/{setting.path}"
    digest = hashlib.sha256(text.encode()).digest()
    return float(int.from_bytes(digest[:4])), float(int.from_bytes(digest[4:8]))


def _table_fault(parameters: Parameters) -> str:
    times, values = parameters["times_s"], parameters["values"]
    return increasing_fault("times_s", times, "values", values)


def increasing_fault(name: str, places: tuple[float, ...], other: str, values: tuple) -> str:
    """Return the fault of the points of a table; empty if there is none."""
    if len(places) < 2 or len(places) != len(values):
        return f"{name} has {len(places)} numbers, {other} {len(values)}: as many, and at least 2"
    for before, after in pairwise(places):
        if not before < after:
            return f"{name}: {after:g} follows {before:g}; each must be above the one before"
    return ""


SEED = ParameterKind("seed", "integer", 0, 0, SEED_MOST, about="told apart from other noises")

KINDS: Final = (
    BlockKind(
        name="Constant", group="sources", about="A number, a vector or a matrix.",
        equation="y = value", ports=_constant_ports, constant=True,
        parameters=(
            ParameterKind("value", "value", about="numbers of the output"), UNIT,
            ParameterKind("frame", "text", "", about="axes of a vector; empty if it has none"),
        ),
        numbers=lambda p, _: flat(p["value"]), example=Example({"value": 1.5}),
    ),
    BlockKind(
        name="ConstantBoolean", group="sources", about="True or false.", equation="y = value",
        ports=source(type="boolean"), constant=True,
        parameters=(ParameterKind("value", "boolean", False),),
        numbers=lambda p, _: (float(p["value"]),), example=Example({"value": True}),
    ),
    BlockKind(
        name="ConstantInteger", group="sources", about="A whole number.", equation="y = value",
        ports=source(type="integer"), constant=True,
        parameters=(ParameterKind("value", "integer", 0, -(2**31), 2**31),),
        numbers=lambda p, _: (float(p["value"]),), example=Example({"value": 3}),
    ),
    BlockKind(
        name="Step", group="sources", about="One value until a time, another from then on.",
        equation="y = after if tick >= round(time_s/base_s) else before", ports=_in_unit,
        parameters=(
            seconds("time_s"), ParameterKind("before", default=0.0, unit="unit"),
            ParameterKind("after", default=1.0, unit="unit"), UNIT,
        ),
        numbers=lambda p, s: (ticks(p["time_s"], s.base_s), p["before"], p["after"]),
        example=Example({"time_s": 0.01}),
    ),
    BlockKind(
        name="Ramp", group="sources", about="Rises evenly from a time on.",
        equation="y = initial + slope (tick - round(start_s/base_s)) base_s, not before the start",
        ports=_in_unit,
        parameters=(
            seconds("start_s"), ParameterKind("slope", default=1.0, unit="unit/s"),
            ParameterKind("initial", default=0.0, unit="unit"), UNIT,
        ),
        numbers=lambda p, s: (ticks(p["start_s"], s.base_s), p["slope"], p["initial"], s.base_s),
        example=Example({"slope": 2.0}),
    ),
    BlockKind(
        name="Sine", group="sources", about="A sine of the time.",
        equation="y = bias + amplitude sin(2 pi frequency_hz t + phase_rad)", ports=_in_unit,
        parameters=(
            ParameterKind("amplitude", default=1.0, unit="unit"),
            ParameterKind("frequency_hz", default=1.0, low=0.0, high=1e6, unit="Hz"),
            ParameterKind("phase_rad", default=0.0, low=-1e3, high=1e3, unit="rad"),
            ParameterKind("bias", default=0.0, unit="unit"), UNIT,
        ),
        numbers=lambda p, s: (
            p["amplitude"], 2.0 * math.pi * p["frequency_hz"], p["phase_rad"], p["bias"], s.base_s
        ),
    ),
    BlockKind(
        name="Chirp", group="sources", about="A sine whose frequency changes evenly, then stays.",
        equation="y = amplitude sin(2 pi (f0 t + (f1-f0) t^2/(2 T))), t up to T; then with f1",
        ports=_in_unit,
        parameters=(
            ParameterKind("amplitude", default=1.0, unit="unit"),
            ParameterKind("start_hz", default=0.1, low=0.0, high=1e6, unit="Hz"),
            ParameterKind("end_hz", default=10.0, low=0.0, high=1e6, unit="Hz"),
            seconds("duration_s", 10.0, above=0.0), UNIT,
        ),
        numbers=lambda p, s: (
            p["amplitude"], 2.0 * math.pi * p["start_hz"],
            math.pi * (p["end_hz"] - p["start_hz"]) / p["duration_s"],
            p["duration_s"], 2.0 * math.pi * p["end_hz"], s.base_s,
        ),
    ),
    BlockKind(
        name="Pulse", group="sources", about="A train of pulses, counted in ticks.",
        equation="y = high if tick >= D and (tick - D) mod P < W else low; P, W, D whole ticks",
        ports=_in_unit, numbers=_pulse,
        parameters=(
            seconds("period_s", 1.0, above=0.0),
            ParameterKind("width", default=0.5, low=0.0, high=1.0, about="part of the period"),
            seconds("delay_s"), ParameterKind("low", default=0.0, unit="unit"),
            ParameterKind("high", default=1.0, unit="unit"), UNIT,
        ),
        example=Example({"period_s": 0.1}),
    ),
    BlockKind(
        name="PulseBoolean", group="sources", about="A train of true and false, in ticks.",
        equation="y = tick >= D and (tick - D) mod P < W; P, W, D whole ticks",
        ports=source(type="boolean"),
        parameters=(
            seconds("period_s", 1.0, above=0.0),
            ParameterKind("width", default=0.5, low=0.0, high=1.0, about="part of the period"),
            seconds("delay_s"),
        ),
        numbers=lambda p, s: _pulse({**p, "low": 0.0, "high": 1.0}, s),
        example=Example({"period_s": 0.1}),
    ),
    BlockKind(
        name="TimeTable", group="sources", about="Values over time, linear between, ends held.",
        equation="y = values at t, linear between times_s", ports=_in_unit, check=_table_fault,
        parameters=(
            ParameterKind("times_s", "reals", low=0.0, unit="s"),
            ParameterKind("values", "reals", unit="unit"), UNIT,
        ),
        numbers=lambda p, s: (
            s.base_s, len(p["times_s"]), *p["times_s"], *p["values"]
        ),
        example=Example({"times_s": (0.0, 1.0), "values": (0.0, 2.0)}),
    ),
    BlockKind(
        name="UniformNoise", group="sources",
        about="Even noise; of the tick and the seeds alone, so that it needs no state.",
        equation="y = low + (high - low) r(tick), r of 53 bits in [0, 1)", ports=_in_unit,
        parameters=(
            ParameterKind("low", default=0.0, unit="unit"),
            ParameterKind("high", default=1.0, unit="unit"), SEED, UNIT,
        ),
        numbers=lambda p, s: (*seed_of(p, s), p["low"], p["high"]),
    ),
    BlockKind(
        name="NormalNoise", group="sources",
        about="Gaussian noise; of the tick and the seeds alone, so that it needs no state.",
        equation="y = mean + sigma sqrt(-2 ln(1 - r1(tick))) cos(2 pi r2(tick))", ports=_in_unit,
        parameters=(
            ParameterKind("mean", default=0.0, unit="unit"),
            ParameterKind("sigma", default=1.0, low=0.0, unit="unit"), SEED, UNIT,
        ),
        numbers=lambda p, s: (*seed_of(p, s), p["mean"], p["sigma"]),
    ),
    BlockKind(
        name="Clock", group="sources", about="Time since the start.", equation="y = tick base_s",
        ports=source("s"), numbers=lambda _, s: (s.base_s,),
    ),
    BlockKind(
        name="TickCount", group="sources", about="Base ticks since the start.", equation="y = tick",
        ports=source(type="integer"),
    ),
)  # fmt: skip

"""Blocks that count ticks and remember: delays, latches, edges, counters, timers."""

from __future__ import annotations

from typing import Any, Final

from hil.diagram.library.kind import (
    COMPOSITE,
    NO_PAIRS,
    BlockKind,
    BlockSetting,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
    count,
    each,
    flag,
    flat,
)  # fmt: skip
from hil.diagram.library.sources import seconds, ticks

GROUP: Final = "digital"
TICKS_MOST: Final = 10_000
AVERAGE_MOST: Final = 1000
EDGES: Final = ("rising", "falling", "both")

ANY: Final = Ports((PortKind("u", type="?t"),), (PortKind("y", type="?t"),))
FLAG: Final = Ports((flag("u"),), (flag("y"),))
INITIAL: Final = ParameterKind("initial", default=0.0, unit="unit of u", about="before the start; "
                               "a pose is not turned then, and at 0")  # fmt: skip


def _register_ports(parameters: Parameters) -> Ports:
    output = PortKind("y", "?a", (parameters["ticks"],), "?t")
    return Ports((PortKind("u", "?a", (), "?t"),), (output,))


def _ring(parameters: Parameters, setting: BlockSetting) -> int:
    return setting.size * (parameters["ticks"] + 1)


def _ring_filled(parameters: Parameters, setting: BlockSetting) -> list[float]:
    start, ticks = before_start(parameters, setting), parameters["ticks"]
    return [number for one in start for number in (0.0, *[one] * ticks)]


def before_start(parameters: Parameters, setting: BlockSetting) -> list[float]:
    """Return the value of each element before the start; `initial` is of numbers alone."""
    start = COMPOSITE.get(setting.type)
    return _each(parameters["initial"], setting.size) if start is None else list(start)


def _each(initial: Any, size: int) -> list[float]:
    """Return a number for all elements, or theirs, row after row."""
    return flat(initial) if isinstance(initial, tuple) else [initial] * size


def _average(parameters: Parameters, setting: BlockSetting) -> int:
    return setting.size * parameters["ticks"]


def _average_filled(parameters: Parameters, setting: BlockSetting) -> list[float]:
    start, kept = _each(parameters["initial"], setting.size), parameters["ticks"] - 1
    return [number for one in start for number in (0.0, *[one] * kept)]


def _counted(name: str, most: int) -> ParameterKind:
    return ParameterKind(name, "integer", 1, 1, most, "ticks")


KINDS: Final = (
    BlockKind(
        name="UnitDelay", group=GROUP, about="The value of the block's tick before.",
        equation="y[k] = u[k-1], y[0] = initial", ports=ANY, direct=NO_PAIRS,
        parameters=each(INITIAL), states=("x",), initial=before_start,
        example=Example(inputs={"u": 1.0}),
    ),
    BlockKind(
        name="Delay", group=GROUP, about="The value of some ticks before.",
        equation="y[k] = u[k-ticks], before that initial", ports=ANY, direct=NO_PAIRS,
        parameters=(_counted("ticks", TICKS_MOST), *each(INITIAL)), states=_ring,
        initial=_ring_filled,
        example=Example({"ticks": 3}, {"u": 1.0}),
    ),
    BlockKind(
        name="ShiftRegister", group=GROUP, about="The last values as a vector, newest first.",
        equation="y_j[k] = u[k-j], j = 1 … ticks", ports=_register_ports, direct=NO_PAIRS,
        parameters=(_counted("ticks", AVERAGE_MOST), INITIAL),
        states=lambda p, _: p["ticks"], initial=lambda p, _: [p["initial"]] * p["ticks"],
        example=Example({"ticks": 3}, {"u": 1.0}),
    ),
    BlockKind(
        name="MovingAverage", group=GROUP, about="Mean of the last values, this one included.",
        equation="y[k] = (u[k] + … + u[k-ticks+1]) / ticks", ports=Ports(
            (PortKind("u"),), (PortKind("y"),)),
        parameters=(_counted("ticks", AVERAGE_MOST), *each(INITIAL)),
        states=_average, initial=_average_filled,
        example=Example({"ticks": 4}, {"u": 1.0}),
    ),
    BlockKind(
        name="SampleHold", group=GROUP, about="Follows its input, and holds it while told to.",
        equation="y[k] = y[k-1] if hold else u[k]",
        ports=Ports(
            (PortKind("u", type="?t"), flag("hold", shape=())), (PortKind("y", type="?t"),)
        ),
        parameters=each(INITIAL), states=("x",), initial=before_start,
        example=Example(inputs={"u": 1.0, "hold": False}),
    ),
    BlockKind(
        name="Latch", group=GROUP, about="Set and reset; reset wins.",
        equation="y[k] = (y[k-1] or set) and not reset",
        ports=Ports((flag("set"), flag("reset")), (flag("y"),)),
        parameters=(ParameterKind("initial", "boolean", False),), states=("x",),
        initial=lambda p, _: (p["initial"],), example=Example(inputs={"set": True, "reset": False}),
    ),
    BlockKind(
        name="Edge", group=GROUP, about="True for the one tick in which its input changes.",
        equation="y[k] = u[k] and not u[k-1] (rising), not u[k] and u[k-1] (falling), or either",
        ports=FLAG, states=("last",), initial=lambda p, _: (p["initial"],),
        parameters=(
            ParameterKind("edge", "text", "rising", choices=EDGES),
            ParameterKind("initial", "boolean", False, about="input before the start"),
        ),
        numbers=lambda p, _: (EDGES.index(p["edge"]),), example=Example(inputs={"u": True}),
    ),
    BlockKind(
        name="Toggle", group=GROUP, about="Changes over at each rising edge.",
        equation="y[k] = not y[k-1] if u[k] and not u[k-1] else y[k-1]", ports=FLAG,
        parameters=(ParameterKind("initial", "boolean", False),), states=("last", "x"),
        initial=lambda p, _: (0.0, p["initial"]), example=Example(inputs={"u": True}),
    ),
    BlockKind(
        name="Counter", group=GROUP, about="Counts rising edges; a reset wins.",
        equation="y[k] = 0 if reset, else (y[k-1] + 1 if up[k] and not up[k-1] else y[k-1]); "
        "0 at modulo",
        ports=Ports((flag("up"), flag("reset", optional=True)), (count("y"),)),
        parameters=(
            ParameterKind("modulo", "integer", 0, 0, 2**31, about="starts anew there; 0 for never"),
        ),
        states=("last", "x"), example=Example(inputs={"up": True}),
    ),
    BlockKind(
        name="OnDelay", group=GROUP, about="True once its input has been true for a time.",
        equation="c[k] = c[k-1] + 1 if u else 0; y = c > round(time_s/H)", ports=FLAG,
        parameters=(seconds("time_s", 1.0),), states=("c",),
        numbers=lambda p, s: (ticks(p["time_s"], s.period_s),),
        example=Example({"time_s": 0.01}, {"u": True}),
    ),
    BlockKind(
        name="OffDelay", group=GROUP, about="Stays true for a time after its input has been.",
        equation="c[k] = 0 if u else c[k-1] + 1; y = c <= round(time_s/H)", ports=FLAG,
        parameters=(seconds("time_s", 1.0),), states=("c",),
        numbers=lambda p, s: (ticks(p["time_s"], s.period_s),),
        initial=lambda p, s: (ticks(p["time_s"], s.period_s) + 1,),
        example=Example({"time_s": 0.01}, {"u": True}),
    ),
)  # fmt: skip

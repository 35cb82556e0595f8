"""The page of a ride: what the source does, what is wanted and felt, gains, presets, mute."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hil.config.errors import ConfigError
from hil.hosts.watch.states import Cause
from hil.run.pages import (
    Page,
    PageBar,
    PageButton,
    PageLamp,
    PageNumber,
    PageSlider,
    PageSwitch,
    PageTable,
    PageText,
    PageWidget,
    Role,
    Shape,
)
from hil.stations.simulator.plan.source_registry import operator_inputs
from hil.stations.simulator.words import CAUSES

STATES: Final[Mapping[str, tuple[Role, Shape]]] = {
    "WAITING": ("dim", Shape.REST),
    "LIVE": ("ok", Shape.MOVES),
    "FADING_OUT": ("warn", Shape.STOPS),
    "AWAY": ("warn", Shape.STOPS),
    "FADING_IN": ("accent", Shape.MOVES),
    "LOST": ("fault", Shape.FAULT),
}
"""Lamp of each state of a source."""
GAIN_MAX: Final = 2.0
"""The slider goes no further, unless the scenario does."""
FORCE_M_S2: Final = 5.0
RATE_RAD_S: Final = 0.5
SLIDER_STEPS: Final = 200
"""Steps of an operator's input, from end to end."""
_FORCES: Final = (("x", "Force forward"), ("y", "Force to the right"), ("z", "Force down"))
_RATES: Final = (("x", "Rate of roll"), ("y", "Rate of pitch"), ("z", "Rate of yaw"))


def pages(table: Mapping[str, Any]) -> tuple[Page, ...]:
    """Return the page of the ride in a run's header; raises `KeyError` if it is none."""
    cueing = table["scenario"]["cueing"]
    names = [str(one["name"]) for one in table["presets"]]
    gain = float(cueing["gain"])
    widgets: list[PageWidget] = [
        PageLamp(
            label="Source", signal="host", states=STATES, why="cause",
            reasons={one.name: words for one, words in CAUSES.items() if one is not Cause.NONE},
        ),
        PageTable(
            label="Packets",
            rows=(
                PageNumber(label="used", column="packets", digits=0),
                PageNumber(label="dropped", column="dropped", digits=0),
                PageNumber(label="never came", column="missing", digits=0),
            ),
        ),
        PageNumber(label="Share of its motion that is wanted", column="weight"),
    ]  # fmt: skip
    for axis, label in _FORCES:
        rest = -9.81 if axis == "z" else 0.0
        widgets.append(_both(label, f"force_{axis}_m_s2", rest, FORCE_M_S2, "m/s²"))
    for axis, label in _RATES:
        widgets.append(_both(label, f"rate_{axis}_rad_s", 0.0, RATE_RAD_S, "rad/s"))
    widgets += [
        PageNumber(label="Smallest share left of a limit", column="governor_margin", digits=3),
        PageSlider(
            label="Gain", key="gain", low=0.0, high=max(GAIN_MAX, gain), step=0.05, value=gain
        ),
        PageNumber(label="Gain in force", column="gain"),
        PageSwitch(label="Mute", key="muted"),
        *_inputs(table["scenario"]["source"], Path(table["scenario_file"])),
    ]
    if len(names) > 1:
        widgets.append(PageText(words="Presets; a change crosses over in 1 s"))
        widgets.append(PageButton(label="As the host says", asks={"preset": None}))
        widgets += [
            PageButton(label=name, asks={"preset": number}) for number, name in enumerate(names)
        ]
        widgets.append(PageNumber(label="Preset in force, by number", column="preset", digits=0))
    return (Page(title="Ride", widgets=tuple(widgets), asks={"kind": "ride"}),)


def _inputs(source: Mapping[str, Any], file: Path) -> list[PageWidget]:
    """Return a slider for each number that a person may ask of the source."""
    try:
        there = operator_inputs(source, file)
    except ConfigError:  # read where the source's package is not installed
        there = ()
    if not there:
        return []
    sliders = (
        PageSlider(
            label=one.name.replace("_", " ").capitalize(), key=f"inputs.{one.name}", low=one.low,
            high=one.high, step=(one.high - one.low) / SLIDER_STEPS, value=one.start,
            unit=one.unit,
        )
        for one in there
    )  # fmt: skip
    return [PageText(words="What is asked of the vehicle"), *sliders]


def _both(label: str, column: str, rest: float, most: float, unit: str) -> PageBar:
    bars = (("wanted", f"wanted_{column}"), ("felt", f"felt_{column}"))
    return PageBar(label=label, bars=bars, low=rest - most, high=rest + most, unit=unit, rest=rest)

"""Blocks that a person works with: what is pressed, switched and slid, and what is shown.

What is set is a parameter: it changes by the same way as any other while a diagram runs, within its
limits, and is recorded. What is shown is what is wired to it.
"""

from __future__ import annotations

from typing import Final

from hil.diagram.file.model import Diagram, DrawnBlock
from hil.diagram.library.kind import BlockKind, Example, ParameterKind, Parameters, PortKind, Ports

GROUP: Final = "panel"
LABEL: Final = ParameterKind("label", "text", "", about="beside it; left out, the block's name")
PRESSES_MOST: Final = 10**9


def _slider(p: Parameters) -> Diagram:
    blocks = {
        "value": DrawnBlock("Constant", {"value": p["value"], "unit": p["unit"]}),
        "y": DrawnBlock("Out"),
    }
    return Diagram(blocks, {"y.u": "value.y"})


def _slider_fault(p: Parameters) -> str:
    low, high, value = p["low"], p["high"], p["value"]
    if not low < high:
        return f"low = {low:g} is not below high = {high:g}"
    if low <= value <= high:
        return ""
    return f"value = {value:g}: {low:g} to {high:g} {p['unit']} is needed"


def _switch(p: Parameters) -> Diagram:
    blocks = {"on": DrawnBlock("ConstantBoolean", {"value": p["on"]}), "y": DrawnBlock("Out")}
    return Diagram(blocks, {"y.u": "on.y"})


def _button(p: Parameters) -> Diagram:
    """True in the tick in which the count of presses is more than in the tick before.

    What begins, or begins anew, has not been pressed.
    """
    blocks = {
        "presses": DrawnBlock("ConstantInteger", {"value": p["presses"]}),
        "now": DrawnBlock("IntegerToReal"),
        "before": DrawnBlock("UnitDelay", {"initial": float(p["presses"])}),
        "more": DrawnBlock("Greater"),
        "y": DrawnBlock("Out"),
    }
    wires = {
        "now.u": "presses.y", "before.u": "now.y", "more.u1": "now.y", "more.u2": "before.y",
        "y.u": "more.y",
    }  # fmt: skip
    return Diagram(blocks, wires)


def _shown(p: Parameters) -> Diagram:
    return Diagram({"u": DrawnBlock("In")})


KINDS: Final = (
    BlockKind(
        name="PanelSlider", group=GROUP, about="A number that a person sets.",
        equation="y = value, while it runs from low to high",
        ports=lambda p: Ports((), (PortKind("y", p["unit"], ()),)), drawn=_slider,
        check=_slider_fault,
        parameters=(
            ParameterKind("value", default=0.0, unit="unit"),
            ParameterKind("low", default=0.0, unit="unit"),
            ParameterKind("high", default=1.0, unit="unit"),
            ParameterKind("unit", "unit", "1"), LABEL,
        ),
        example=Example({"value": 0.5}),
    ),
    BlockKind(
        name="PanelSwitch", group=GROUP, about="Something that a person turns on and off.",
        equation="y = on", ports=Ports((), (PortKind("y", "1", (), "boolean"),)), drawn=_switch,
        parameters=(ParameterKind("on", "boolean", False), LABEL),
    ),
    BlockKind(
        name="PanelButton", group=GROUP, about="Something that a person presses.",
        equation="y is true in the tick in which presses has grown",
        ports=Ports((), (PortKind("y", "1", (), "boolean"),)), drawn=_button,
        parameters=(
            ParameterKind("presses", "integer", 0, 0, PRESSES_MOST, about="so far"), LABEL,
        ),
    ),
    BlockKind(
        name="PanelLamp", group=GROUP, about="A lamp that is lit while its input is true.",
        equation="shows u", ports=Ports((PortKind("u", "1", (), "boolean"),), ()), drawn=_shown,
        parameters=(LABEL,), example=Example({}, {"u": True}),
    ),
    BlockKind(
        name="PanelNumber", group=GROUP, about="A number that is shown.", equation="shows u",
        ports=Ports((PortKind("u", "?a", ()),), ()), drawn=_shown,
        parameters=(ParameterKind("digits", "integer", 3, 0, 12, about="after the point"), LABEL),
        example=Example({}, {"u": 1.5}),
    ),
    BlockKind(
        name="PanelText", group=GROUP, about="A text that is shown while its input is true.",
        equation="shows on while u is true, else off",
        ports=Ports((PortKind("u", "1", (), "boolean"),), ()), drawn=_shown,
        parameters=(
            ParameterKind("on", "text", "on"), ParameterKind("off", "text", ""), LABEL,
        ),
        example=Example({"on": "pressing"}, {"u": True}),
    ),
)  # fmt: skip

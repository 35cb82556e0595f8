"""A law that grips a wheel by four fingers, turns it by an angle, and lets it go.

Each finger is held to a force by PI. The hand turns only while all of them press: a grip that is
lost is taken again before it goes on.
"""

from __future__ import annotations

from random import Random
from typing import Final

from hil.diagram.exercises.law import DrawnLaw
from hil.stations.task.exercises.grip_plant import FINGERS

TRANSITIONS: Final = "close -> turn: gripped; turn -> close: lost 1; turn -> open: arrived 2"
"""Transitions of a law that works."""
NUMBERS: Final = range(1, FINGERS + 1)


def grip_law(draw: Random) -> DrawnLaw:
    """Return a law that works."""
    law = DrawnLaw()
    law.block("goal", "In", shape=(), type="real", unit="rad", note="angle to turn by")
    law.block("angle", "In", shape=(), type="real", unit="rad", note="of the hand")
    law.block("speed", "In", shape=(), type="real", unit="rad/s", note="of the hand")
    law.block("forces", "In", shape=(FINGERS,), type="real", unit="N", note="of the fingers")
    _states(law)
    _fingers(law, draw)
    _hand(law, draw)
    return law


def _states(law: DrawnLaw) -> None:
    """Close, turn and open, and what ends each of them."""
    law.block("each", "Demux", width=FINGERS)
    law.wire("forces", "each")
    law.block("least", "Expression", text="y = min(min(f1, f2), min(f3, f4))",
              units=_forces("y"))  # fmt: skip
    for number in NUMBERS:
        law.wire(f"each.y{number}", f"least.f{number}")
    law.block("firm", "Expression", text="y = f > n", names="n", values=(30.0,), units="f N, n N")
    law.block("loose", "Expression", text="y = f < n", names="n", values=(12.0,), units="f N, n N")
    law.wire("least", "firm.f", "loose.f")
    law.block("left", "Sum", signs="+-")
    law.wire("goal", "left.u1")
    law.wire("angle", "left.u2")
    law.block("near", "Expression", text="y = abs(e) < near", names="near", values=(0.01,))
    law.wire("left", "near.e")
    law.block("state", "StateMachine", names="close turn open", transitions=TRANSITIONS,
              gives="grip turns", values=((1.0, 0.0), (1.0, 1.0), (0.0, 0.0)))  # fmt: skip
    for guard, source in (("gripped", "firm"), ("lost", "loose"), ("arrived", "near")):
        law.wire(source, f"state.{guard}")


def _forces(*others: str) -> str:
    return ", ".join(f"{name} N" for name in (*others, *(f"f{number}" for number in NUMBERS)))


def _fingers(law: DrawnLaw, draw: Random) -> None:
    """Force of each finger by PI; open by a voltage the other way."""
    kp, ki = round(draw.uniform(0.0038, 0.0044), 4), round(draw.uniform(0.008, 0.009), 4)
    law.block("wanted", "Constant", value=round(draw.uniform(38.0, 42.0), 1), unit="N")
    law.block("opens", "Constant", value=round(draw.uniform(-0.45, -0.4), 2))
    law.block("voltages", "Mux", width=FINGERS)
    for n in NUMBERS:
        law.block(f"error_{n}", "Sum", signs="+-")
        law.wire("wanted", f"error_{n}.u1")
        law.wire(f"each.y{n}", f"error_{n}.u2")
        law.block(f"kp_{n}", "Gain", k=kp, unit="1/N")
        law.block(f"ki_{n}", "Gain", k=ki, unit="1/(N*s)")
        law.block(f"sum_{n}", "LimitedIntegral", low=0.0, high=0.9, unit="1")
        law.wire(f"error_{n}", f"kp_{n}", f"ki_{n}")
        law.wire(f"ki_{n}", f"sum_{n}")
        law.block(f"finger_{n}", "Expression", text="y = if(grip > 0.5, p + i, open)")
        for port, source in (("grip", "state.grip"), ("p", f"kp_{n}"), ("i", f"sum_{n}"),
                             ("open", "opens")):  # fmt: skip
            law.wire(source, f"finger_{n}.{port}")
        law.wire(f"finger_{n}", f"voltages.u{n}")
    law.block("limits", "Saturation", low=-1.0, high=1.0)
    law.block("fingers", "Out", unit="1")
    law.wire("voltages", "limits")
    law.wire("limits", "fingers")


def _hand(law: DrawnLaw, draw: Random) -> None:
    """Voltage of the hand by PI on its speed, while it turns."""
    law.block("ask", "Gain", k=round(draw.uniform(1.8, 2.2), 2), unit="1/s")
    law.block("most", "Saturation", low=-0.35, high=0.35, unit="rad/s")
    law.wire("left", "ask")
    law.wire("ask", "most")
    law.block("slower", "Sum", signs="+-")
    law.wire("most", "slower.u1")
    law.wire("speed", "slower.u2")
    law.block("pushes", "Expression", text="y = if(turns > 0.5, e, 0*e)", units="y 1/s, e 1/s")
    law.wire("slower", "pushes.e")
    law.wire("state.turns", "pushes.turns")
    law.block("kw", "Gain", k=round(draw.uniform(0.45, 0.55), 2), unit="s")
    law.block("kv", "Gain", k=round(draw.uniform(1.8, 2.2), 2), unit="1")
    law.block("pushed", "LimitedIntegral", low=-1.0, high=1.0, unit="1")
    law.wire("pushes", "kw", "kv")
    law.wire("kv", "pushed")
    law.block("moves", "Expression", text="y = if(turns > 0.5, limit(p + i, -1, 1), 0)")
    for port, source in (("turns", "state.turns"), ("p", "kw"), ("i", "pushed")):
        law.wire(source, f"moves.{port}")
    law.block("turn", "Out", unit="1")
    law.wire("moves", "turn")

"""``hil diagram linear``: a law about a running point as a linear system."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.diagram.commands.choices import FileArg, InputOption, SetOption, diagram_of
from hil.diagram.run.input_plan import InputPlan
from hil.terminal.console import Json, leave, out, print_json, verb

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.diagram.analysis.linear import LinearModel
    from hil.diagram.analysis.margins import Margin
    from hil.diagram.check.diagram import SoundDiagram
    from hil.diagram.run.engine import Engine
    from hil.diagram.show.law_summaries import LinearSummary, MarginSummary, PoleSummary


@verb
def linear(
    file: FileArg,
    source: Annotated[
        str | None, typer.Option("--from", metavar="IN", help="An input, or omega[2] of one.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--to", metavar="OUT", help="An output, a block.port, or a number of one."),
    ] = None,
    loop: Annotated[
        str | None,
        typer.Option(
            "--loop",
            metavar="BLOCK.PORT",
            help="The loop's transfer instead, cut at the wire that ends there; with its margins.",
        ),
    ] = None,
    at: Annotated[
        float, typer.Option("--at", metavar="S", min=0.0, max=1e5, help="Running point [s].")
    ] = 0.0,
    settings: SetOption = None,
    inputs: InputOption = None,
    picture: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.png", help="Bode picture.")
    ] = None,
    as_json: Json = False,
) -> None:
    """State space about a running point, poles, gain and phase margins, Bode picture."""
    from hil.diagram.run.fault import NonFiniteError

    if (loop is None) == (source is None) or (source is None) != (target is None):
        raise ConfigError("--from", ["write --from IN and --to OUT, or --loop BLOCK.PORT"])
    path, sound = diagram_of(file, settings or [])
    sound.flat.refuse_models(
        "whose state cannot be put back, and differences need each tick from the same state",
        "draw an In in place of each of its outputs, and give its running point by --input",
    )
    plan = InputPlan(sound, inputs or [], left_out_is_zero=True)
    try:
        if source is not None and target is not None:
            found = _between(sound, plan, at, source, target)
        else:
            found = _around(sound, plan, at, loop or "")
    except NonFiniteError as error:
        raise RefusedError(str(error)) from None
    if picture is not None and found.model.D.shape != (1, 1):
        raise ConfigError("--out", ["a picture is of one number: write name[1] for --from, --to"])
    gain, phase = _bode(found, picture, f"{Path(path).stem}: {found.words}")
    written = "" if picture is None else str(picture)
    if as_json:
        summary = _summarize(found, path, gain, phase, written)
        print_json(summary)
    else:
        _show(found, gain, phase, written)
    leave(True)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A linear model of a diagram, and what it is of."""

    model: LinearModel
    words: str
    point_s: float
    """The running point [s]."""
    loop: bool
    """Whether it is the transfer of a loop that was cut."""


def _between(sound: SoundDiagram, plan: InputPlan, at_s: float, source: str, target: str) -> _Found:
    """From an input to an output."""
    from hil.diagram.analysis.linear import linearise, place_of
    from hil.diagram.run.engine import Engine

    engine = Engine(sound)
    scale = _run(engine, plan, at_s)
    point_s = engine.tick * sound.flat.base_s
    begin, end = place_of(engine, source, inputs=True), place_of(engine, target, inputs=False)
    model = linearise(engine, [begin], [end], scale)
    return _Found(model, f"{source} to {target}", point_s, loop=False)


def _around(sound: SoundDiagram, plan: InputPlan, at_s: float, wire_to: str) -> _Found:
    """Around a loop, from behind the cut back to it."""
    from hil.diagram.analysis.linear import linearise
    from hil.diagram.analysis.open_loop import OPENED, carried, in_places, opened
    from hil.diagram.run.engine import Engine

    engine = Engine(sound)
    scale = _run(engine, plan, at_s)
    point_s = engine.tick * sound.flat.base_s
    name, _, port = wire_to.rpartition(".")
    cut_sound, wire = opened(sound, (name, port))
    cut = Engine(cut_sound)
    carried(engine, cut, wire)
    scale = in_places(scale, engine, cut)
    begin, end = cut.inputs[OPENED], cut.table.ports[wire]
    scale[begin] = scale[end]
    model = linearise(cut, [begin], [end], scale)
    return _Found(model, f"loop, cut at {wire_to}", point_s, loop=True)


def _summarize(
    found: _Found, path: str, gain: Margin | None, phase: Margin | None, written: str
) -> LinearSummary:
    from hil.diagram.analysis.linear import is_stable
    from hil.diagram.show.law_summaries import LinearSummary

    model = found.model
    poles = model.poles()
    closed = model.closed().poles() if found.loop else None
    return LinearSummary(
        ok=True, path=path, time_s=found.point_s, period_s=model.period_s,
        states=list(model.states), A=model.A.tolist(), B=model.B.tolist(),
        C=model.C.tolist(), D=model.D.tolist(), poles=_poles(poles, model.period_s),
        stable=is_stable(poles),
        closed_poles=None if closed is None else _poles(closed, model.period_s),
        closed_stable=None if closed is None else is_stable(closed),
        gain_margin_db=_margin(gain), phase_margin_deg=_margin(phase),
        notes=list(model.notes), written=written,
    )  # fmt: skip


def _show(found: _Found, gain: Margin | None, phase: Margin | None, written: str) -> None:
    from hil.diagram.analysis.linear import is_stable

    model = found.model
    every = f"{len(model.states)} states, every {1e3 * model.period_s:g} ms"
    out.print(f"{found.words} at {found.point_s:g} s: {every}", soft_wrap=True)
    poles = model.poles()
    _show_poles("pole", poles, model.period_s)
    out.print("stable" if is_stable(poles) else "not stable: poles that do not decay")
    if found.loop:
        closed = model.closed().poles()
        _show_poles("closed: pole", closed, model.period_s)
        out.print(f"closed loop {'stable' if is_stable(closed) else 'not stable'}")
        for what, one, unit in (("gain", gain, "dB"), ("phase", phase, "deg")):
            value = "none: no crossing"
            if one is not None:
                value = f"{one.value:.2f} {unit} at {one.hz:.4g} Hz"
            out.print(f"{what} margin {value}", soft_wrap=True)
    for note in model.notes:
        out.print(f"note: {note}", soft_wrap=True)
    if written:
        out.print(f"written: {written}", soft_wrap=True)


def _run(engine: Engine, plan: InputPlan, at_s: float) -> NDArray[np.float64]:
    """Run to a point where all rates begin together; return the largest values until then."""
    import numpy as np

    from hil.diagram.analysis.linear import common_period

    base_s, period = engine.sound.flat.base_s, common_period(engine.sound)
    # Within its first period a diagram starts up, which no other period repeats.
    periods = max(math.floor(at_s / (base_s * period) + 0.5), 1)
    for name, values in plan.steady().items():
        engine.set_input(name, values)
    scale = np.abs(engine.values)
    for tick in range(periods * period):
        for name, row in plan.at(tick * base_s).items():
            engine.set_input(name, row)
        engine.step()
        np.maximum(scale, np.abs(engine.values), out=scale)
    for name, row in plan.at(engine.tick * base_s).items():
        engine.set_input(name, row)
    return scale


def _bode(found: _Found, picture: Path | None, title: str) -> tuple[Margin | None, Margin | None]:
    """Return the margins of a loop, whose feedback counts as negative; and the picture."""
    from hil.diagram.analysis.margins import grid, margins

    model = found.model
    if model.D.shape != (1, 1) or not (found.loop or picture):
        return None, None

    def response(radians: NDArray[np.float64]) -> NDArray[np.complex128]:
        values = model.response(radians)
        return -values if found.loop else values  # not -1.0 * values, which may be infinite

    radians = grid(model.poles())
    gain, phase = margins(response, radians, model.period_s) if found.loop else (None, None)
    if picture is not None:
        from hil.diagram.analysis.report import write_bode

        hz = radians / (2.0 * math.pi * model.period_s)
        write_bode(picture, hz, response(radians), title, gain, phase)
    return gain, phase


def _poles(poles: NDArray[np.complex128], period_s: float) -> list[PoleSummary]:
    from hil.diagram.show.law_summaries import PoleSummary

    found = []
    for pole in poles.tolist():
        hz, damping = _mode(pole, period_s)
        found.append(
            PoleSummary(re=pole.real, im=pole.imag, magnitude=abs(pole), hz=hz, damping=damping)
        )
    return found


def _mode(pole: complex, period_s: float) -> tuple[float | None, float | None]:
    """Return natural frequency [Hz] and damping of a discrete pole; None for one at 0, or at 1."""
    import cmath

    if abs(pole) < 1e-12 or abs(pole - 1.0) < 1e-12:
        return None, None
    s = cmath.log(pole)
    return abs(s) / (2.0 * math.pi * period_s), -s.real / abs(s)


def _show_poles(what: str, poles: NDArray[np.complex128], period_s: float) -> None:
    for pole in poles.tolist():
        hz, damping = _mode(pole, period_s)
        mode = "" if hz is None else f", {hz:.4g} Hz, damping {damping:.4f}"
        words = f"{pole.real:.9g}{f' {pole.imag:+.9g}j' if pole.imag else ''}"
        out.print(f"{what} {words}{mode}", soft_wrap=True)


def _margin(one: Margin | None) -> MarginSummary | None:
    from hil.diagram.show.law_summaries import MarginSummary

    return None if one is None else MarginSummary(value=one.value, hz=one.hz)

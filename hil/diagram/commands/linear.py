"""``hil diagram linear``: a law about a running point as a linear system."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.diagram.commands.choices import FileArg, InputPlan, SetOption, diagram_of
from hil.terminal.console import Json, leave, out, print_json, verb

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.diagram.engine import Engine
    from hil.diagram.linear import LinearModel
    from hil.diagram.margins import Margin
    from hil.diagram.told import MarginTold, PoleTold


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
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=NUMBERS|NAME=FILE.csv",
            help="An input on the way to the point; 0 if it is left out.",
        ),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.png", help="Bode picture.")
    ] = None,
    as_json: Json = False,
) -> None:
    """State space about a running point, poles, gain and phase margins, Bode picture."""
    from hil.diagram.engine import Engine
    from hil.diagram.fault import NonFiniteError
    from hil.diagram.linear import (
        OPENED,
        carried,
        in_places,
        is_stable,
        linearise,
        opened,
        place_of,
    )
    from hil.diagram.told import LinearTold

    if (loop is None) == (source is None) or (source is None) != (target is None):
        raise ConfigError("--from", ["write --from IN and --to OUT, or --loop BLOCK.PORT"])
    path, sound = diagram_of(file, settings or [])
    engine = Engine(sound)
    plan = InputPlan(sound, inputs or [], left_out_is_zero=True)
    try:
        scale = _run(engine, plan, at)
        point_s = engine.tick * sound.flat.base_s
        if source is not None and target is not None:
            words = f"{source} to {target}"
            begin, end = (place_of(engine, source, inputs=True),
                          place_of(engine, target, inputs=False))  # fmt: skip
        else:
            words = f"loop, cut at {loop}"
            name, _, port = (loop or "").rpartition(".")
            cut_sound, wire = opened(sound, (name, port))
            cut = Engine(cut_sound)
            carried(engine, cut, wire)
            scale = in_places(scale, engine, cut)
            engine, begin, end = cut, cut.inputs[OPENED], cut.table.ports[wire]
            scale[begin] = scale[end]
        model = linearise(engine, [begin], [end], scale)
    except NonFiniteError as error:
        raise RefusedError(str(error)) from None
    poles, gain, phase = model.poles(), None, None
    closed_poles = None if loop is None else model.closed().poles()
    single = model.D.shape == (1, 1)
    if single and (loop is not None or picture is not None):
        sign = -1.0 if loop is not None else 1.0
        gain, phase = _bode(model, poles, sign, picture, f"{Path(path).stem}: {words}")
    elif picture is not None:
        raise ConfigError("--out", ["a picture is of one number: write name[1] for --from, --to"])
    if as_json:
        print_json(
            LinearTold(
                ok=True, path=path, time_s=point_s, period_s=model.period_s,
                states=list(model.states), A=model.A.tolist(), B=model.B.tolist(),
                C=model.C.tolist(), D=model.D.tolist(), poles=_poles(poles, model.period_s),
                stable=is_stable(poles),
                closed_poles=None if closed_poles is None else _poles(closed_poles, model.period_s),
                closed_stable=None if closed_poles is None else is_stable(closed_poles),
                gain_margin_db=_margin(gain), phase_margin_deg=_margin(phase),
                notes=list(model.notes), written="" if picture is None else str(picture),
            )
        )  # fmt: skip
        leave(True)
    out.print(
        f"{words} at {point_s:g} s: {len(model.states)} states, every {1e3 * model.period_s:g} ms",
        soft_wrap=True,
    )
    _show_poles("pole", poles, model.period_s)
    out.print("stable" if is_stable(poles) else "not stable: poles that do not decay")
    if closed_poles is not None:
        _show_poles("closed: pole", closed_poles, model.period_s)
        out.print(f"closed loop {'stable' if is_stable(closed_poles) else 'not stable'}")
        for what, one, unit in (("gain", gain, "dB"), ("phase", phase, "deg")):
            words = (
                "none: no crossing" if one is None else f"{one.value:.2f} {unit} at {one.hz:.4g} Hz"
            )
            out.print(f"{what} margin {words}", soft_wrap=True)
    for note in model.notes:
        out.print(f"note: {note}", soft_wrap=True)
    if picture is not None:
        out.print(f"written: {picture}", soft_wrap=True)
    leave(True)


def _run(engine: Engine, plan: InputPlan, at_s: float) -> NDArray[np.float64]:
    """Run to a point where all rates begin together; the largest values on the way."""
    import numpy as np

    from hil.diagram.linear import common_period

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


def _bode(model: LinearModel, poles: NDArray[np.complex128], sign: float, picture: Path | None,
          title: str) -> tuple[Margin | None, Margin | None]:  # fmt: skip
    """Margins of a loop, whose feedback counts as negative; and the picture."""
    from hil.diagram.margins import grid, margins

    def response(radians: NDArray[np.float64]) -> NDArray[np.complex128]:
        return sign * model.response(radians)

    radians = grid(poles)
    gain, phase = None, None
    if sign < 0.0:
        gain, phase = margins(response, radians, model.period_s)
    if picture is not None:
        from hil.diagram.report import write_bode

        hz = radians / (2.0 * math.pi * model.period_s)
        write_bode(picture, hz, response(radians), title, gain, phase)
    return gain, phase


def _poles(poles: NDArray[np.complex128], period_s: float) -> list[PoleTold]:
    from hil.diagram.told import PoleTold

    found = []
    for pole in poles.tolist():
        hz, damping = _mode(pole, period_s)
        found.append(
            PoleTold(re=pole.real, im=pole.imag, magnitude=abs(pole), hz=hz, damping=damping)
        )
    return found


def _mode(pole: complex, period_s: float) -> tuple[float | None, float | None]:
    """Natural frequency [Hz] and damping of a discrete pole; None for one at 0, or at 1."""
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


def _margin(one: Margin | None) -> MarginTold | None:
    from hil.diagram.told import MarginTold

    return None if one is None else MarginTold(value=one.value, hz=one.hz)

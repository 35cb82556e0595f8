"""``hil platform map`` and ``prove``: where a rig holds, and whether it does in a whole box."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.stations.platform.commands.pose_boxes import (
    BoxOption,
    box_of,
    require_near,
    require_order,
    require_turned,
)
from hil.stations.platform.commands.rig_model import PicturesOption, RigModel, writing
from hil.terminal.console import Json, leave, numbers, out, print_json, verb, waiting
from hil.terminal.options import RigArg

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.machines.rig.settings import Rig
    from hil.stations.platform.proof.workspace_request import FoundMap, FoundProof

    Array = NDArray[np.float64]

PLACE_NAMES = "x,y,z [m]"
TURN_NAMES = "alpha,beta,gamma [deg]"
RATE_NAMES = "vx,vy,vz [m/s],alpha,beta,gamma rates [deg/s]"
OVER_NAMES = "lower and upper end of each coordinate of the map [m or deg]"

QUANTITIES = "travel, sigma, speed, force, stiffness or error."

RatesOption = Annotated[
    str | None,
    typer.Option(
        "--rates",
        metavar="VX,VY,VZ,A,B,G",
        help="Greatest rates of the coordinates, in any combination [m/s, deg/s]; the legs' "
        "speeds are then limits too.",
    ),
]


@verb
def map_workspace(
    rig: RigArg,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="X,Y,Z", help="Map the turns at this place [m]."),
    ] = None,
    turned: Annotated[
        str | None,
        typer.Option(
            "--turned",
            metavar="A,B,G",
            help="Map the places at this turn [deg]; the rig's neutral one if left out.",
        ),
    ] = None,
    of: Annotated[str, typer.Option("--of", metavar="QUANTITY", help=QUANTITIES)] = "travel",
    rates: RatesOption = None,
    over: Annotated[
        str | None,
        typer.Option(
            "--over",
            metavar="L0,U0,…",
            help="Ends of the map, three pairs [m or deg]; found if left out.",
        ),
    ] = None,
    points: Annotated[
        int, typer.Option("--points", min=2, max=200, help="Cells along each coordinate.")
    ] = 60,
    pictures: PicturesOption = None,
    as_json: Json = False,
) -> None:
    """Where the rig is inside all limits, and which limit ends it: places or turns."""
    from hil.stations.platform.proof.workspace_request import PLACES, TURNS, MapRequest, make_map
    from hil.stations.platform.proof.workspace_summaries import summarize_map

    if at is not None and turned is not None:
        raise ConfigError("--at", ["give --at (a map of turns) or --turned (of places), not both"])
    model, source = (loaded := RigModel(rig)).rig, str(loaded.path)
    free = PLACES if at is None else TURNS
    request = MapRequest(
        model,
        free,
        _fixed(model, at, turned),
        of,
        points,
        _rates(rates),
        _over(over, free),
        source,
    )
    with waiting("judging the cells of the map", quiet=as_json):
        found = make_map(request)
    written = _map_pictures(found, model, pictures)
    if as_json:
        summary = summarize_map(found, written)
        print_json(summary)
    else:
        _show_map(found, written)
    leave(bool(found.cells.inside.any()))


@verb
def prove(
    rig: RigArg,
    box: BoxOption = None,
    scale: Annotated[
        float,
        typer.Option("--scale", min=0.0, max=100.0, help="Scale of the box about its centre."),
    ] = 1.0,
    rates: RatesOption = None,
    largest: Annotated[
        bool,
        typer.Option(
            "--largest/--no-largest",
            help="Look for the largest box of these proportions that is proved.",
        ),
    ] = True,
    boxes: Annotated[
        int, typer.Option("--boxes", min=1, help="Most boxes examined in one proof.")
    ] = 100_000_000,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.0, help="Longest time of all proofs [s].")
    ] = 120.0,
    pictures: PicturesOption = None,
    as_json: Json = False,
) -> None:
    """Prove that a whole box of poses is inside all limits, or find poses that are not."""
    from hil.stations.platform.proof.workspace_request import ProofRequest, make_proof
    from hil.stations.platform.proof.workspace_summaries import summarize_proof
    from hil.timing.realtime import RealClock
    from platform6dof.workspace.box_search import Budget

    model = RigModel(rig).rig
    clock = RealClock()
    end_s = clock.now_s() + seconds
    budget = Budget(boxes, lambda: clock.now_s() > end_s)
    wanted_rates = _rates(rates)
    request = ProofRequest(model, box_of(model, box), scale, wanted_rates, budget, largest)
    with waiting("proving the box", quiet=as_json):
        found = make_proof(request)
    written = _proof_picture(found, wanted_rates, pictures)
    if as_json:
        summary = summarize_proof(found, scale, written)
        print_json(summary)
    else:
        _show_proof(found, written)
    leave(found.proof.holds)


def _fixed(rig: Rig, at: str | None, turned: str | None) -> Array:
    """Coordinates of which a map's fixed ones count, in SI."""
    import numpy as np

    pose = rig.neutral.coordinates()
    if at is not None:
        pose[:3] = require_near("--at", at, numbers(at, 3, "--at", PLACE_NAMES))
    if turned is not None:
        pose[3:] = np.radians(
            require_turned("--turned", numbers(turned, 3, "--turned", TURN_NAMES))
        )
    return pose


def _rates(text: str | None) -> Array:
    import numpy as np

    if text is None:
        return np.zeros(6)
    rates = np.array(numbers(text, 6, "--rates", RATE_NAMES))
    if (rates < 0.0).any():
        raise ConfigError("--rates", [f"{text}: greatest rates are 0 or more, in both directions"])
    rates[3:] = np.radians(rates[3:])
    return rates


def _over(text: str | None, free: tuple[int, int, int]) -> Array | None:
    """Lower and upper ends of a map in SI, shape (2, 3)."""
    import numpy as np

    if text is None:
        return None
    values = numbers(text, 6, "--over", OVER_NAMES)
    if free[0] < 3:
        require_near("--over", text, values)
    else:
        require_turned("--over", values)
    ends = np.array(values).reshape(3, 2).T
    require_order("--over", ends[0], ends[1], strict=True)
    return ends if free[0] < 3 else np.radians(ends)


def _map_pictures(found: FoundMap, rig: Rig, folder: Path | None) -> list[str]:
    if folder is None:
        return []
    from hil.stations.platform.report.map_figure import write_map_figures

    with writing(folder):
        return [str(path) for path in write_map_figures(found.cells, rig.pose_box.box(), folder)]


def _proof_picture(found: FoundProof, rates: Array, folder: Path | None) -> list[str]:
    if folder is None:
        return []
    from hil.stations.platform.report.proof_figure import write_proof_figure

    with writing(folder):
        paths = write_proof_figure(
            found.envelope, found.proof, found.largest, rates, folder, found.holding
        )
        return [str(path) for path in paths]


def _show_map(found: FoundMap, written: list[str]) -> None:
    from hil.stations.platform.proof.workspace_words import map_lines

    for line in (*map_lines(found), *written):
        out.print(line, soft_wrap=True)


def _show_proof(found: FoundProof, written: list[str]) -> None:
    from hil.stations.platform.proof.workspace_words import proof_lines

    for line in (*proof_lines(found), *written):
        out.print(line, soft_wrap=True)

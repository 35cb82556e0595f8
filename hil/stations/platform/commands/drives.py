"""``hil drives``: look for drives, emulate them, and move their legs slowly, one by one."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hil.config.errors import ConfigError
from hil.config.inputs import collected
from hil.config.named_files import GIVEN
from hil.stations.platform.commands.rack import rack
from hil.terminal.console import Json, leave, verb
from hil.terminal.options import RigArg

app = typer.Typer(
    no_args_is_help=True,
    help="Drives of a platform: **rack** emulates six of them on the real wire, **scan** finds "
    "them, **test** proves that each moves its leg, **home**, **jog** and **park** move slowly.",
    rich_markup_mode="markdown",
)
app.command()(rack)

DrivesOption = Annotated[
    str,
    typer.Option(
        "--drives", metavar="URL", help="Where the drives are; `rig` means where the rig says."
    ),
]
OutOption = Annotated[
    Path, typer.Option("--out", help="Folder that gets a new folder for the recording.")
]
FallbackOption = Annotated[
    str,
    typer.Option(
        "--fallback",
        metavar="refuse|sim",
        help="When the drives are not there: refuse, or go on with emulated ones, and say so.",
    ),
]
RateOption = Annotated[float, typer.Option("--rate", metavar="HZ", help="Cycles per second.")]
LegOption = Annotated[int, typer.Option("--leg", min=1, max=6, help="Leg 1 to 6.")]
UrlArg = Annotated[str, typer.Argument(metavar="URL", help="slcan:…, socketcan:…, modbus-tcp:…")]
RIG_RATE_HZ = 250.0


@app.command()
@verb
def scan(
    url: UrlArg,
    bitrate: Annotated[int, typer.Option("--bitrate", help="Of the CAN bus [bit/s].")] = 1_000_000,
    as_json: Json = False,
) -> None:
    """List the drives on a bus: who they are, which modes they know. Nothing moves."""
    from hil.stations.platform.commissioning.drive_scan import scan_and_show

    leave(scan_and_show(url, bitrate, as_json=as_json))


@app.command("import")
@verb
def import_sheet(
    sheet: Annotated[Path, typer.Argument(metavar="FILE", help="EDS or DCF of a drive.")],
    to: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="NAME.toml", help="Drive file to write.")
    ] = None,
) -> None:
    """Make a drive file of a data sheet (EDS, DCF): what the drive lacks, limits, counts in."""
    from hil.stations.platform.commissioning.types import import_and_show

    import_and_show(sheet, to)


@app.command("check-type")
@verb
def check_type(
    type_: Annotated[
        str, typer.Argument(metavar="TYPE", help="Shipped type, drive file, or data sheet (EDS).")
    ],
    rig: Annotated[
        str, typer.Option("--rig", help="The rig whose limits are asked for.")
    ] = "paper",
    as_json: Json = False,
) -> None:
    """Show what the bench needs of a type of drive, what it has, and what stands in."""
    from hil.stations.platform.commissioning.types import check_and_show

    leave(check_and_show(type_, rig, as_json=as_json))


@app.command("check-bank")
@verb
def check_bank(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="Where its drives are; the scheme says whose bank.")
    ],
    rig: Annotated[str, typer.Option("--rig", help="The rig whose drives they are.")] = "paper",
    rate_hz: RateOption = RIG_RATE_HZ,
    unpaced: Annotated[
        bool, typer.Option("--unpaced", help="Cycles follow each other at once: no wire needed.")
    ] = False,
    real: Annotated[
        bool, typer.Option("--real", help="Drives that are not simulated may be moved.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Try each promise that every bank of drives must keep: for who writes one. THE LEGS MOVE.

    They are homed, then led within 20 mm of their reference at 50 mm/s at most, without the gate.
    Real drives need --real, free room around them, and a hand on the emergency stop.
    """
    from hil.stations.platform.commissioning.bank_check import check_and_show

    plan = _plan(rig, url, "check_bank", rate_hz, "refuse")
    leave(check_and_show(plan, paced=not unpaced, real=real, as_json=as_json))


@app.command()
@verb
def faults(
    url: UrlArg,
    bitrate: Annotated[int, typer.Option("--bitrate", help="Of the CAN bus [bit/s].")] = 1_000_000,
    as_json: Json = False,
) -> None:
    """Show the faults that drives have now and those they remember. Nothing moves."""
    from hil.stations.platform.commissioning.drive_scan import faults_and_show

    leave(faults_and_show(url, bitrate, as_json=as_json))


@app.command()
@verb
@collected()
def home(
    rig: RigArg,
    drives: DrivesOption = "rig",
    leg: Annotated[
        int | None, typer.Option("--leg", min=1, max=6, help="This leg only; all if left out.")
    ] = None,
    fallback: FallbackOption = "refuse",
    rate_hz: RateOption = RIG_RATE_HZ,
    folder: OutOption = Path("runs"),
    as_json: Json = False,
) -> None:
    """Let the drives find their reference switches, slowly; all legs, or one."""
    from hil.stations.platform.commissioning.moves import home_and_show

    leave(
        home_and_show(_plan(rig, drives, "home", rate_hz, fallback), leg, folder, as_json=as_json)
    )


@app.command()
@verb
@collected()
def jog(
    rig: RigArg,
    leg: LegOption,
    by_m: Annotated[
        float, typer.Option("--by", metavar="M", help="How far, outwards positive [m].")
    ],
    drives: DrivesOption = "rig",
    hold_s: Annotated[float, typer.Option("--hold", min=0.0, help="How long to stay [s].")] = 1.0,
    speed: Annotated[
        float, typer.Option("--speed", help="Share of the rig's slow moves, at most 0.3.")
    ] = 0.2,
    fallback: FallbackOption = "refuse",
    rate_hz: RateOption = RIG_RATE_HZ,
    folder: OutOption = Path("runs"),
    as_json: Json = False,
) -> None:
    """Home, then lead one leg slowly out from the parked platform and back."""
    from hil.stations.platform.commissioning.runs import run_moves
    from hil.stations.platform.drives.certificate import SLOW_MAX
    from hil.stations.platform.drives.leg_test import slow_share
    from hil.terminal.run_end import show_and_leave

    if not 0.0 < speed <= SLOW_MAX:
        raise ConfigError("--speed", [f"{speed}: a share above 0 and up to {SLOW_MAX} is needed"])
    offsets = [0.0] * 6
    offsets[leg - 1] = by_m
    to = [{"offsets_m": offsets, "dwell_s": hold_s}, {"offsets_m": 0.0, "dwell_s": 0.0}]

    def motion(loaded: Any) -> dict[str, Any]:
        return {"kind": "legs", "speed": slow_share(loaded, speed), "to": to}

    plan = _plan(rig, drives, f"jog_leg{leg}", rate_hz, fallback, motion)
    ran = run_moves(plan, folder, as_json=as_json)
    show_and_leave(ran, as_json=as_json)


@app.command()
@verb
@collected()
def park(
    rig: RigArg,
    drives: DrivesOption = "rig",
    fallback: FallbackOption = "refuse",
    rate_hz: RateOption = RIG_RATE_HZ,
    folder: OutOption = Path("runs"),
    as_json: Json = False,
) -> None:
    """Home, go to the parked pose, hold it for a moment under force, and switch off."""
    from hil.stations.platform.commissioning.runs import run_moves
    from hil.terminal.run_end import show_and_leave

    plan = _plan(rig, drives, "park", rate_hz, fallback)
    ran = run_moves(plan, folder, as_json=as_json)
    show_and_leave(ran, as_json=as_json)


@app.command("test")
@verb
@collected()
def leg_test(
    rig: RigArg,
    drives: DrivesOption = "rig",
    observer: Annotated[
        str,
        typer.Option(
            "--witness",
            metavar="NAME",
            help="Who watches, and vouches that the legs moved one after the other from 1 to 6, as "
            "they are numbered on the machine, each growing and going back: only this tells that "
            "no two legs have both their cables swapped. Asked for at the end if left out.",
        ),
    ] = "",
    fallback: FallbackOption = "refuse",
    rate_hz: RateOption = RIG_RATE_HZ,
    folder: OutOption = Path("runs"),
    as_json: Json = False,
) -> None:
    """The slow test move, then silence: real drives are moved fast only after both were passed.

    Each leg goes out and back by itself; tells swapped legs, sign and scale. Then the bench falls
    silent twice, at rest and in a move of 5 mm/s, and each drive has to stop by itself.
    """
    from hil.stations.platform.commissioning.moves import leg_test_and_show
    from hil.stations.platform.drives.leg_test import leg_test_motion
    from hil.stations.platform.drives.watchdog_proof import moving_motion, rest_motion

    plan = _plan(rig, drives, "leg_test", rate_hz, fallback, leg_test_motion)
    cuts = (
        _plan(rig, drives, "cut_at_rest", rate_hz, fallback, rest_motion),
        _plan(rig, drives, "cut_moving", rate_hz, fallback, moving_motion),
    )
    leave(leg_test_and_show(plan, cuts, folder, observer=observer, as_json=as_json))


@app.command()
@verb
@collected()
def reference(
    rig: RigArg,
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who has measured, and signs.")],
    drives: DrivesOption = "rig",
    at: Annotated[
        str,
        typer.Option(
            "--at",
            metavar="inner|outer|M,M,…",
            help="Where the rods stand: on their inner or outer stops, or the lengths of the legs, "
            "joint to joint, measured by hand [m].",
        ),
    ] = "",
    leg: Annotated[
        int | None, typer.Option("--leg", min=1, max=6, help="This leg only; all if left out.")
    ] = None,
    ruler: Annotated[
        Path | None,
        typer.Option("--ruler", metavar="RECORDING", help="Of a jog that was measured by hand."),
    ] = None,
    measured_m: Annotated[
        float, typer.Option("--measured", metavar="M", help="How far the leg went in it [m].")
    ] = 0.0,
    anew: Annotated[
        bool, typer.Option("--anew", help="With --at: forget what was measured of it before.")
    ] = False,
    rate_hz: RateOption = RIG_RATE_HZ,
    as_json: Json = False,
) -> None:
    """Tell where the legs are: for absolute encoders, and for a scale that no drive tells.

    Nothing moves. Two places at least 20 mm apart prove the scale, too.
    """
    from hil.stations.platform.commissioning.reference_tools import (
        measure_and_show,
        prove_scale_and_show,
    )

    if not by.strip():
        raise ConfigError("--by", ["the name of the person who has measured is needed"])
    if (not at) == (ruler is None):
        raise ConfigError("--at", ["a place, or else --ruler with --measured, is needed"])
    if anew and ruler is not None:
        raise ConfigError("--anew", ["it belongs to --at: a ruler proves a scale, no place"])
    plan = _plan(rig, drives, "reference", rate_hz, "refuse")
    if ruler is not None:
        leave(prove_scale_and_show(plan.rig, ruler, measured_m, by, as_json=as_json))
    else:
        leave(measure_and_show(plan, at, by, leg, as_json=as_json, anew=anew))


def _plan(
    rig: str, drives: str, name: str, rate_hz: float, fallback: str, motion: Any = None
) -> Any:
    """Plan for a rig by itself: a table, or a function that makes one for the rig."""
    from hil.config.file_search import find_file
    from hil.machines.rig.machine import load_rig
    from hil.stations.platform.plan.scenario import plan_from_table

    path = find_file(rig, folder="rigs", key="RIG")
    loaded = load_rig(path)
    url = loaded.drives.url if drives == "rig" else drives
    if motion is None:
        motion = {"kind": "legs", "to": [{"offsets_m": 0.0, "dwell_s": 0.5}]}
    table = {
        "name": name,
        "description": f"hil drives {name}",
        "rig": str(path),
        "clock": "virtual" if url == "sim:" else "real",
        "rate_hz": rate_hz,
        "devices": {"drives": url, "fallback": fallback},
        "motion": motion(loaded) if callable(motion) else motion,
    }
    GIVEN.take(table)
    return plan_from_table(table, Path("command line"))

"""``hil cue``: recorded rides through the whole chain, their score, tuning and the cueing test."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from hil.stations.simulator.commands.cue_options import (
    AlgorithmOption,
    GainOption,
    NoGovernorOption,
    PictureOption,
    PresetOption,
    RigOption,
    figure,
    require_place,
    write_file,
)
from hil.stations.simulator.commands.cue_ride import axes, check, ride
from hil.stations.simulator.commands.cue_tune import compare, tune
from hil.terminal.console import Json, numbers, out, print_json, verb, waiting

if TYPE_CHECKING:
    from hil.stations.simulator.cue.omct_run import OmctRun


@verb
def omct(
    rig: RigOption = None,
    preset: PresetOption = None,
    algorithm: AlgorithmOption = None,
    gain: GainOption = None,
    tests: Annotated[
        str | None,
        typer.Option("--tests", metavar="N,…", help="Some of the ten; all if left out."),
    ] = None,
    frequencies: Annotated[
        str | None,
        typer.Option("--frequencies", metavar="W,…", help="Some of the twelve [rad/s]."),
    ] = None,
    no_governor: NoGovernorOption = False,
    no_drives: Annotated[
        bool, typer.Option("--no-drives", help="Judge the setpoints, without simulated drives.")
    ] = False,
    picture: PictureOption = None,
    as_json: Json = False,
) -> None:
    """Response of the whole chain to sinusoids, axis by axis; shown, never judged."""
    from hil.stations.platform.cycle.kernel_warmup import warm_and_say
    from hil.stations.simulator.cue.omct_setup import OmctRequest, run_cueing_test
    from hil.stations.simulator.cue.summaries import summarize_omct

    require_place(picture)
    request = OmctRequest(
        rig=rig, preset=preset, algorithm=algorithm, gain=gain,
        tests=_numbers_of(tests, "--tests"), frequencies=_numbers_of(frequencies, "--frequencies"),
        governor=not no_governor, drives=not no_drives,
    )  # fmt: skip
    warm_and_say(quiet=as_json)
    with waiting("driving each axis at each frequency", quiet=as_json):
        found = run_cueing_test(request)
    if picture is not None:
        from hil.stations.simulator.report.omct_figure import omct_picture

        write_file(picture, omct_picture(found.points).png)
    if as_json:
        summary = summarize_omct(found)
        print_json(summary)
    else:
        _show_omct(found)


def _numbers_of(text: str | None, option: str) -> tuple[float, ...] | None:
    if text is None:
        return None
    count = len(text.split(","))
    return tuple(numbers(text, count, option, "numbers, comma-separated"))


def _show_omct(found: OmctRun) -> None:
    from rich.table import Table

    from platform6dof.cueing.omct import TESTS

    names = ("test", "rad/s", "amplitude", "modulus", "phase deg", "coherence", "limited %")
    table = Table(*names, box=None, pad_edge=False)
    for one in found.points:
        test = TESTS[one.test - 1]
        angle = test.driven in ("roll", "pitch", "yaw")
        size = f"{math.degrees(one.amplitude):.3g} deg" if angle else f"{one.amplitude:g} m/s²"
        table.add_row(
            f"{one.test} {test.name}", f"{one.rad_s:g}", size, f"{one.modulus:.4f}",
            figure(one.phase_deg), figure(one.coherence), f"{100 * one.limited_share:.1f}",
            style="yellow" if one.coherence < 0.9 else None,
        )  # fmt: skip
    out.print(table)
    out.print(
        "curves of the chain as it was driven; where coherence is below 0.9 a modulus says little",
        soft_wrap=True,
    )


RIDE = "ride"


class _RideFirst(TyperGroup):
    """A group whose first word may be a recording: ``cue RECORD`` is ``cue ride RECORD``."""

    default_verb: str = RIDE
    """Verb that is used where none is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the first word for a recording unless it names a verb."""
        known = {*self.commands, "--help", "--install-completion", "--show-completion"}
        if args and args[0] not in known:
            args = [self.default_verb, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_RideFirst,
    no_args_is_help=True,
    help="Motion cueing of recorded rides: dry run and score (hil cue RECORD), check, axes, "
    "tune, compare, omct.",
)
app.command(RIDE)(ride)
for command in (check, axes, tune, compare, omct):
    app.command()(command)

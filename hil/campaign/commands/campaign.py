"""``hil campaign``: one scenario over many seeds, and one of its runs again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from hil.terminal.completion import offered
from hil.terminal.console import Json, err, leave, out, print_json, styled, verb

if TYPE_CHECKING:
    from hil.campaign.campaign_summaries import CampaignSummary


class ScenarioGroup(TyperGroup):
    """Verbs of campaigns; what is none of them is the scenario of `run`."""

    default_verb: str = "run"
    """Verb that is meant where none is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, with `run` put before those of a scenario."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [self.default_verb, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=ScenarioGroup,
    no_args_is_help=True,
    help="One scenario over many seeds: `hil campaign SCENARIO --seeds 0:100` is short for "
    "`hil campaign run SCENARIO --seeds 0:100`.",
)

ScenarioArg = Annotated[
    str | None,
    typer.Argument(
        metavar="SCENARIO",
        help="Scenario file, or the name of a shipped one; left out, that of --resume.",
        autocompletion=offered("scenarios"),
    ),
]
FolderArg = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a campaign.")]


@app.command()
@verb
def run(
    scenario: ScenarioArg = None,
    seeds: Annotated[
        str | None,
        typer.Option("--seeds", metavar="FIRST:END", help="Seeds; END is left out. 0:100, 3,7:9."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", help="Processes; one for each processor."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="tcp://HOST:PORT", help="Scheduler of a Dask cluster."),
    ] = None,
    diagram: Annotated[
        Path | None,
        typer.Option("--diagram", metavar="FILE", help="Diagram in place of the scenario's."),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the scenario."),
    ] = None,
    compared: Annotated[
        list[str] | None,
        typer.Option(
            "--compare", metavar="KEY=VALUE,VALUE", help="Run each seed with each of the values."
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep",
            metavar="failures|all",
            help="Recordings to keep: of failures and the five worst runs, or all.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder of the campaign; a new one if left out."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="DIR", help="Go on with the campaign of this folder."),
    ] = None,
    report_too: Annotated[
        bool, typer.Option("--report", help="Make the pages of the five worst runs as well.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a scenario with many seeds, on the virtual clock with simulated devices."""
    from hil.campaign.progress import shown
    from hil.campaign.session import CampaignOptions, conduct, summarize_campaign

    options = CampaignOptions(
        scenario=scenario, seeds=seeds, workers=workers, cluster=cluster, diagram=diagram,
        overrides=tuple(overrides or ()), compared=tuple(compared or ()), keep=keep, out=folder,
        resume=resume, report=report_too, quiet=as_json,
    )  # fmt: skip
    with shown(scenario or str(resume), quiet=as_json) as progress:
        found = conduct(options, progress)
    summary = summarize_campaign(found)
    if as_json:
        print_json(summary)
    else:
        _show(summary)
    leave(summary["ok"])


def _show(summary: CampaignSummary) -> None:
    from rich.table import Table

    keys = list(summary["variants"][0]["variant"])
    table = Table(*keys, "runs", "succeeded", "rate", "95 % interval", box=None, pad_edge=False)
    for one in summary["variants"]:
        rate = "" if one["rate"] is None else f"{one['rate']:.1%}"
        interval = f"{one['low']:.1%} to {one['high']:.1%}"
        counts = str(one["runs"]), str(one["succeeded"])
        table.add_row(*one["variant"].values(), *counts, rate, interval)
    out.print(table)
    for one in summary["variants"]:
        for reason, count in one["reasons"].items():
            name = " ".join(one["variant"].values())
            out.print(f"{name + ': ' if name else ''}{count} failed: {reason}", soft_wrap=True)
    for name in ("table", "page"):
        out.print(f"{name}: {summary[name]}", soft_wrap=True)


@app.command()
@verb
def replay(
    folder: FolderArg,
    seed: Annotated[int, typer.Argument(metavar="SEED", help="Seed of the run.")],
    as_json: Json = False,
) -> None:
    """Make the run of a seed again, keep its recording, and compare it with the table."""
    from hil.campaign import session

    summary = session.replay(folder, seed)
    if as_json:
        print_json(summary)
        leave(summary["ok"])
    for one in summary["replays"]:
        name = " ".join([*one["variant"].values(), f"seed {seed}"])
        out.print(f"{name}: {one['outcome']}", one["reason"], soft_wrap=True)
        words = "the same run" if one["same"] else "another run than that of the table"
        out.print(styled("green" if one["same"] else "red", words), one["recording"], sep=": ",
                  soft_wrap=True)  # fmt: skip
    if not summary["ok"]:
        err.print("a program, library or processor of another version may be the reason")
    leave(summary["ok"])

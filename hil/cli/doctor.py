"""``hil doctor``: what this machine can and cannot do for the bench."""

from dataclasses import asdict
from typing import Annotated

import typer

from hil.run.registry import stations
from hil.terminal.console import Json, err, leave, out, print_json, verb

MARKS = {"ok": "[green]ok[/]", "warn": "[yellow]warn[/]", "bad": "[red]bad[/]"}


@verb
def doctor(
    duration_s: Annotated[
        float, typer.Option("--duration", help="Length of the latency test [s].", min=0.5)
    ] = 3.0,
    drives: Annotated[
        str | None, typer.Option("--drives", metavar="URL", help="Look at this link as well.")
    ] = None,
    bitrate: Annotated[int, typer.Option("--bitrate", help="Of the CAN bus [bit/s].")] = 1_000_000,
    as_json: Json = False,
) -> None:
    """Test this machine's latency and permissions; say what is missing and how to get it."""
    from rich.table import Table

    from hil.timing.doctor import diagnose

    with err.status(f"testing latency for {duration_s:g} s"):
        findings = diagnose(duration_s)
    for station in stations() if drives is not None else ():
        if station.examine is not None and drives is not None:
            findings += station.examine(drives, bitrate)
    ok = all(finding.verdict != "bad" for finding in findings)
    if as_json:
        print_json({"ok": ok, "findings": [asdict(finding) for finding in findings]})
        leave(ok)
    table = Table("", "item", "found", "what to do", box=None, pad_edge=False)
    for finding in findings:
        table.add_row(MARKS[finding.verdict], finding.item, finding.detail, finding.remedy)
    out.print(table)
    leave(ok)

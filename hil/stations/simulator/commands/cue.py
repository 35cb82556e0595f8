"""``hil cue``: recorded rides through the whole chain, their score, tuning and the cueing test."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from hil.stations.simulator.commands.cue_omct import omct
from hil.stations.simulator.commands.cue_ride import axes, check, ride
from hil.stations.simulator.commands.cue_tune import compare, tune

RIDE = "ride"


class _RideFirst(TyperGroup):
    """A group whose first word may be a recording: ``cue RECORD`` is ``cue ride RECORD``."""

    default_verb: str = RIDE
    """What is meant where no verb is named."""

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

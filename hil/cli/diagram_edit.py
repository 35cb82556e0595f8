"""``hil diagram edit``: the editor's window."""

import signal
from pathlib import Path
from typing import Annotated

import typer

from hil.cli.panel import require_display, require_extra
from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.terminal.completion import offered
from hil.terminal.console import verb


@verb
def edit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Diagram file; begun if none.")],
    scenario: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="SCENARIO",
            help="Offer the signals and setpoints of a scenario as blocks: press, or a file.",
            autocompletion=offered("scenarios"),
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="Load the native code of its FMUs when it runs in the editor."
        ),
    ] = False,
) -> None:
    """Draw a diagram: blocks, wires, parameters; what does not fit is refused with the reason.

    The file is written when it is saved. Edits are kept beside it, for the case that the process
    dies.
    """
    if file.suffix != ".toml" or not file.parent.is_dir():
        raise ConfigError("FILE", [f"{file}: a file .toml in a folder that is there is needed"])
    if configs_dir().resolve() in file.resolve().parents:
        raise ConfigError("FILE", [f"{file} is shipped; copy it, and edit the copy"])
    require_extra()
    require_display()
    from hil.diagram.run.station_ends import ends_of
    from hil.panel.diagram.app import run_editor
    from hil.panel.diagram.models.document import Document

    ends = None if scenario is None else ends_of(scenario)[1]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Qt hears of none; edits are in the journal
    raise typer.Exit(run_editor(Document(file), ends, trusted=trust))

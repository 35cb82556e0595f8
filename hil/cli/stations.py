"""``hil stations``: which kinds of bench are installed."""

from hil.run.registry import installed
from hil.terminal.console import Json, leave, out, print_json, verb


@verb
def stations(as_json: Json = False) -> None:
    """List the stations that are installed, what came with which package, and what is broken."""
    from rich.table import Table

    found = installed()
    ok = not any(one.broken for one in found)
    if as_json:
        told = [
            {
                "name": one.name,
                "distribution": one.distribution,
                "files": [] if one.station is None else [kind.name for kind in one.station.files],
                "broken": one.broken,
            }
            for one in found
        ]
        print_json({"ok": ok, "stations": told})
    else:
        table = Table("station", "package", "files", "", box=None, pad_edge=False)
        for one in found:
            kinds = () if one.station is None else one.station.files
            files = ", ".join(kind.name for kind in kinds)
            table.add_row(one.name, one.distribution, files, one.broken)
        out.print(table)
    leave(ok)

"""What several verbs of ``hil host`` are given: which host, and how it is heard."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.config.errors import ConfigError

if TYPE_CHECKING:
    from hil.stations.simulator.listening.host_receiver import ListenChoice

HostArg = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="Kind of host, name of a shipped map, or a map's file: `hil host list`.",
    ),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        "--port", min=0, max=65535, help="UDP port; the kind's if left out, 0 for any free one."
    ),
]
AddressOption = Annotated[
    str,
    typer.Option(
        "--address",
        help="Of this machine, on which it is heard. Not a loopback one needs --key-file or "
        "--allow.",
    ),
]
HostAtOption = Annotated[
    str,
    typer.Option(
        "--host",
        metavar="ADDRESS[:PORT]",
        help="Where the simulator runs, for wires that must be asked.",
    ),
]
AllowOption = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="ADDRESS", help="A sender that is heard; may be repeated."),
]
KeyOption = Annotated[
    Path | None, typer.Option("--key-file", help="With the key that frames of hcu1 are signed by.")
]
MapSetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the map; may be repeated."),
]


def hearing(function: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of who is heard, and where, beside its own.

    Its first argument, `choice`, gets them as a `ListenChoice`.
    """
    shared = dict(inspect.signature(_choice).parameters)
    own = dict(inspect.signature(function).parameters)
    del own["choice"]
    last = own.pop("as_json")

    def command(**given: Any) -> None:
        choice = _choice(**{name: given.pop(name) for name in shared})
        function(choice, **given)

    parameters = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for one in (shared["kind"], *own.values(), *list(shared.values())[1:], last)
    ]
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _choice(
    kind: HostArg,
    port: PortOption = None,
    address: AddressOption = "127.0.0.1",
    host: HostAtOption = "127.0.0.1",
    allow: AllowOption = None,
    key_file: KeyOption = None,
    change: MapSetOption = None,
) -> "ListenChoice":
    from hil.stations.simulator.listening.host_lookup import find_host
    from hil.stations.simulator.listening.host_receiver import ListenChoice

    named = find_host(kind, tuple(change or ()))
    at, colon, port_text = host.partition(":")
    asks_port = named.kind.asks_port
    if colon:
        if not (port_text.isdecimal() and 0 < int(port_text) <= 65535):
            raise ConfigError("--host", [f"{host!r}: ADDRESS or ADDRESS:PORT is needed"])
        asks_port = int(port_text)
    return ListenChoice(
        host=named, address=address, port=port, allow=tuple(allow or ()), key=key_of(key_file),
        asks=None if asks_port is None else (at, asks_port),
    )  # fmt: skip


def key_of(file: Path | None) -> bytes:
    """The key that a file holds; empty if none is named.

    Raises:
        ConfigError: if it cannot be read, or is empty.
    """
    if file is None:
        return b""
    try:
        key = file.read_bytes().strip()
    except OSError as error:
        raise ConfigError(str(file), [f"--key-file cannot be read: {error.strerror}"]) from None
    if not key:
        raise ConfigError(str(file), ["--key-file is empty: a key is needed"])
    return key

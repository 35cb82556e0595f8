"""A host as the command line names it: a kind, or a map of one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hil.config.errors import ConfigError
from hil.config.file_search import find_file, shipped_paths
from hil.hosts.maps import host_kind, installed_hosts, load_map

if TYPE_CHECKING:
    from hil.hosts.kind import Codec, HostKind

FOLDER = "hosts"


@dataclass(frozen=True, slots=True)
class NamedHost:
    """A kind of host with its settings."""

    name: str
    """As it was named."""
    kind: HostKind
    settings: Any
    """Of the kind's own model."""

    def codec(self) -> Codec:
        """A codec for a new stream; raises `ConfigError` if there can be none."""
        return self.kind.codec(self.settings)


def shipped_maps() -> tuple[Path, ...]:
    """The maps that come with this program."""
    return tuple(shipped_paths(FOLDER))


def find_host(name: str, overrides: tuple[str, ...] = ()) -> NamedHost:
    """The host of a name.

    Args:
        name: a shipped map, a map's file, or a kind, whose map is then all defaults.
        overrides: ``key=value`` texts laid over its map.

    Raises:
        ConfigError: if there is none, or its map cannot be.
    """
    shipped = {path.stem for path in shipped_maps()}
    if name in shipped or name.endswith(".toml"):
        kind, settings = load_map(find_file(name, folder=FOLDER, key="KIND"), overrides)
        return NamedHost(name, kind, settings)
    kinds = [offer.name for offer in installed_hosts()]
    if name not in kinds:
        known = f"kinds {', '.join(kinds)}; maps {', '.join(sorted(shipped))}"
        raise ConfigError("command line", [f"KIND = {name!r}: no such host; there are {known}"])
    kind = host_kind(name, "command line", "KIND")
    from hil.config.settings import apply_overrides

    table = apply_overrides({"kind": name}, overrides)
    return NamedHost(name, kind, kind.settings().build(table, f"defaults of {name}"))

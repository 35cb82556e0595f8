"""Maps of hosts: TOML files that say which wire a simulator speaks and what its vehicle can do."""

from __future__ import annotations

from hil.config.settings import Settings
from hil.hosts.means import MeansSettings


class MapSettings(Settings):
    """What every kind's map has; each kind adds its own keys."""

    kind: str
    """Which wire it is for: a name under the entry points `hil.hosts`."""
    means: MeansSettings = MeansSettings()
    """What the vehicle can do at most."""

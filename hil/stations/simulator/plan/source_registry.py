"""Live sources, ours and those of others: found by the entry points `hil.sources`.

A table ``[source]`` says by its ``kind`` which one it means; its keys are checked by the model that
the kind brings.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Final

from hil.config.errors import ConfigError, about
from hil.config.libraries import code_origin
from hil.config.offered_settings import OfferedSettings, settings_fault
from hil.config.offers import Offer, offer_named, offers
from hil.config.settings import Settings
from hil.stations.simulator.plan.source import GROUP, OperatorInput, SourceKind

OWN_DISTRIBUTION = "hil-bench"
"""Distribution whose code needs no entry of its own in a recording's header."""


def installed_sources() -> tuple[Offer, ...]:
    """Return all sources by name; those that cannot be used have the reason."""
    return offers(GROUP, _not_a_source)


def _not_a_source(entry: EntryPoint, kind: object) -> str:
    if not isinstance(kind, SourceKind):
        what = "hil.stations.simulator.plan.source.SourceKind"
        return f"{entry.value} is a {type(kind).__name__}; it must be a {what}"
    if fault := settings_fault(entry, kind.settings):
        return fault
    for name in ("open", "lasts_s", "inputs", "known_ahead"):
        if not callable(getattr(kind, name)):
            return f"its {name} is {getattr(kind, name)!r}, which cannot be called"
    return ""


ANY_SOURCE: Final = OfferedSettings(GROUP, _not_a_source, "source")
"""Mark of the field of a source's settings."""


def source_kind(settings: Any, file: Path) -> SourceKind:
    """Return the kind of a source's settings.

    Raises:
        ConfigError: if it is not installed any more, or broken.
    """
    return _kind_named(settings.kind, file)


def _kind_named(name: str, file: Path) -> SourceKind:
    offer = offer_named(GROUP, name, _not_a_source)
    if offer is None or offer.broken:
        why = "is not installed any more" if offer is None else offer.broken
        raise ConfigError(str(file), [about("source.kind", f"source {name!r}: {why}")])
    return offer.value


def operator_inputs(source: Settings | Mapping[str, Any], file: Path) -> tuple[OperatorInput, ...]:
    """List the inputs of a ride's source for a person, by its settings or its header's table.

    Raises:
        ConfigError: if its kind is not installed any more, or broken; if the table is none of it.
    """
    if isinstance(source, Mapping):
        kind = _kind_named(str(source.get("kind")), file)
        return kind.inputs(kind.settings.build(source, str(file)))
    return source_kind(source, file).inputs(source)


def foreign_source(settings: Any) -> dict[str, str]:
    """Return the origin of a ride's code that is not ours: distribution, version and digest."""
    offer = offer_named(GROUP, settings.kind, _not_a_source)
    name = "" if offer is None else offer.distribution.partition(" ")[0]
    if offer is None or name in ("", OWN_DISTRIBUTION):
        return {}
    return {"source_code": f"{offer.name} of {code_origin(name, [offer.package])}"}

"""Maps of hosts as a kind of settings file: each is checked by the kind of host that it names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Union, cast

from hil.config.file_kind import FileKind

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from hil.config.settings import Settings


def _model() -> type[Settings]:
    """Keys of all kinds together, for editors and forms; those of one kind only may be left out."""
    from pydantic import Field, create_model

    from hil.hosts.maps import MapSettings, installed_hosts

    kinds = [one.value for one in installed_hosts() if not one.broken]
    keys: dict[str, list[FieldInfo]] = {}
    for kind in kinds:
        for key, field in kind.settings().model_fields.items():
            keys.setdefault(key, []).append(field)
    names = tuple(kind.name for kind in kinds)
    fields: dict[str, Any] = {
        key: (Union[tuple(one.rebuild_annotation() for one in found)],  # noqa: UP007
              Field(default=None, description=found[0].description))
        for key, found in keys.items() if key not in MapSettings.model_fields
    }  # fmt: skip
    description = MapSettings.model_fields["kind"].description
    fields["kind"] = (Literal[names], Field(description=description))
    made = create_model("HostMap", __base__=MapSettings, __doc__=MapSettings.__doc__, **fields)
    return cast("type[Settings]", made)


def _check(table: Mapping[str, Any], file: Path) -> None:
    from hil.hosts.maps import map_of

    map_of(table, str(file))


HOST_MAP: Final = FileKind(
    name="host map", schema="host", folder="hosts", marks=("kind",), model=_model, check=_check
)

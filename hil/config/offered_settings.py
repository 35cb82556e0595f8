"""Tables whose ``kind`` says whose they are: settings of what packages offer by entry points.

Each kind brings the model of its table, whose field ``kind`` is a `Literal` of its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any, Literal

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from hil.config.offers import Judge, Offer, offer_named, offers
from hil.config.settings import Settings


def settings_fault(entry: EntryPoint, model: object) -> str:
    """Why a model cannot be that of an entry's table; empty if it can."""
    if not (isinstance(model, type) and issubclass(model, Settings)):
        return f"its settings are {model!r}; they must be a hil.config.settings.Settings"
    field = model.model_fields.get("kind")
    if field is None or field.annotation != Literal[entry.name]:
        return f"{model.__name__} needs a field kind: Literal[{entry.name!r}]"
    return ""


@dataclass(frozen=True, slots=True)
class OfferedSettings:
    """Mark of a field that takes the settings of every kind of a group that is installed.

    The value of each offer has its model as `settings`.
    """

    group: str
    """Group of the entry points."""
    judge: Judge
    """Function that says why an object of an entry point cannot be used."""
    noun: str
    """Word for a kind in messages, such as ``source``."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Validate settings by the model of their kind; serialise them as they are."""
        return core_schema.no_info_plain_validator_function(
            self._settings, serialization=core_schema.simple_ser_schema("any")
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Schema of the kinds that can be used."""
        kinds: dict[str, CoreSchema] = {
            one.name: one.value.settings.__pydantic_core_schema__ for one in self._usable()
        }
        if not kinds:
            return {"type": "object"}
        return handler(core_schema.tagged_union_schema(dict(kinds), "kind"))

    def _usable(self) -> list[Offer]:
        return [one for one in offers(self.group, self.judge) if not one.broken]

    def _settings(self, table: Any) -> Settings:
        kind = table.get("kind") if isinstance(table, Mapping) else getattr(table, "kind", None)
        if not isinstance(kind, str):
            raise PydanticCustomError("missing", "a table with a kind is needed", {})
        offer = offer_named(self.group, kind, self.judge)
        if offer is None:
            known = ", ".join(repr(one.name) for one in self._usable())
            context = {"discriminator": "'kind'", "tag": kind, "expected_tags": known}
            raise PydanticCustomError("union_tag_invalid", "unknown kind", context)
        if offer.broken:
            text = f"the {self.noun} {offer.words} cannot be used: {offer.broken}"
            raise PydanticCustomError("offer_broken", "{text}", {"text": text})
        model: type[Settings] = offer.value.settings
        return table if isinstance(table, model) else model.model_validate(table)

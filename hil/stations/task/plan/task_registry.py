"""Tasks, ours and those of others: found by the entry points ``hil.tasks``."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Any, Literal

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from hil.config.offers import Offer, offer_named, offers
from hil.config.settings import Settings
from hil.stations.task.plan.task import GROUP, Task


def installed_tasks() -> tuple[Offer, ...]:
    """Return all tasks by name; those that cannot be used have the reason."""
    return offers(GROUP, _not_a_task)


def task_named(name: str) -> Task:
    """Return a task whose settings were accepted before."""
    offer = offer_named(GROUP, name, _not_a_task)
    if offer is None or offer.broken:
        raise KeyError(name)
    return offer.value


def _not_a_task(entry: EntryPoint, task: object) -> str:
    if not isinstance(task, Task):
        return f"{entry.value} is a {type(task).__name__}; it must be a {Task.__module__}.Task"
    model = task.settings
    if not (isinstance(model, type) and issubclass(model, Settings)):
        return f"its settings are {model!r}; they must be a hil.config.settings.Settings"
    field = model.model_fields.get("kind")
    if field is None or field.annotation != Literal[entry.name]:
        return f"{model.__name__} needs a field kind: Literal[{entry.name!r}]"
    return ""


class AnyTask:
    """Marks the field of a task's settings: those of every task that is installed are taken."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Let settings be judged by whose task they are; written out as what they are."""
        return core_schema.no_info_plain_validator_function(
            _settings_of, serialization=core_schema.simple_ser_schema("any")
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """One of the tasks that can be used."""
        kinds: dict[str, CoreSchema] = {
            one.name: one.value.settings.__pydantic_core_schema__
            for one in installed_tasks()
            if not one.broken
        }
        if not kinds:
            return {"type": "object"}
        return handler(core_schema.tagged_union_schema(dict(kinds), "kind"))


def _settings_of(table: Any) -> Settings:
    kind = table.get("kind") if isinstance(table, Mapping) else getattr(table, "kind", None)
    if not isinstance(kind, str):
        raise PydanticCustomError("missing", "a table with a kind is needed", {})
    offer = offer_named(GROUP, kind, _not_a_task)
    if offer is None:
        known = ", ".join(repr(one.name) for one in installed_tasks() if not one.broken)
        context = {"discriminator": "'kind'", "tag": kind, "expected_tags": known}
        raise PydanticCustomError("union_tag_invalid", "unknown kind", context)
    if offer.broken:
        text = f"the task {offer.words} cannot be used: {offer.broken}"
        raise PydanticCustomError("task_broken", "{text}", {"text": text})
    model: type[Settings] = offer.value.settings
    return table if isinstance(table, model) else model.model_validate(table)

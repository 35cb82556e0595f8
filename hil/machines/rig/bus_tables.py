"""The tables of others' drive buses in the ``[drives]`` of a rig, each judged by its own model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, create_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from drives.links import LinkUrlError
from hil.config.settings import Settings
from hil.machines.rig.buses import DriveBus, bus_speaking, buses_offered


class OtherBusesToo:
    """Marks the ``[drives]`` of a rig: tables of the buses of others are taken as well."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Let a table be judged by the bus whose it is; written out as what it is."""

        def drives_of(table: Any, ours: Callable[[Any], Settings]) -> Settings:
            names = _tables_of_others(table, source)
            return _with_tables(source, names).model_validate(table) if names else ours(table)

        return core_schema.no_info_wrap_validator_function(
            drives_of, handler(source), serialization=core_schema.simple_ser_schema("any")
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Our keys, and the tables of the buses of others that are installed and can be used."""
        shape = handler(schema)
        for one in buses_offered():
            if not one.broken and one.value.table is not None:
                model = handler(one.value.table().__pydantic_core_schema__)
                handler.resolve_ref_schema(shape)["properties"][one.value.protocol] = model
        return shape


def _tables_of_others(table: Any, ours: type[Settings]) -> tuple[str, ...]:
    """Keys of a table that are the tables of others' buses."""
    if isinstance(table, ours):  # as a rig that is copied has it
        return ()
    keys = sorted(map(str, table)) if isinstance(table, Mapping) else ()
    return tuple(one for one in keys if one not in ours.model_fields and _has_table(one))


def _has_table(protocol: str) -> bool:
    try:
        bus = bus_speaking(protocol)
    except LinkUrlError as error:
        raise PydanticCustomError("bus_broken", "{text}", {"text": str(error)}) from None
    return bus is not None and bus.table is not None


@cache
def _model_with(base: type[Settings], tables: tuple[tuple[str, type[Settings]], ...]) -> Any:
    fields: dict[str, Any] = {name: (model, ...) for name, model in tables}
    return create_model(base.__name__, __base__=base, **fields)


def _with_tables(base: type[Settings], names: tuple[str, ...]) -> type[Settings]:
    """A model with tables of others beside its own keys; the same each time."""
    buses = ((name, bus_speaking(name)) for name in names)
    tables = [(name, bus.table()) for name, bus in buses if bus is not None and bus.table]
    return _model_with(base, tuple(tables))


def table_of(bus: DriveBus, drives: Settings, source: str) -> Settings | None:
    """Return a bus's own table in the ``[drives]`` of a rig, its defaults if it is left out.

    Args:
        source: The file of the rig, for error texts.

    Raises:
        ConfigError: If it is left out and has keys that are needed.
    """
    if bus.table is None:
        return None
    found, model = getattr(drives, bus.protocol, None), bus.table()
    if isinstance(found, model):
        return found
    return model.build({}, f"{source}: [drives.{bus.protocol}]")

"""Options of the verbs that run a scenario, for what a person does in its diagram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hil.run.station import Option, Request

if TYPE_CHECKING:
    from hil.config.settings import Change

PRESS: Final = Option(
    flag="--press",
    metavar="NAME@S",
    help="Press a PanelButton of the scenario's diagram, at a time [s]: start@2.",
    many=True,
    checks=True,
)
SLIDE: Final = Option(
    flag="--slide",
    metavar="NAME=VALUE@S",
    help="Set a PanelSlider or PanelSwitch of it at a time [s]: gain=0.4@3.",
    many=True,
    checks=True,
)
TRUST: Final = Option(
    flag="--trust",
    switch=True,
    help="Load the native code of the FMUs of the scenario's diagram.",
    checks=True,
)


def changes_by_options(request: Request, table: str) -> Iterator[Change]:
    """Return the changes that options make in a scenario's ``press`` and ``slide`` of its diagram.

    Raises:
        ConfigError: if they are given, and no diagram is in the table.
    """
    given = {
        key: list(values)
        for option, key in ((PRESS, "press"), (SLIDE, "slide"))
        if (values := request.options.get(option.flag))
    }
    if not given:
        return
    from hil.config.errors import ConfigError
    from hil.config.settings import apply_overrides, read_toml

    scenario = {} if request.scenario is None else read_toml(request.scenario)
    found = apply_overrides(scenario, request.overrides).get(table, {})
    is_pressed = given.keys() == {"press"} and isinstance(found, Mapping) and _has_buttons(found)
    if not is_pressed and (not isinstance(found, Mapping) or found.get("kind") != "diagram"):
        nothing = f"{table}.kind is no diagram, so there is nothing to press or slide"
        raise ConfigError(str(request.scenario or "command line"), [f"--{min(given)}: {nothing}"])
    yield from ((f"{table}.{key}", values) for key, values in given.items())


def _has_buttons(table: Mapping[str, Any]) -> bool:
    """Whether an action of a table has a button, which needs no diagram."""
    actions = table.get("actions", ())
    is_list = isinstance(actions, list | tuple)
    return is_list and any("button" in one for one in actions if isinstance(one, Mapping))

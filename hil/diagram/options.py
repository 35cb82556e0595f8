"""Options of the verbs that run a scenario, for what a person does in its diagram."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hil.run.station import Option

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


def operated_changes(options: Mapping[str, Any], table: str) -> Iterator[str]:
    """What they change in a scenario whose table says so in ``press`` and ``slide``."""
    for option, key in ((PRESS, "press"), (SLIDE, "slide")):
        if given := options.get(option.flag):
            yield f"{table}.{key}={json.dumps(list(given))}"

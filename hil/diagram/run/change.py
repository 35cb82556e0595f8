"""A change of a diagram that runs, as data: parameters, another diagram, or both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from hil.config.errors import ConfigError
from hil.diagram.check.flat import Endpoint


@dataclass(frozen=True, slots=True)
class DiagramChange:
    """What is to be changed; all of it, or none."""

    set: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Parameters: ``name`` of the diagram's own, or ``path.name`` of a block's → value."""
    text: str = ""
    """Another diagram, as in a file; empty for the one that runs."""
    source: str = ""
    """Its file; libraries are found beside it."""
    forced: bool = False
    """Whether it is taken although an output jumps."""
    carried: bool = field(default=False, compare=False)
    """Whether a recording held it: then its text may name no file (`EmbeddedPath`)."""

    @property
    def changes(self) -> dict[Endpoint, Any]:
        """Path of a block, empty for the diagram, and name of its parameter → value."""
        found: dict[Endpoint, Any] = {}
        for whole, value in self.set.items():
            path, _, name = whole.rpartition(".")
            found[path, name] = tuples(value)
        return found

    @property
    def texts(self) -> list[str]:
        """Names of the parameters that it sets to a text, such as an equation or a unit."""
        return [name for name, value in self.set.items() if _has_text(value)]

    def __str__(self) -> str:
        words = [f"{name} = {tuples(value)!s:.60}" for name, value in self.set.items()]
        return ", ".join(words if not self.text else [self.source or "another diagram", *words])

    def json(self) -> str:
        """The whole of it as a text."""
        table = {
            "set": self.set, "text": self.text, "source": self.source, "forced": self.forced,
        }  # fmt: skip
        return json.dumps(table, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read one back.

        Raises:
            ConfigError: if it is none.
        """
        try:
            table = json.loads(text)
            found = cls(dict(table["set"]), table["text"], table["source"], table["forced"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ConfigError("change of a diagram", [f"{text!r:.60}: {error}"]) from None
        if not (isinstance(found.text, str) and isinstance(found.source, str)):
            raise ConfigError("change of a diagram", [f"{text!r:.60}: texts are needed"])
        return found


def tuples(value: Any) -> Any:
    """A value of a parameter with tuples for lists."""
    return tuple(tuples(one) for one in value) if isinstance(value, list | tuple) else value


def _has_text(value: Any) -> bool:
    return any(map(_has_text, value)) if isinstance(value, list | tuple) else isinstance(value, str)

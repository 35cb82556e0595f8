"""Every text of the panel, in one table, so that another language is another table.

The texts themselves lie beside this module, in `texts_*.py`, one file a part of the panel, with
a dictionary `TEXTS` in each. Keys are `part.what`, such as `state.engage`; `{name}` in a text is
a value.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from string import Formatter
from types import MappingProxyType
from typing import Final

import hil.panel.shell


def _collected() -> dict[str, str]:
    found: dict[str, str] = {}
    for module in sorted(m.name for m in iter_modules(hil.panel.shell.__path__)):
        if module.startswith("texts_"):
            part: Mapping[str, str] = import_module(f"hil.panel.shell.{module}").TEXTS
            twice = found.keys() & part.keys()
            if twice:
                raise ValueError(f"{module}: {sorted(twice)} are another part's texts already")
            found.update(part)
    return found


TEXTS: Final[Mapping[str, str]] = MappingProxyType(_collected())
"""Key → English text."""

_translated: dict[str, str] = {}


def use_language(table: Mapping[str, str]) -> None:
    """Show texts of another language from now on; those that it lacks stay English.

    Args:
        table: key → text; an empty one is English again.

    Raises:
        ValueError: if it has a key that the panel does not know, or a text with other values in
            braces than the English one has; nothing is changed then.
    """
    unknown = table.keys() - TEXTS.keys()
    if unknown:
        raise ValueError(f"unknown texts: {', '.join(sorted(unknown))}")
    for key, template in table.items():
        found, needed = values_of(template), values_of(TEXTS[key])
        if found != needed:
            raise ValueError(f"{key}: values {sorted(found)} in braces; need {sorted(needed)}")
    _translated.clear()
    _translated.update(table)


def values_of(template: str) -> frozenset[str]:
    """Names of the values that stand in braces in a text."""
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name is not None)


def text(key: str, **values: object) -> str:
    """A text of the panel with its values filled in.

    Args:
        key: as in `TEXTS`.
        values: what stands in braces in the text.

    Raises:
        KeyError: if there is no such text, or a value of it is missing.
    """
    template = _translated.get(key) or TEXTS[key]
    return template.format(**values) if values else template

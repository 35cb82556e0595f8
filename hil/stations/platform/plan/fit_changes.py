"""Keys of a scenario that were changed so that its motion fits, as data of a recording."""

from collections.abc import Iterator, Mapping
from typing import Any

from hil.config.settings import Settings
from hil.config.toml_text import toml_value


class FitChange(Settings):
    """Change of one key."""

    key: str
    """Path of the key, such as ``motion.scale``."""
    before: Any
    """Value before; None for none."""
    after: Any
    """Value now."""

    def __str__(self) -> str:
        before, after = (
            "none" if one is None else toml_value(one) for one in (self.before, self.after)
        )
        return f"{self.key}: {before} -> {after}"


def changes_between(
    before: Mapping[str, Any], after: Mapping[str, Any], place: str
) -> Iterator[FitChange]:
    """Differences of two tables of one model, in as few keys as can be set one by one.

    Args:
        place: path of the tables.
    """
    for key, value in after.items():
        was, path = before.get(key), f"{place}.{key}"
        if was == value:
            continue
        if isinstance(value, Mapping) and isinstance(was, Mapping) and was.keys() == value.keys():
            yield from changes_between(was, value, path)
        else:
            yield FitChange(key=path, before=was, after=value)

"""Groups of joints that a scenario's diagram commands: what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hil.config.errors import Wrong, about

if TYPE_CHECKING:
    from hil.diagram.run.diagram_use import DiagramUse
    from sim.world.robots.model import JointType

GROUPS = "[[diagram.group]]"


def group_faults(use: DiagramUse, driven: Mapping[int, JointType]) -> Iterator[Wrong]:
    """Faults of the joints that a diagram commands, in groups or in one.

    Args:
        driven: type of each driven joint, by its number.
    """
    there = ", ".join(map(str, driven)) or "none"
    for name in ("joints", "end", "output"):
        if use.group and getattr(use, name):
            text = f"diagram.{name}: means nothing beside {GROUPS}; say {name} of each group"
            yield about(f"diagram.{name}", text)
    seen: dict[int, str] = {}
    rows = [(f"diagram.group.{at}.joints", one.joints) for at, one in enumerate(use.group)]
    for key, joints in (*rows, ("diagram.joints", use.joints)):
        for joint in joints:
            if joint not in driven:
                yield about(key, f"{key}: joint {joint} is not driven; there are {there}")
            elif joint in seen:
                text = f"{key}: joint {joint} is in {seen[joint]} already; one of them drives it"
                yield about(key, text)
            seen.setdefault(joint, key)
    yield from _named_faults(use, driven)


def _named_faults(use: DiagramUse, driven: Mapping[int, JointType]) -> Iterator[Wrong]:
    """Faults of groups: two of one name, or with joints that turn beside some that slide."""
    names: dict[str, int] = {}
    for at, one in enumerate(use.group):
        key = f"diagram.group.{at}"
        if (first := names.setdefault(one.name, at)) != at:
            text = f"{key}: group {first} is called {one.name!r} too; a name of its own is needed"
            yield about(f"{key}.name", text)
        kinds = {driven[joint] for joint in one.joints if joint in driven}
        if len(kinds) > 1:
            text = f"{key}: joints of group {one.name!r} turn and slide; put each kind into a group"
            yield about(f"{key}.joints", text)

"""Which signs of a layout nothing can judge: each is asked for before the layout is followed.

A sign is judged where something else in the packet says the same. Where a force is told with its
gravity it is held against the change of speed; angles against gravity, rates and the way. A force
that is made of the velocity agrees with it whatever its signs are.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from hil.hosts.wires.layout_fields import ANGLES, BODY, GROUPS, groups_of

SEEN_KEY: Final = "signs_seen"
"""Key of a map by which a person says that its signs were looked at, and how."""
_MOVING: Final = ("velocity", "world velocity")
_TURNS: Final = (*GROUPS["angles"][0], *GROUPS["directions"][0])


def fields_without_check(fields: Container[str]) -> tuple[str, ...]:
    """Fields of a layout whose signs nothing in its packets can contradict, in their order.

    Args:
        fields: names of those that it has.
    """
    there = groups_of(fields)
    if "pose" in there:
        return (*there["pose"], *ANGLES)
    turned = "angles" in there or "directions" in there
    placed = "position" in there
    moving = bool(there.keys() & {*_MOVING})
    accelerations = [name for group in ("force", "acceleration", "world acceleration")
            for name in there.get(group, ())]  # fmt: skip
    weighed = {"force_right", "force_down"} <= {*there.get("force", ())}
    found: list[str] = []
    if not (moving and (turned or "rates" in there)):  # nothing that force could follow
        found += [name for name in accelerations if name != "force_down"]
    if "rates" in there and not turned:
        found += there["rates"]
    if turned and not weighed:  # gravity is not in what is told: roll is as good as its mirror
        found += _rolls(there)
    if turned and "rates" not in there and not (accelerations and moving):
        found += _headings(there)
    if len(accelerations) < len(BODY):  # what is left out is made of these, and agrees with them
        for group in _MOVING if moving else ("position",):
            found += there.get(group, ())
        if turned and not weighed:
            found += [name for name in _TURNS if name in fields]
        if moving and placed:
            found += there["position"]
    return tuple(dict.fromkeys(found))


def _rolls(there: dict[str, list[str]]) -> list[str]:
    return ["roll"] if "angles" in there else ["right_down"]


def _headings(there: dict[str, list[str]]) -> list[str]:
    return ["heading"] if "angles" in there else ["forward_east", "right_east"]


def unseen_text(fields: tuple[str, ...], keys: str = "fields") -> str:
    """What is asked for before signs that nothing judges are followed; empty if there are none.

    Args:
        fields: whose signs nothing can contradict.
        keys: the key of the map under which they stand.
    """
    if not fields:
        return ""
    return (
        f"nothing in its packets can contradict the sign of {keys}: {', '.join(fields)}; look at "
        "them with `hil host listen`: braking is a force forward below 0, a bend to the right one "
        "to the right above 0 and a heading that grows, uphill a pitch above 0, a right side that "
        f'is lower a roll above 0; then write in its map {SEEN_KEY} = "how and when you looked"'
    )

"""Acts of a form's buttons at a line; a button that can do nothing there is off."""

from __future__ import annotations

from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.form_nodes import Node, NodeKind, Place


def list_around(model: FormModel, place: Place | None) -> Place | None:
    """The list that a line is, or is in; None if there is none."""
    while place:
        node = model.node(place)
        if node is not None and node.kind is NodeKind.LIST:
            return place
        place = place[:-1]
    return None


def item_around(place: Place | None) -> Place | None:
    """The item of a list that a line is, or is in; None if there is none."""
    while place and not isinstance(place[-1], int):
        place = place[:-1]
    return place or None


def acts_at(model: FormModel, place: Place | None) -> frozenset[str]:
    """Names of the buttons that would change something at the current line."""
    node = model.node(place) if place else None
    if node is None:
        return frozenset()
    acts = set[str]()
    around = list_around(model, place)
    if around is not None and (found := model.node(around)) is not None:
        most = found.schema.get("maxItems")
        acts |= {"add"} if most is None or _count(found) < most else set()
    if _can_go(model, node):
        acts.add("remove")
    item = item_around(place)
    if item is not None and isinstance(index := item[-1], int):
        acts |= {"up"} if index > 0 else set()
        acts |= {"down"} if index + 1 < _count(model.node(item[:-1])) else set()
    if "x-alternatives" in node.schema:
        acts.add("reshape")
    return frozenset(acts)


def _can_go(model: FormModel, node: Node) -> bool:
    """Whether a line can be removed, or left out."""
    if isinstance(node.key, int):
        owner = model.node(node.place[:-1])
        return owner is not None and _count(owner) > owner.schema.get("minItems", 0)
    return node.given and (node.kind is NodeKind.FOREIGN or not node.required)


def _count(node: Node | None) -> int:
    value = None if node is None else node.value
    return len(value) if isinstance(value, list | tuple) else 0

"""Classes of defaults: values of attributes that an element does not have.

The engine's manual, XML reference, "default": classes are in each other; an element's own class, or
the ``childclass`` of the nearest body or frame around it, counts, and the outermost for all others.
"""

from sim.world.robots.xml_nodes import XmlNode
from sim.world.robots.xml_values import XmlValues

MAIN = "main"
"""Name of the outermost class, if it has none of its own."""
ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder",
             "muscle", "adhesion", "dcmotor")  # fmt: skip
"""Elements that move joints."""

Classes = dict[str, tuple[XmlNode, ...]]
"""Each class and those that it is in, the nearest first, by name."""


def give_defaults(values: XmlValues, root: XmlNode) -> None:
    """Link every element of a model to the elements with its default values."""
    classes: Classes = {}
    for outermost in root.all("default"):
        _collect(values, outermost, (), classes, outermost.get("class") or MAIN)
    main = next((name for name, chain in classes.items() if len(chain) == 1), MAIN)
    for section in root.children:
        if section.tag != "default":
            _give(values, section, classes, main)


def _collect(
    values: XmlValues, node: XmlNode, around: tuple[XmlNode, ...], classes: Classes, name: str
) -> None:
    if around and name in classes:
        values.fault(node, name, "a class of this name is there already", "another name")
    # Several outermost elements are one class.
    chain = (node, *(around or classes.get(name, ())))
    classes[name] = chain
    for inner in node.all("default"):
        named = values.word(inner, "class")
        _collect(values, inner, chain, classes, named)
    for child in node.children:
        if child.tag != "default":
            child.taken = True


def _give(values: XmlValues, node: XmlNode, classes: Classes, nearest: str) -> None:
    for child in node.children:
        name = child.get("class") or nearest
        if name not in classes and name != MAIN:
            known = ", ".join(sorted(classes)[:8]) or "none"
            values.fault(child, name, "no such class of defaults", f"one of: {known}")
        tag = _tag_of_default(node.tag, child.tag)
        child.fallbacks = tuple(
            one for default in classes.get(name, ()) for one in default.children
            if one.tag == tag or {one.tag, tag} <= {*ACTUATORS}
        )  # fmt: skip
        inside = child.get("childclass") if child.tag in ("body", "frame") else None
        if inside is not None and inside not in classes:
            known = ", ".join(sorted(classes)[:8]) or "none"
            values.fault(child, inside, "no such class of defaults", f"one of: {known}")
        _give(values, child, classes, inside or nearest)


def _tag_of_default(section: str, tag: str) -> str:
    """Element of a class with the defaults of an element of a section."""
    if section == "equality":
        return "equality"
    return tag if section not in ("sensor", "keyframe", "custom") else ""

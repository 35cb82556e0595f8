"""XML of strangers as elements with their lines, which know what of them was taken.

Entities and document types are refused: an entity of a few lines can stand for gigabytes, another
for a file of the reader. What nobody has taken in the end is what a conversion loses.
"""

from collections.abc import Callable, Iterator
from typing import Final
from xml.parsers import expat

from sim.world.robots.faults import DocumentFault, RobotDocumentError
from sim.world.robots.losses import Loss

SIZE_MAX: Final = 8_000_000
"""Characters of a document at most."""
DEPTH_MAX: Final = 200
"""Elements in elements at most."""
SUBJECTS: Final = ("link", "joint", "loop_joint", "body")
"""Elements that others are told to belong to."""
ELEMENTS_MAX: Final = 200_000
"""Of a document at most."""


class XmlNode:
    """An element; what is asked of it counts as taken."""

    __slots__ = (
        "asked", "attributes", "children", "column", "fallbacks", "line", "tag", "taken", "units",
        "within",
    )  # fmt: skip

    def __init__(self, tag: str, attributes: dict[str, str], line: int, column: int) -> None:
        self.tag: str = tag
        self.attributes: dict[str, str] = attributes
        self.line: int = line
        self.column: int = column
        self.children: list[XmlNode] = []
        self.asked: set[str] = set()
        """Attributes, and elements as ``<tag>``, that were looked for."""
        self.taken: bool = False
        """Whether what it is in has taken it."""
        self.fallbacks: tuple[XmlNode, ...] = ()
        """Elements whose attributes stand for those that it does not have, the nearest first."""
        self.units: object = None
        """How its numbers are read, if it comes from another model; None: as the document says."""
        self.within: str = ""
        """File, line and column in it, if it stands in one that the document includes."""

    def get(self, name: str) -> str | None:
        """An attribute; None if it is not there."""
        self.asked.add(name)
        found = self.attributes.get(name)
        for node in self.fallbacks:
            other = node.get(name)
            found = other if found is None else found
        return found

    def all(self, tag: str) -> list["XmlNode"]:
        """Every element of some name in it."""
        self.asked.add(f"<{tag}>")
        found = [child for child in self.children if child.tag == tag]
        for child in found:
            child.taken = True
        return found

    def one(self, tag: str) -> "XmlNode | None":
        """The first element of some name in it; others are not taken."""
        self.asked.add(f"<{tag}>")
        found = next((child for child in self.children if child.tag == tag), None)
        if found is not None:
            found.taken = True
        return found

    def walk(self) -> Iterator["XmlNode"]:
        """It and all that is in it, in the order of the text."""
        waiting: list[XmlNode] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.children[::-1]

    def like(self, tag: str, attributes: dict[str, str]) -> "XmlNode":
        """An element at its place, with nothing in it."""
        made = XmlNode(tag, attributes, self.line, self.column)
        made.within, made.units = self.within, self.units
        return made

    def copied(self, attributes_of: Callable[["XmlNode"], dict[str, str]]) -> "XmlNode":
        """A copy with all that is in it, each element with attributes of its own."""
        made = self.like(self.tag, attributes_of(self))
        made.children += [child.copied(attributes_of) for child in self.children]
        return made

    def loss(self, field: str, value: object, reason: str, subject: str = "") -> Loss:
        """A loss that stands here."""
        whose = subject or named(self)
        whose = f"{self.within}: {whose}" if self.within else whose
        return Loss(whose, field, value, reason, self.line, self.column)

    def take(self, child: "XmlNode", *, whole: bool = False) -> None:
        """Take one of its elements; whole: all that is in it too."""
        self.asked.add(f"<{child.tag}>")
        child.taken = True
        if whole:
            child.asked.update(child.attributes)
            for one in child.children:
                child.take(one, whole=True)

    def unknown(self, besides: str = "") -> set[str]:
        """Attributes that nobody asked for yet."""
        return {*self.attributes} - self.asked - {besides, "name", "type"}

    def untaken(self, reasons: dict[str, str], subject: str = "") -> Iterator[Loss]:
        """A loss for each attribute and each element that nobody asked for.

        Args:
            reasons: why elements of some names are not taken, attributes by ``@name``; ``@`` is
                what to say of others.
            subject: that the element belongs to.
        """
        subject = named(self) if not subject or self.tag in SUBJECTS else subject
        words = ", ".join(sorted(one for one in self.asked if one[0] != "<")) or "none"
        for name, value in self.attributes.items():
            if name not in self.asked and not name.startswith("xmlns"):
                other = reasons.get("@", "has no such attribute")
                reason = f"<{self.tag}> {other}; those that are read: {words}"
                yield self.loss(name, value, reasons.get(f"@{name}", reason), subject)
        for child in self.children:
            if child.taken:
                yield from child.untaken(reasons, subject)
                continue
            value = child.attributes.get("name", child.attributes.get("joint", ""))
            reason = reasons.get(child.tag, f"<{self.tag}> has no such element")
            if f"<{child.tag}>" in self.asked:
                reason = reasons.get(f"{child.tag} again", "one is read, the first that can be")
            yield child.loss(f"<{child.tag}>", value, reason, subject)


def named(node: XmlNode) -> str:
    """What an element is called in texts."""
    name = node.attributes.get("name", "")
    return f"{node.tag} {name}" if name else node.tag


def read_nodes(text: str, source: str, *, size_max: int = SIZE_MAX) -> XmlNode:
    """The root element of a document.

    Args:
        source: the document, for error texts.
        size_max: characters of it at most.

    Raises:
        RobotDocumentError: if it is no XML, too large, or declares a type or entities.
    """
    if len(text) > size_max:
        problem = f"{len(text)} characters: the document is too long; at most {size_max}"
        raise RobotDocumentError(source, [DocumentFault(0, 0, problem)])
    return _Builder(source).read(text)


class _Builder:
    """Elements of one document while it is read."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._open: list[XmlNode] = []
        self._roots: list[XmlNode] = []
        self._count = 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._declared
        self._parser.EntityDeclHandler = self._declared

    def read(self, text: str) -> XmlNode:
        try:
            self._parser.Parse(text.encode("utf-8", "surrogatepass"), True)
        except expat.ExpatError as error:
            phrase = f"no XML: {expat.ErrorString(error.code)}; elements that open and close"
            fault = DocumentFault(error.lineno, error.offset + 1, phrase)
            raise RobotDocumentError(self._source, [fault]) from None
        return self._roots[0]

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line, column = self._place()
        self._count += 1
        if len(self._open) >= DEPTH_MAX:
            self._refuse(f"<{tag}>: more than {DEPTH_MAX} elements in each other; fewer")
        if self._count > ELEMENTS_MAX:
            self._refuse(f"<{tag}>: more than {ELEMENTS_MAX} elements; fewer")
        node = XmlNode(tag, attributes, line, column)
        (self._open[-1].children if self._open else self._roots).append(node)
        self._open.append(node)

    def _end(self, _tag: str) -> None:
        self._open.pop()

    def _declared(self, name: str, *_: object) -> None:
        self._refuse(f"{name}: document types and entities are not read; write the text out")

    def _place(self) -> tuple[int, int]:
        return self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1

    def _refuse(self, text: str) -> None:
        raise RobotDocumentError(self._source, [DocumentFault(*self._place(), text)])

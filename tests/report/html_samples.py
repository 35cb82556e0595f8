"""Reading a page back: its tags, its attributes, its text."""

from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "img", "link", "br"}


class Elements(HTMLParser):
    """Collects tags with their attributes, and the text outside of style."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes what is not open"

    def handle_data(self, data) -> None:
        if "style" not in self.open:
            self.text += data

    def attributes(self, name: str) -> list[str]:
        return [attrs[name] or "" for _, attrs in self.tags if name in attrs]


def parsed(page: Path) -> Elements:
    elements = Elements()
    elements.feed(page.read_text(encoding="utf-8"))
    assert elements.open == []
    return elements

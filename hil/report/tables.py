"""Tables of a page, as values; every cell is text with its unit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One figure of a run against its limit: what a person looks at first."""

    name: str
    value: str
    where: str = ""
    """Part and time; empty if it belongs to the whole run."""
    limit: str = ""
    margin: str = ""
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    cells: tuple[str, ...]
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one kind."""

    heads: tuple[str, ...]
    """Of the columns; all but the first are of numbers."""
    rows: tuple[Row, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Tables:
    """A section of tables."""

    tables: tuple[Table, ...]
    note: str = ""
    """What is not known; empty if all is."""

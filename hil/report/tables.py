"""Tables of a page, as values; every cell is text with its unit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One figure of a run against its limit: what a person looks at first."""

    name: str
    """What it is."""
    value: str
    """With its unit."""
    where: str = ""
    """Part and time; empty if it belongs to the whole run."""
    limit: str = ""
    """With its unit; empty if there is none."""
    margin: str = ""
    """What is left to the limit; empty if there is none."""
    bad: bool = False
    """Whether the limit is exceeded, or it should not have happened."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    cells: tuple[str, ...]
    """Words first, then numbers."""
    bad: bool = False
    """Whether something in it should not be."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one kind."""

    heads: tuple[str, ...]
    """Of the columns; all but the first are of numbers."""
    rows: tuple[Row, ...]
    name: str = ""
    """What it is of; empty if there is one only."""


@dataclass(frozen=True, slots=True)
class Tables:
    """A section of tables."""

    tables: tuple[Table, ...]
    note: str = ""
    """What is not known; empty if all is."""

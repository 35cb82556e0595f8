"""One figure of a run against its limit: what a person looks at first."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One row of the table.

    Args:
        name: what it is.
        value: with its unit.
        where: leg and time, empty if it belongs to the whole run.
        limit: with its unit, empty if there is none.
        margin: what is left to the limit, empty if there is none.
        bad: the limit is exceeded, or it should not have happened.
    """

    name: str
    value: str
    where: str = ""
    limit: str = ""
    margin: str = ""
    bad: bool = False

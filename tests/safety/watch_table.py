"""The tables of watches in the safety manual, made of `safety.watches` and `safety.robot_gate`.

`python tests/safety/watch_table.py` writes them anew; test_watches.py says when that is due.
"""

import ast
import inspect
import itertools
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "safety_manual.md"


def meanings(kind):
    """Watch -> what it judges, as its docstring says."""
    tree = ast.parse(inspect.getsource(kind))
    (body,) = (node.body for node in tree.body)
    return {
        name.target.id: text.value.value.rstrip(".")
        for name, text in itertools.pairwise(body)
        if isinstance(name, ast.AnnAssign)
    }


def made(kind, columns, watched):
    """One row for each watch, one column for each mode or action."""
    rows = [["Watch", *columns], ["---"] * (1 + len(columns))]
    for name, told in meanings(kind).items():
        title = f"**{name.replace('_', ' ')}**: {told[0].lower()}{told[1:]}"
        rows.append([title, *("x" if getattr(each, name) else "" for each in watched)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def table():
    """Of the platform's gate."""
    from safety.modes import Mode
    from safety.watches import WATCHED, Watched

    return made(Watched, [mode.name for mode in Mode], [WATCHED[mode] for mode in Mode])


def robot_table():
    """Of a robot's gate."""
    from safety.robot_gate import WATCHED, RobotWatched
    from safety.robot_limits import RobotAction

    actions = tuple(RobotAction)
    return made(RobotWatched, [one.name for one in actions], [WATCHED[one] for one in actions])


TABLES = {"watches": table, "robot watches": robot_table}


def filled(text):
    """A page with its tables made anew."""
    for name, make in TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        assert found, f"{PAGE}: {begin!r} is missing"
        assert ended, f"{PAGE}: {end!r} is missing"
        text = f"{before}{begin}{make()}\n{end}{after}"
    return text


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")

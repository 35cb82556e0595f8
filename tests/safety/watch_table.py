"""The table of watches and modes in the safety manual, made of `safety.watches`.

`python tests/safety/watch_table.py` writes it anew; test_watches.py says when that is due.
"""

import ast
import inspect
import itertools
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "safety_manual.md"
BEGIN, END = "<!-- watches -->\n", "<!-- end of watches -->"


def meanings():
    """Watch -> what it judges, as its docstring says."""
    from safety.watches import Watched

    (body,) = (node.body for node in ast.parse(inspect.getsource(Watched)).body)
    return {
        name.target.id: text.value.value.rstrip(".")
        for name, text in itertools.pairwise(body)
        if isinstance(name, ast.AnnAssign)
    }


def table():
    """One row for each watch, one column for each mode."""
    from safety.modes import Mode
    from safety.watches import WATCHES

    told = meanings()
    rows = [["Watch", *(mode.name for mode in Mode)], ["---"] + ["---"] * len(Mode)]
    for name, modes in WATCHES.items():
        title = f"**{name.replace('_', ' ')}**: {told[name][0].lower()}{told[name][1:]}"
        rows.append([title, *("x" if mode in modes else "" for mode in Mode)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def filled(text):
    """A page with the table made anew."""
    before, found, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    assert found, f"{PAGE}: {BEGIN!r} is missing"
    assert ended, f"{PAGE}: {END!r} is missing"
    return f"{before}{BEGIN}{table()}\n{END}{after}"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")

"""Figures of the product that tests/budgets.toml bounds; printed as that file has them.

    python tests/budgets.py > tests/budgets.toml

A figure may fall by itself. One that has to rise is raised in the commit that needs it, whose
message has the reason.
"""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path, PurePosixPath

from test_import_circles import PACKAGES, TOP, circles_of, graph_of, modules_of, statements

BUDGETS = Path(__file__).with_suffix(".toml")
APART = ("hil/stations", "hil/space_arm/study")
"""Folders within a folder of `hil` that are counted by themselves, stations each alone."""
MOST_OF_FUNCTION = 60
"""Lines that a function may have without being named."""
MOST_OF_FILE = 350
"""Lines that a file may have without being named."""
OWN_WORDS = {
    "tell": "report, publish; summary, known, given",
    "told": "summary, known, given",
    "wish": "request, command",
    "look": "poll, update, view",
    "hear": "poll, read",
    "heard": "received, reading",
    "pen": "writer",
    "grip": "session",
    "keeper": "owner",
    "mind": "state",
    "errand": "task",
    "witness": "observer, second source",
    "room": "space, margin",
    "way": "path, distance",
    "stand": "be; place",
    "standing": "held, fixed",
}
"""Words of our own → what the field says (docs/notation.md); their plural and third person too."""
DRAWING = frozenset({
    "setPen", "QPen", "PenStyle", "mkPen", "NoPen", "setTextPen", "setHoverPen",
    "setSizeGripEnabled",
})  # fmt: skip
"""Names of the library that draws."""
STAND_IN = re.compile(r"stand_in|StandIn")
"""Term of docs/notation.md: what takes the place of an absent part."""
WORDS_OF_NAME = re.compile(r"[A-Z]?[a-z]+")
PARTICIPLE = re.compile(r"(?:.[^e]ed|..ing)$")
NOUNS = frozenset({
    "cueing", "drawing", "homing", "recording", "routing", "scaling", "setting", "smoothing",
    "spring", "string", "timing", "tracking", "tuning",
})  # fmt: skip
"""Endings of modules that look like participles, and are things or crafts of the field."""
IRREGULAR = frozenset({
    "chosen", "drawn", "felt", "found", "given", "heard", "held", "kept", "known", "led", "made",
    "said", "seen", "sent", "shown", "taken", "told", "unled", "written",
})  # fmt: skip
HANGING = frozenset({
    "after", "against", "along", "also", "among", "and", "as", "at", "because", "before", "below",
    "beside", "between", "but", "by", "during", "for", "from", "if", "in", "into", "likewise",
    "of", "on", "or", "over", "since", "that", "through", "to", "under", "until", "up", "when",
    "while", "who", "whose", "with", "within", "without",
})  # fmt: skip
"""First words of a field's docstring that hangs on something before it."""

Figures = dict[str, dict[str, int]]


def count_figures(top: Path = TOP) -> Figures:
    """Count what stands: table → row → number, without the rows that nothing bounds."""
    files, lines, words, own = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    functions, long_files = dict[str, int](), dict[str, int]()
    for path in sorted(modules_of(top, PACKAGES).values()):
        name, text = path.relative_to(top).as_posix(), path.read_text(encoding="utf-8")
        size, tree = text.count("\n"), ast.parse(text)
        files[folder_of(name)] += 1
        lines[folder_of(name)] += size
        if size > MOST_OF_FILE:
            long_files[name] = size
        functions |= {f"{name}:{inner}": size for inner, size in long_functions(tree)}
        own.update(own_words(tree))
        words["modules_named_by_a_participle"] += is_participle(path.stem)
        words["clipped_docstrings_of_fields"] += sum(map(hangs, docstrings_of_fields(tree)))
        for node, options in dataclasses(tree):
            words["dataclasses_that_change"] += options.get("frozen") != "True"
            words["dataclasses_without_slots"] += options.get("slots") != "True"
            words["dataclasses_that_compare_arrays"] += options.get("eq") != "False" and has_arrays(
                node
            )
    return {
        "lines": dict(lines), "files": dict(files), "functions": functions,
        "long_files": long_files, "counts": dict(words), "words": dict(own),
    }  # fmt: skip


def folder_of(name: str) -> str:
    """Folder that a file counts for: package, folder of `hil`, station, or one kept apart."""
    parts = PurePosixPath(name).parent.parts
    for apart in APART:
        if "/".join(parts).startswith(apart):
            return "/".join(parts[:3])
    return "/".join(parts[:2] if parts[0] == "hil" else parts[:1])


def long_functions(node: ast.AST, owner: str = "") -> Iterator[tuple[str, int]]:
    """Names, with the class before them, and lines of functions that are longer than a screen."""
    for part in ("body", "orelse", "handlers", "finalbody", "cases"):
        for child in getattr(node, part, ()):
            name = owner
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{owner}.{child.name}".lstrip(".")
                size = (child.end_lineno or 0) - child.lineno + 1
                if not isinstance(child, ast.ClassDef) and size > MOST_OF_FUNCTION:
                    yield name, size
            yield from long_functions(child, name)


def own_words(tree: ast.AST) -> Iterator[str]:
    """Each word of our own in a name that is defined or used, once for each time."""
    for node in ast.walk(tree):
        for field in ("id", "attr", "name", "arg", "asname"):
            name = getattr(node, field, None)
            if isinstance(name, str) and name not in DRAWING:
                words = WORDS_OF_NAME.findall(STAND_IN.sub("", name))
                yield from filter(None, map(own_word, words))


def own_word(word: str) -> str:
    """The word of `OWN_WORDS` that this is a form of; empty for a word of the field."""
    small = word.lower()
    return next((one for one in (small, small.removesuffix("s"), small.removesuffix("es"))
                 if one in OWN_WORDS), "")  # fmt: skip


def is_participle(stem: str) -> bool:
    """Whether a module's name ends in a participle instead of a noun."""
    last = stem.rpartition("_")[2]
    return last in IRREGULAR or (last not in NOUNS and PARTICIPLE.search(last) is not None)


def docstrings_of_fields(tree: ast.Module) -> Iterator[str]:
    """Docstrings under the assignments of a module and of its classes."""
    classes = (node for node in statements(tree) if isinstance(node, ast.ClassDef))
    for body in (tree.body, *(node.body for node in classes)):
        for above, node in pairwise(body):
            if isinstance(above, ast.Assign | ast.AnnAssign) and isinstance(node, ast.Expr):
                text = node.value.value if isinstance(node.value, ast.Constant) else None
                if isinstance(text, str):
                    yield text


def hangs(docstring: str) -> bool:
    """Whether a docstring does not stand alone: it begins with a word that hangs on another."""
    first = re.match(r"\s*(\w+)", docstring)
    return first is not None and first[1].lower() in HANGING


def dataclasses(tree: ast.AST) -> Iterator[tuple[ast.ClassDef, dict[str | None, str]]]:
    """Each dataclass with its options."""
    for node in statements(tree):
        for one in node.decorator_list if isinstance(node, ast.ClassDef) else ():
            if isinstance(node, ast.ClassDef) and "dataclass" in ast.unparse(one):
                words = one.keywords if isinstance(one, ast.Call) else []
                yield node, {word.arg: ast.unparse(word.value) for word in words}


def has_arrays(node: ast.ClassDef) -> bool:
    """Whether a field is an array: two of them are neither equal nor not, and have no hash."""
    fields = (ast.unparse(one.annotation) for one in node.body if isinstance(one, ast.AnnAssign))
    return any(re.search(r"\b(NDArray|Array|Floats)\b", one) for one in fields)


def excess(figures: Mapping[str, Mapping[str, int]], most: Mapping[str, Mapping[str, int]]):
    """Sentences, one for each figure that is over its bound; what has no bound has 0."""
    for table, rows in figures.items():
        for row, number in rows.items():
            bound = most.get(table, {}).get(row, 0)
            if number > bound:
                yield f"{table}: {row} has {number}, and its budget is {bound}"


def to_toml(figures: Figures) -> str:
    """Text of tests/budgets.toml."""
    head = "# Upper bounds of what tests/budgets.py counts: a rise has its reason in its commit.\n"
    tables = (
        "\n".join([f"\n[{table}]", *(f'"{row}" = {rows[row]}' for row in sorted(rows))])
        for table, rows in figures.items()
    )
    return head + "\n".join(tables)


def read_budgets() -> Figures:
    """Bounds of this repository."""
    return tomllib.loads(BUDGETS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    found = count_figures()
    found["counts"]["import_circles"] = len(circles_of(graph_of(TOP, PACKAGES)))
    print(to_toml(found))

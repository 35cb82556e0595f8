"""Mutants drawn by chance: an operator, a number or a whole statement of a file is another one.

What is drawn depends on the seed and the text of the files alone. Left out is what no test can or
should find: words, annotations, docstrings, `__slots__`, declarations of a module's types.
"""

import ast
import random
from collections.abc import Iterator

from mutants import ROOT, Mutant

_COMPARED = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_COMPUTED = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "+",
    ast.BitAnd: "|", ast.BitOr: "&", ast.Pow: "*",
}  # fmt: skip
_SPELT = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.Add: "+",
    ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.BitAnd: "&",
    ast.BitOr: "|", ast.Pow: "**",
}  # fmt: skip
_DELETED = (ast.Expr, ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Continue, ast.Break)


class _Places(ast.NodeVisitor):
    """Collects changes of a file: offsets of a text, first and last, and what it becomes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self.found: list[tuple[int, int, str]] = []

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + self._columns(node.lineno, node.col_offset),
            self._starts[node.end_lineno - 1] + self._columns(node.end_lineno, node.end_col_offset),
        )

    def _columns(self, line: int, utf8: int) -> int:
        """Columns in characters; the parser counts bytes."""
        start = self._starts[line - 1]
        return len(self._text[start : self._starts[line]].encode()[:utf8].decode())

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> None:
        first, last = self._span(left)[1], self._span(right)[0]
        at = self._text.find(old, first, last)
        if at >= 0:
            self.found.append((at, at + len(old), new))

    def _statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            words = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if isinstance(statement, _DELETED) and not words:
                self.found.append((*self._span(statement), "pass"))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for each in ast.walk(node):
            for body in (getattr(each, name, None) for name in ("body", "orelse", "finalbody")):
                if isinstance(body, list):
                    self._statements(body)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(isinstance(name, ast.Name) and name.id == "__slots__" for name in node.targets):
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Words."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Words."""

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            self._between(left, right, _SPELT[type(operator)], _COMPARED[type(operator)])
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, right, old, new)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in _COMPUTED:
            self._between(node.left, node.right, _SPELT[type(node.op)], _COMPUTED[type(node.op)])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        first, _ = self._span(node)
        if isinstance(node.op, ast.Not):
            self.found.append((first, first + len("not"), ""))
        elif isinstance(node.op, ast.USub):
            self.found.append((first, first + 1, "+"))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.found.append((*self._span(node), str(not value)))
        elif isinstance(value, int):
            self.found.append((*self._span(node), str(value + 1)))
        elif isinstance(value, float):
            self.found.append((*self._span(node), repr(10.0 * value if value else 1.0)))


def places(file: str) -> list[tuple[int, int, str]]:
    """All changes that a file has, by their place."""
    text = (ROOT / file).read_text(encoding="utf-8")
    seen = _Places(text)
    seen.visit(ast.parse(text))
    return sorted(set(seen.found))


def draw(files: list[str], count: int, seed: int) -> Iterator[Mutant]:
    """Draw mutants, each place as likely as any other.

    Args:
        files: paths in the repository.
        count: how many.
        seed: of the choice.
    """
    every = [(file, *place) for file in sorted(files) for place in places(file)]
    for file, first, last, new in random.Random(seed).sample(every, count):
        text = (ROOT / file).read_text(encoding="utf-8")
        line = text.count("\n", 0, first) + 1
        # As much of the text around it as makes it the only one of its kind.
        before, after = first, last
        while text.count(text[before:after]) != 1:
            before, after = max(0, before - 20), min(len(text), after + 20)
        changed = text[before:first] + new + text[last:after]
        code = text.splitlines()[line - 1].strip()
        name = f"{file}:{line} {text[first:last]!r} -> {new!r}: {code}"
        yield Mutant(name, file, text[before:after], changed)

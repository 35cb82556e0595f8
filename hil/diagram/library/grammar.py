"""The grammar of expressions: a text into trees, by recursive descent; nothing of it is Python.

text       = statement { ";" statement } | or
statement  = NAME [ "'" ] "=" or
or         = and { "or" and }
and        = not { "and" not }
not        = "not" not | comparison
comparison = sum [ ( "<" | "<=" | ">" | ">=" ) sum ]
sum        = product { ( "+" | "-" ) product }
product    = sign { ( "*" | "/" ) sign }
sign       = ( "+" | "-" ) sign | power
power      = atom [ "^" [ "-" ] NUMBER ]
atom       = NUMBER | NAME | NAME "(" or { "," or } ")" | "(" or ")"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hil.config.similar_names import nearest

CHARACTERS_MOST: Final = 1000
DEPTH_MOST: Final = 40
NODES_MOST: Final = 300
FUNCTIONS: Final[Mapping[str, int]] = {
    "sqrt": 1, "abs": 1, "sign": 1, "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1,
    "tanh": 1, "exp": 1, "log": 1, "log10": 1, "floor": 1, "ceil": 1, "round": 1, "min": 2,
    "max": 2, "atan2": 2, "hypot": 2, "if": 3, "limit": 3,
}  # fmt: skip
"""Name → how many arguments."""
WORDS: Final = frozenset({"and", "or", "not"})
CONSTANTS: Final[Mapping[str, float]] = {"pi": math.pi}
TIME: Final = "t"
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign><=|>=|[-+*/^(),;=<>'])|(?P<other>\S))"
)


class GrammarError(ValueError):
    """A text that is no expression; its words name the column and what would be right."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text."""

    kind: str
    """number, name, sign, or end."""
    text: str
    column: int
    """Of its first character, from 1."""


@dataclass(frozen=True, slots=True)
class SyntaxNode:
    """A tree: an operation or function of its parts, a number, or a name."""

    what: str
    """``number``, ``name``, an operator's sign, or the name of a function."""
    parts: tuple[SyntaxNode, ...] = ()
    value: float = 0.0
    """Of a number; the exponent of ``^``."""
    name: str = ""
    column: int = 0


@dataclass(frozen=True, slots=True)
class Statement:
    """``name = tree``, or ``name' = tree`` for the rate of a state."""

    name: str
    rate: bool
    tree: SyntaxNode


@lru_cache(maxsize=512)
def parsed(text: str) -> tuple[Statement, ...]:
    """The statements of a text; one without a name is ``y``.

    Raises:
        GrammarError: if it is none.
    """
    if len(text) > CHARACTERS_MOST:
        raise GrammarError(f"{len(text)} characters: at most {CHARACTERS_MOST}")
    return tuple(_Parser(list(_tokens(text))).statements())


def names_in(tree: SyntaxNode) -> Iterator[str]:
    """Names in a tree, as often as they stand there."""
    if tree.what == "name":
        yield tree.name
    for one in tree.parts:
        yield from names_in(one)


def _tokens(text: str) -> Iterator[Token]:
    place, end = 0, len(text.rstrip())
    while place < end:
        found = _TOKEN.match(text, place)
        if found is None or found.lastgroup is None:
            break
        kind, piece = found.lastgroup, found.group(found.lastgroup)
        column = found.start(kind) + 1
        if kind == "other":
            known = "numbers, names and + - * / ^ ( ) , ; = < > ' are known"
            raise GrammarError(f"column {column}: {piece!r}: {known}")
        yield Token(kind, piece, column)
        place = found.end()
    yield Token("end", "the end", end + 1)


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._place, self._depth, self._nodes = tokens, 0, 0, 0

    def statements(self) -> Iterator[Statement]:
        yield self._statement()
        while self._take(";"):
            if self._now.kind == "end":
                return
            yield self._statement()
        if self._now.kind != "end":
            raise self._wrong("an operator or ; is needed")

    def _statement(self) -> Statement:
        name, rate = self._now, False
        after = self._tokens[self._place + 1].text if name.kind == "name" else ""
        if after == "'":
            self._place += 2
            self._need("=")
            rate = True
        elif after == "=":
            self._place += 2
        else:
            return Statement("y", rate=False, tree=self._or())
        if (
            name.text in FUNCTIONS
            or name.text in WORDS
            or name.text in CONSTANTS
            or (name.text == TIME)
        ):
            raise GrammarError(f"column {name.column}: {name.text} has a meaning of its own")
        return Statement(name.text, rate, self._or())

    def _or(self) -> SyntaxNode:
        return self._row(("or",), self._and)

    def _and(self) -> SyntaxNode:
        return self._row(("and",), self._not)

    def _row(self, signs: tuple[str, ...], inner: Callable[[], SyntaxNode]) -> SyntaxNode:
        """Operations of the same rank, from the left."""
        found = inner()
        while self._now.text in signs and self._now.kind != "number":
            token = self._next()
            found = self._node(token.text, token.column, found, inner())
        return found

    def _not(self) -> SyntaxNode:
        if self._now.text == "not":
            token = self._next()
            with self._deeper(token):
                return self._node("not", token.column, self._not())
        return self._comparison()

    def _comparison(self) -> SyntaxNode:
        found = self._sum()
        if self._now.text in ("<", "<=", ">", ">="):
            token = self._next()
            found = self._node(token.text, token.column, found, self._sum())
            if self._now.text in ("<", "<=", ">", ">="):
                raise self._wrong("comparisons do not follow each other; write a < b and b < c")
        return found

    def _sum(self) -> SyntaxNode:
        return self._row(("+", "-"), self._product)

    def _product(self) -> SyntaxNode:
        return self._row(("*", "/"), self._sign)

    def _sign(self) -> SyntaxNode:
        if self._now.text in ("+", "-"):
            token = self._next()
            with self._deeper(token):
                inner = self._sign()
            return inner if token.text == "+" else self._node("negate", token.column, inner)
        return self._power()

    def _power(self) -> SyntaxNode:
        base = self._atom()
        if not self._take("^"):
            return base
        minus = self._take("-")
        token = self._now
        if token.kind != "number":
            raise self._wrong("a number is needed as exponent; of names exp(b*log(a)) is a power")
        self._place += 1
        if self._now.text == "^":
            raise self._wrong("powers of powers need parentheses")
        exponent = -_number(token) if minus else _number(token)
        return self._node("^", token.column, base, value=exponent)

    def _atom(self) -> SyntaxNode:
        place, token = self._place, self._next()
        if token.kind == "number":
            return self._node("number", token.column, value=_number(token))
        if token.text == "(":
            with self._deeper(token):
                found = self._or()
            self._need(")")
            return found
        if token.kind != "name" or token.text in WORDS:
            self._place = place
            raise self._wrong("a number, a name or ( is needed")
        return self._call(token) if self._now.text == "(" else self._named(token)

    def _named(self, token: Token) -> SyntaxNode:
        if token.text in FUNCTIONS:
            raise GrammarError(f"column {token.column}: {token.text} needs its arguments in ( )")
        if token.text in CONSTANTS:
            return self._node("number", token.column, value=CONSTANTS[token.text])
        return self._node("name", token.column, name=token.text)

    def _call(self, token: Token) -> SyntaxNode:
        name, wanted = token.text, FUNCTIONS.get(token.text)
        if wanted is None:
            known = ", ".join(FUNCTIONS)
            near = nearest(name, FUNCTIONS)
            problem = (
                f"column {token.column}: {name[:40]}: no such function{near} (there are {known})"
            )
            raise GrammarError(problem)
        self._need("(")
        with self._deeper(token):
            parts = [self._or()]
            while self._take(","):
                parts.append(self._or())
        self._need(")")
        if len(parts) != wanted:
            problem = f"{len(parts)} arguments; it takes {wanted}"
            raise GrammarError(f"column {token.column}: {name}: {problem}")
        return self._node(name, token.column, *parts)

    # --- pieces --------------------------------------------------------------------------------

    @property
    def _now(self) -> Token:
        return self._tokens[self._place]

    def _next(self) -> Token:
        token = self._now
        self._place += token.kind != "end"
        return token

    def _take(self, text: str) -> bool:
        found = self._now.text == text and self._now.kind == "sign"
        self._place += found
        return found

    def _need(self, text: str) -> None:
        if not self._take(text):
            raise self._wrong(f"{text} is needed")

    def _wrong(self, right: str) -> GrammarError:
        return GrammarError(f"column {self._now.column}: {self._now.text[:40]}: {right}")

    def _node(
        self, what: str, column: int, *parts: SyntaxNode, value: float = 0.0, name: str = ""
    ) -> SyntaxNode:
        self._nodes += 1
        if self._nodes > NODES_MOST:
            raise GrammarError(f"column {column}: more than {NODES_MOST} operations and names")
        return SyntaxNode(what, parts, value, name, column)

    @contextmanager
    def _deeper(self, token: Token) -> Iterator[None]:
        self._depth += 1
        if self._depth > DEPTH_MOST:
            raise GrammarError(f"column {token.column}: more than {DEPTH_MOST} deep")
        yield
        self._depth -= 1


def _number(token: Token) -> float:
    value = float(token.text)
    if value > 1e300:
        raise GrammarError(f"column {token.column}: {token.text[:40]}: at most 1e300")
    return value

"""The one reader of TOML against the standard library's parser, which it stands in front of."""

import ast
import math
import re
import tomllib
from pathlib import Path
from tomllib import _parser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least

from sim.toml_reader import (
    DEPTH_MAX,
    MARKS_MAX,
    SIZE_MAX,
    WORD_MAX,
    TomlReadError,
    read_table,
    read_value,
)

TOP = Path(__file__).parents[2]
DEEP = ".".join("a" * (DEPTH_MAX + 1))
SOUP = st.lists(
    st.sampled_from(
        ['"', "'", '"""', "'''", "\\", '\\"', "\n", "\r\n", "#", "a", "b-1", "=", " = 1\n", ".",
         "[", "]", "[[", "]]", "{", "}", ",", " ", "\t", "1.5", "é", "\x00", "\ufeff", "x = 1\n",
         'x = "', "x = '''", 'x = """', '"a\\\\"', f"{DEEP} = 1", f"[{DEEP}]",
         f"y = {{{DEEP} = 2}}", '"\\"".' * DEPTH_MAX + "z = 3", "'\"'." * DEPTH_MAX + "z = 3",
         "a . " * DEPTH_MAX + "z = 1", "q = " + "[" * (DEPTH_MAX + 1), "{a = " * (DEPTH_MAX + 1)]
    ),
    max_size=14,
).map("".join)  # fmt: skip
BARE = st.text("abXY019_-", min_size=1, max_size=5)
HOSTILE = st.text('a.="#[]{},é\\\t ', max_size=12)
QUOTED = HOSTILE.map(lambda one: '"' + one.replace("\\", "\\\\").replace('"', '\\"') + '"')
LITERAL = HOSTILE.map(lambda one: f"'{one}'")
KEY = st.lists(BARE | QUOTED | LITERAL, min_size=1, max_size=4).flatmap(
    lambda parts: st.sampled_from([".", " . ", "\t."]).map(lambda dot: dot.join(parts))
)
SCALAR = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(str), st.floats(allow_nan=False).map(repr),
    QUOTED, LITERAL,
    HOSTILE.map(lambda one: f"'''\n{one}\n{one}'''"),
    HOSTILE.map(lambda one: '"""' + one.replace("\\", "\\\\").replace('"', '\\"') + '\n"""'),
    st.sampled_from(["true", "1979-05-27T07:32:00.5Z", "0xff", "1_000", '"""a""b"""',
                     '""""a"""""', '"""a""""', "'''a''''"]),
)  # fmt: skip
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda rows: f"[ # [{{'\n{', '.join(rows)}\n]"),
        st.lists(st.tuples(BARE, inner), max_size=3).map(
            lambda rows: (
                "{" + ", ".join(f"k{k}{key} = {row}" for k, (key, row) in enumerate(rows)) + "}"
            )
        ),
    ),
    max_leaves=8,
)
LINE = st.one_of(
    st.tuples(KEY, VALUE).map(lambda two: f"{two[0]} = {two[1]} # \"'''"),
    KEY.map(lambda key: f"[{key}]"),
    KEY.map(lambda key: f"[[ {key} ]]"),
    HOSTILE.map(lambda one: f"# {one}".replace("\t", "")),
)
DOCUMENT = st.lists(LINE, max_size=10).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))
)

ATTACK = st.sampled_from([f"{DEEP} = 1", f"[{DEEP}]", "d = " + "[" * (DEPTH_MAX + 1)])
ATTACKED = st.one_of(
    st.tuples(DOCUMENT, ATTACK).map("\n".join),
    st.tuples(VALUE, ATTACK).map(lambda two: f"z = {two[0]}\n{two[1]}"),
    st.tuples(SCALAR, KEY).map(lambda two: f"z = {{{two[1]} = {two[0]}, {DEEP} = 1}}"),
)


def depth_of(value: object) -> int:
    """Tables and lists in each other."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(depth_of, inner), default=0) if isinstance(value, dict | list) else 0


@given(DOCUMENT)
def test_a_document_within_the_bounds_reads_as_the_parser_reads_it(text):
    try:
        wanted = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        with pytest.raises(TomlReadError, match=f"is not valid TOML: {re.escape(str(error))}"):
            read_table(text)
        return
    if depth_of(wanted) <= DEPTH_MAX:
        assert repr(read_table(text)) == repr(wanted)  # of nan too
    else:
        with pytest.raises(TomlReadError, match="nested deeper"):
            read_table(text)


class Watched:
    """The longest key and the deepest nesting that the parser comes to, reported by itself."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.parts = self.deepest = self._depth = 0
        parse_key = _parser.parse_key

        def key(*args):
            at, found = parse_key(*args)
            self.parts = max(self.parts, len(found))
            return at, found

        monkeypatch.setattr(_parser, "parse_key", key)
        for name in ("parse_array", "parse_inline_table"):
            monkeypatch.setattr(_parser, name, self._deeper(getattr(_parser, name)))

    def _deeper(self, parse):
        def wrapped(*args):
            self._depth += 1
            self.deepest = max(self.deepest, self._depth)
            try:
                return parse(*args)
            finally:
                self._depth -= 1

        return wrapped


@at_least(150)
@given(SOUP | ATTACKED)
def test_nothing_beyond_the_bounds_reaches_the_parser(text):
    with pytest.MonkeyPatch.context() as patch:
        watched = Watched(patch)
        try:
            table = read_table(text)
        except TomlReadError:
            table = {}
        assert watched.parts <= DEPTH_MAX
        assert watched.deepest <= DEPTH_MAX
        assert depth_of(table) <= DEPTH_MAX + 1
        try:  # the control: the same parser comes that far without the bounds
            tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a." * 60_000 + "a = 1", "line 1: a key of more than 12 parts"),
        ("x = 1\n" + '"\\"".' * 20_000 + "a = 1", "line 2: a key of more than 12 parts"),
        ('x = """\n\\""" # \\\n"""\ny = 2\n' + "a." * 60_000 + "a = 1", "line 5: a key of more"),
        ("[" + "'\"'." * 20_000 + "a]", "line 1: a key of more than 12 parts"),
        ("a = {" + "b." * 20_000 + "c = 1}", "line 1: a key of more than 12 parts"),
        ('a = {v = """a"""", ' + "b." * 20_000 + "c = 1}", "line 1: a key of more than 12 parts"),
        ("a = {v = '''a'''', " + "b." * 20_000 + "c = 1}", "line 1: a key of more than 12 parts"),
        ("a = " + "[" * 60_000, "nested deeper than 12"),
        ("a = " + "{b = " * 60_000, "nested deeper than 12"),
        ("a = 0x" + "f" * 5000, "line 1: a number or key of more than 1000 characters"),
        ("a = " + "9" * 5000, "line 1: a number or key of more than 1000 characters"),
        ("a.b = [1, 0x" + "f" * 17 + "]", "a.b: a whole number of more than 64 bits"),
        ("a = [" + "1," * (MARKS_MAX + 1) + "]", f"at most {MARKS_MAX} are read"),
        ("#" * (SIZE_MAX + 1), f"at most {SIZE_MAX} are read"),
        ("[a.b.c.d.e.f.g]\nh.i.j.k.l.m.n.o = 1", "nested deeper than 12"),
        ("k" * WORD_MAX + " = ", "is not valid TOML: Invalid value"),
    ],
    ids=range(16),
)  # fmt: skip
def test_a_text_beyond_a_bound_is_refused_before_it_costs_anything(monkeypatch, text, wanted):
    watched = Watched(monkeypatch)
    with pytest.raises(TomlReadError) as refused:
        read_table(text)
    assert wanted in str(refused.value)
    assert watched.parts <= DEPTH_MAX
    assert watched.deepest <= DEPTH_MAX


def test_an_error_text_is_short_and_keeps_its_place():
    key = '"' + "k" * 5000 + '"'
    with pytest.raises(TomlReadError, match=r"\(at line 2, column 5004\)") as refused:
        read_table(f"[{key}]\n[{key}]")
    assert len(str(refused.value)) < 400
    assert (refused.value.line, refused.value.column) == (2, 5004)


def test_a_mark_of_byte_order_is_left_out():
    assert read_table("\ufeffa = 1") == {"a": 1}


@pytest.mark.parametrize("text", ["1\nvalues = 2", "", "1, 2", "[" * 20, "0x" + "f" * 5000])
def test_a_value_is_one_value(text):
    with pytest.raises(TomlReadError):
        read_value(text)


def test_a_value_reads_as_toml():
    assert read_value("[1, 2.5, true]") == [1, 2.5, True]
    assert math.isnan(read_value("nan"))


def test_no_other_module_reads_toml():
    folders = ("hil", "sim", "drives", "platform6dof", "safety", "arm_driver", "hil_common")
    found = set()
    for path in (path for folder in folders for path in (TOP / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "toml" in text:
            for node in ast.walk(ast.parse(text)):
                names = (
                    [one.name for one in node.names] if isinstance(node, ast.Import)
                    else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                )  # fmt: skip
                if {one.split(".")[0] for one in names} & {"tomllib", "tomli", "tomlkit", "toml"}:
                    found.add(path.relative_to(TOP).as_posix())
    assert found == {"sim/toml_reader.py"}

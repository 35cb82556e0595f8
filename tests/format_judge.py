"""Holds every object that a verb prints with `--json` in a test against docs/formats.md.

It reads the tables of the page as a user does and knows nothing of the code that they are made of.
As a plugin it looks at each command line that a test runs in its own process.
"""

import json
import re
from functools import cache, wraps
from pathlib import Path

import pytest
import typer.testing
from typer.testing import CliRunner

PAGE = Path(__file__).parents[1] / "docs" / "formats.md"
ROW = re.compile(r"^\| (?P<cells>.+) \|$", re.MULTILINE)
ANY = "anything"


def cells_of(text):
    """Rows of a table, without its head."""
    rows = [re.split(r"(?<!\\) \| ", match["cells"]) for match in ROW.finditer(text)]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def sections(name):
    """Title, and text, of each part between a table's marks."""
    text = PAGE.read_text("utf-8")
    text = text.partition(f"<!-- {name} -->")[2].partition(f"<!-- end of {name} -->")[0]
    parts = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    return [part.partition("\n")[::2] for part in parts]


@cache
def forms():
    """Verb → its forms, each key → what it is."""
    found = {}
    for _, text in sections("keys"):
        verbs, rows = text.strip().partition("\n")[::2]
        form = {key.strip("`"): what for key, what, _ in cells_of(rows)}
        for verb in re.findall(r"`(hil [^`]+)`", verbs) or ["any verb"]:
            found.setdefault(verb, []).append(form)
    return found


def faults(told, form):
    """What an object has that its form has not, and the other way round."""
    if told.get("format") != 1 or next(iter(told)) != "format":
        yield "its first key is not format = 1"
    yield from _faults({key: told[key] for key in told if key != "format"}, form, "")


def _faults(value, form, at):
    if isinstance(value, list):
        for one in value:
            yield from _faults(one, form, f"{at}[]")
        return
    if not isinstance(value, dict):
        return
    inner = f"{at}." if at else ""
    keys = {key[len(inner) :] for key in form if key.startswith(inner)}
    keys = {key for key in keys if key and not re.search(r"[.\[]", key)}
    if at and ANY in form.get(at, ""):
        return
    if "*" in keys or (at and form.get(at, "").startswith("object of any names")):
        for one in value.values():
            yield from _faults(one, form, f"{inner}*")
        return
    yield from (f"{inner}{key} is not in the table" for key in sorted(value.keys() - keys))
    for key in sorted(keys - value.keys()):
        if "may be left out" not in form[f"{inner}{key}"]:
            yield f"{inner}{key} is in the table only"
    for key in value.keys() & keys:
        yield from _kind(value[key], form[f"{inner}{key}"], f"{inner}{key}")
        yield from _faults(value[key], form, f"{inner}{key}")


KINDS = {
    "text": str, "true or false": bool, "whole number": int, "number": (int, float),
    "object": dict, "list": list, "null": type(None),
}  # fmt: skip


def _kind(value, what, at):
    """Whether a value is what the table says; a number that is not there is null."""
    words = what.removesuffix(", may be left out")
    whole = [word for word in KINDS if re.search(rf"\b{word}\b", words.partition(" of ")[0])]
    if ANY in words or (value is None and "number" in words):
        return
    if not any(isinstance(value, KINDS[word]) for word in whole) and value is not None:
        yield f"{at} is {value!r:.40}, and not {words}"
    if value is None and "null" not in words:
        yield f"{at} is null, and not {words}"


def judge(verb, told):
    """Fail if an object is of none of its verb's forms."""
    tried = [list(faults(told, form)) for form in (*forms()[verb], *forms()["any verb"])]
    if all(tried):
        best = min(tried, key=len)
        pytest.fail(f"{verb}: docs/formats.md does not say what it prints: {'; '.join(best)}")


def verb_of(arguments):
    """The verb of a command line; None if it has no table."""
    words = ["hil", *map(str, arguments)]
    return next((name for size in (3, 2) if (name := " ".join(words[:size])) in forms()), None)


# The program makes its verbs once; so does a worker, and not for each call of one.
typer.testing._get_command = cache(typer.testing._get_command)
_invoke = CliRunner.invoke


@wraps(_invoke)
def _judged(self, app, args=None, **options):
    result = _invoke(self, app, args, **options)
    if isinstance(args, list) and "--json" in args and (verb := verb_of(args)):
        lines = result.stdout.splitlines()
        if len(lines) == 1 and lines[0].startswith("{"):
            judge(verb, json.loads(lines[0]))
    return result


CliRunner.invoke = _judged

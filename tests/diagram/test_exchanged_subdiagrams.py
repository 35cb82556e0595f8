"""Sub-diagrams of a file in whose places the diagrams of other files are computed."""

from pathlib import Path

import pytest

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import check
from hil.diagram.file.read import read_text
from hil.diagram.run.diagram_use import DiagramUse, read_used_diagram, whole_of_parts
from hil.diagram.run.engine import Engine

OUTER = """
format = 1
base_s = 0.002
[block]
"level" = { kind = "In" }
"slow" = { kind = "RateTransition", rate = 5 }
"law" = { kind = "sub", of = "Law", rate = 5 }
"y" = { kind = "Out" }
"y_now" = { kind = "RateTransition" }
[wire]
"slow.u" = "level.y"
"law.level" = "slow.y"
"y_now.u" = "law.answer"
"y.u" = "y_now.y"
[sub.Law.block]
"level" = { kind = "In" }
"answer" = { kind = "Out" }
"twice" = { kind = "Gain", k = 2.0 }
[sub.Law.wire]
"twice.u" = "level.y"
"answer.u" = "twice.y"
"""
OTHER = """
format = 1
base_s = 0.01
[block]
"level" = { kind = "In" }
"answer" = { kind = "Out" }
"part" = { kind = "sub", of = "Law" }
[wire]
"part.u" = "level.y"
"answer.u" = "part.y"
[sub.Law.block]
"u" = { kind = "In" }
"y" = { kind = "Out" }
"less" = { kind = "Bias", bias = -3.0 }
[sub.Law.wire]
"less.u" = "u.y"
"y.u" = "less.y"
"""


def files(folder: Path, other: str = OTHER) -> tuple[Path, Path]:
    """Write both diagrams."""
    paths = folder / "outer.toml", folder / "other.toml"
    paths[0].write_text(OUTER)
    paths[1].write_text(other)
    return paths


def answer(text: str, path: Path, level: float) -> float:
    """Value of the output after a tick."""
    engine = Engine(check(read_text(text, path), {}))
    engine.set_input("level", level)
    engine.step()
    return float(engine.output("y")[0])


def exchanged(folder: Path, other: str) -> str:
    """Text of the outer diagram with another law in it."""
    outer, inner = files(folder, other)
    return whole_of_parts(OUTER, outer, {"Law": inner})


def test_other_diagram_is_computed_with_its_own_subdiagrams(tmp_path: Path) -> None:
    outer, _ = files(tmp_path)
    assert answer(OUTER, outer, 5.0) == 10.0
    whole = exchanged(tmp_path, OTHER)
    assert answer(whole, outer, 5.0) == 2.0
    assert read_text(whole, outer).libraries == ()
    assert {"Law", "Law_Law"} == set(read_text(whole, outer).subs)


def test_without_exchange_the_text_is_that_of_the_file(tmp_path: Path) -> None:
    outer, _ = files(tmp_path)
    assert whole_of_parts(OUTER, outer, {}) is OUTER


def test_input_that_the_other_does_not_need_is_left_unused(tmp_path: Path) -> None:
    blind = OTHER.replace('"level" = { kind = "In" }', '"level" = { kind = "Constant", value = 1 }')
    blind = blind.replace('"level" = {', '"own" = {').replace('"level.y"', '"own.y"')
    assert answer(exchanged(tmp_path, blind), tmp_path / "outer.toml", 5.0) == -2.0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("base_s = 0.01", "base_s = 0.02", "base_s = 0.02 s, and Law is computed every 0.01 s"),
        ('"answer" = {', '"result" = {', "it lacks the output answer"),
        ('"level" = {', '"height" = {', "its input height is none of Law, so nothing feeds it"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    word = old.split('"')[1] if '"' in old else ""
    other = OTHER.replace(old, new)
    if word:
        fresh = new.split('"')[1]
        other = other.replace(f'"{word}.', f'"{fresh}.')
    with pytest.raises(ConfigError, match=said):
        exchanged(tmp_path, other)


def test_unknown_subdiagram_is_named_with_the_nearest(tmp_path: Path) -> None:
    outer, inner = files(tmp_path)
    with pytest.raises(ConfigError, match=r"library\.Lew: no sub-diagram.*Law"):
        whole_of_parts(OUTER, outer, {"Lew": inner})


def test_scenario_names_the_other_beside_it_or_shipped(tmp_path: Path) -> None:
    files(tmp_path)
    use = DiagramUse.build({"file": "outer.toml", "library": {"Law": "other.toml"}}, "a scenario")
    used = read_used_diagram(use, tmp_path / "scenario.toml", "diagram", {})
    assert used.path == tmp_path / "outer.toml"
    assert answer(used.text, used.path, 5.0) == 2.0
    with pytest.raises(ConfigError, match=r"diagram\.library\.Law"):
        read_used_diagram(
            use.model_copy(update={"library": {"Law": "none.toml"}}),
            tmp_path / "scenario.toml", "diagram", {},
        )  # fmt: skip

"""The table of texts: whole, without collisions, ready for another language."""

import ast
import re
from pathlib import Path

import pytest

import hil.panel
from hil.panel.shell.texts import TEXTS, text, use_language, values_of

FOLDER = Path(hil.panel.__path__[0])


@pytest.fixture(autouse=True)
def english_afterwards():
    yield
    use_language({})


def test_keys_are_part_and_what():
    assert TEXTS
    for key in TEXTS:
        assert re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z0-9_]*)+", key), key


def test_values_are_filled_in():
    assert text("scene.title.platform", name="paper") == "Platform paper"
    with pytest.raises(KeyError):
        text("scene.title.platform", nme="paper")
    with pytest.raises(KeyError):
        text("scene.nowhere")


def test_another_language_replaces_what_it_has_and_goes_again():
    use_language({"scene.nothing": "Нет прогона"})
    assert text("scene.nothing") == "Нет прогона"
    assert text("scene.flat.top") == "top"
    use_language({})
    assert text("scene.nothing") == "No run"


def test_people_are_sent_to_a_menu_by_its_own_name():
    menu, entry = (text(key).replace("&", "") for key in ("window.bench", "window.benches"))
    assert f"{menu}, {entry.removesuffix(' …')}" in text("window.controls.none")


def test_a_table_with_an_unknown_key_changes_nothing():
    with pytest.raises(ValueError, match=r"scene\.nonsense"):
        use_language({"scene.nothing": "Нет", "scene.nonsense": "?"})
    assert text("scene.nothing") == "No run"


def test_a_table_with_other_values_in_braces_is_refused():
    with pytest.raises(ValueError, match=r"scene\.title\.platform.*\['nom'\].*\['name'\]"):
        use_language({"scene.title.platform": "Платформа {nom}"})
    assert text("scene.title.platform", name="p") == "Platform p"
    assert values_of("{a} of {b:.3f}, {{c}}") == {"a", "b"}


def calls():
    """Every call of `text` with a literal key: file, key, names of its values."""
    for path in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "text"
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                yield path.name, node.args[0].value, {keyword.arg for keyword in node.keywords}


def test_every_text_that_is_asked_for_is_there_with_its_values():
    found = list(calls())
    assert len(found) > 5
    for place, key, given in found:
        assert key in TEXTS, f"{place}: {key}"
        if None not in given:  # without **values
            assert values_of(TEXTS[key]) <= given, f"{place}: {key}"

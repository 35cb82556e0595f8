"""Files that something has broken: refused as such, or a diagram that runs; never anything else."""

import random
import re

import pytest
from campaign import count
from random_diagrams import drawn_file

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import load
from hil.diagram.file.write import text_of
from hil.diagram.run.engine import Engine
from hil.diagram.run.fault import NonFiniteError

VALUES = (
    "true", "-1", "0", "1e300", "1e999", "nan", "-inf", '"$k"', '"$"', "[]", "[[]]", "[1, [2]]",
    "{}", '"__import__"', '"?a"', "9999999999999999999", '""', '"sub"', '"In"', '"N*m"', "0.5",
    "[1, 2, 3]", '"\\u0000"', "1979-05-27", "[true]", "3",
)  # fmt: skip
VALUE = re.compile(r'(?<== )(?:"[^"\n]*"|[-\w.+]+)')
WORD = re.compile(r"[A-Za-z_]\w*")


def broken(draw, text):
    """The text with one to three faults: a value, a word, a line, a character."""
    for _ in range(draw.randint(1, 3)):
        way = draw.randrange(5)
        if way == 0 and (found := list(VALUE.finditer(text))):
            one = draw.choice(found)
            text = text[: one.start()] + draw.choice(VALUES) + text[one.end() :]
        elif way == 1 and (found := list(WORD.finditer(text))):
            one, other = draw.choice(found), draw.choice(found)
            text = text[: one.start()] + other[0] + text[one.end() :]
        elif way == 2:
            lines = text.splitlines()
            del lines[draw.randrange(len(lines))]
            text = "\n".join(lines)
        elif way == 3:
            lines = text.splitlines()
            one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
            text = "\n".join(lines)
        else:
            at = draw.randrange(len(text))
            text = text[:at] + draw.choice('\0"{}[]=.$?#x9 é\n') + text[at + draw.randint(0, 1) :]
    return text


def small_texts():
    """Texts of forty small diagrams."""
    found = []
    for seed in range(400):
        if len(text := text_of(drawn_file(seed))) < 6000:
            found.append(text)
        if len(found) == 40:
            break
    return found


@pytest.mark.campaign
def test_a_broken_file_is_refused_or_runs(tmp_path):
    path, refusals, small = tmp_path / "d.toml", [], small_texts()
    trials = count(20_000, 300)
    for seed in range(trials):
        draw = random.Random(seed)
        text = broken(draw, draw.choice(small))
        path.write_text(text, encoding="utf-8")
        try:
            engine = Engine(load(path))
            for _ in range(3):
                engine.step()
        except ConfigError as error:
            refusals.append(str(error))
        except NonFiniteError:
            pass
        except Exception as error:
            pytest.fail(f"seed {seed}: {type(error).__name__}: {error}")
    assert len(refusals) > trials // 2
    assert all(one.startswith(str(path)) and len(one) < 20_000 for one in refusals)

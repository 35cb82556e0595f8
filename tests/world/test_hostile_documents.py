"""Documents damaged at random: each is read, or refused with its place; nothing else comes of it.

Words are taken away, doubled, or replaced by numbers of every size, by brackets, quotes and signs.
"""

import random
import re
from functools import partial
from pathlib import Path

import pytest
from campaign import count
from mesh_bodies import QUADS, files_of

from sim.world.mjcf.mjcf_reader import read_mjcf
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.text import read_text
from sim.world.robots.urdf_reader import read_urdf
from sim.world.scenes.scene_reader import read_scene

pytestmark = pytest.mark.campaign
ROOT = Path(__file__).parents[2]
READERS = {
    "text": (read_text, "configs/world/robots/*.txt"),
    "toml": (read_toml, "configs/world/robots/[dfrmw]*.toml"),
    "scene": (read_scene, "configs/world/scenes/*.toml"),
    "urdf": (read_urdf, "tests/world/urdf/*.urdf"),
    "mjcf": (partial(read_mjcf, files=files_of(meshes__cover_obj=QUADS)), "tests/world/mjcf/*.*"),
}
WORDS = re.compile(r'-?[\d.]+(?:e-?\d+)?|"[^"\n]*"|\b\w+\b')
RUBBISH = (
    "nan", "inf", "-1", "0", "1e308", "1e-320", "-0.0", '""', '"x"', "[]", "{}", "true", "hinge",
    "ball", "2", "3", "(", "[", ",", "1e400", "99999999999999999999", "é", "\x00", "\n", "<", ">",
    "&", "1", "7", "-1e9", "[[1,2],[3]]", "end", "free",
)  # fmt: skip


def damaged(text, rng):
    """One to three places of a text made worse."""
    for _ in range(rng.randint(1, 3)):
        lines = text.split("\n")
        match rng.randrange(4):
            case 0 if found := list(WORDS.finditer(text)):
                word = rng.choice(found)
                text = text[: word.start()] + rng.choice(RUBBISH) + text[word.end() :]
            case 1:
                lines.insert(rng.randrange(len(lines)), rng.choice(lines))
                text = "\n".join(lines)
            case 2:
                del lines[rng.randrange(len(lines))]
                text = "\n".join(lines)
            case _:
                at = rng.randrange(len(text) + 1)
                text = text[:at] + rng.choice(RUBBISH) + text[at:]
    return text


@pytest.mark.parametrize("kind", READERS)
def test_a_damaged_document_is_read_or_refused_with_its_place(kind):
    read, pattern = READERS[kind]
    originals = [path.read_text("utf-8") for path in sorted(ROOT.glob(pattern))]
    assert originals
    rng, refusals = random.Random(kind), list[str]()
    for _ in range(trials := count(20_000, least=200)):
        text = damaged(rng.choice(originals), rng)
        try:
            read(text, "damaged")
        except RobotDocumentError as error:
            refusals.append(str(error))
    assert [one for one in refusals if not re.match(r"damaged:\d+:\d+: ", one)] == []
    assert 0.2 * trials < len(refusals) < trials


def test_numbers_beyond_all_bounds_are_no_inertia():
    text = (ROOT / "tests/world/urdf/arm_ros.urdf").read_text("utf-8")
    text = text.replace('ixx="0.09"', 'ixx="1e308"', 1)
    with pytest.raises(RobotDocumentError, match=r"a\.urdf:\d+:\d+: 1e308: .* up to 1e\+12"):
        read_urdf(text, "a.urdf")


def test_a_joint_whose_parent_has_no_name_is_refused():
    text = (ROOT / "tests/world/urdf/arm_ros.urdf").read_text("utf-8")
    text = text.replace('<parent link="link_5"/>', '<parent link=""/>')
    with pytest.raises(RobotDocumentError, match=r"a\.urdf:\d+:\d+: .*no such link"):
        read_urdf(text, "a.urdf")

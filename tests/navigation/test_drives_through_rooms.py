"""Navigators of MF-4 drive through rooms of the engine; its contacts are the judge."""

import math

import pytest
from driven import CLEAN, Driven
from rooms import CLOSED, DIRECTED, Drive, box, drawn

HELD_OUT = range(1000, 1012)
"""Seeds on which no number of a law was chosen."""
UNSOLVED_BY_FUZZY = {*CLOSED, "U-trap", "U-trap from inside"}


@pytest.mark.parametrize("case", DIRECTED)
def test_the_corrected_law_decides_what_the_published_one_does_not(case):
    outcome = Driven("mf4_drive_robust", DIRECTED[case], seed=1).run()
    assert outcome.contacts == 0, outcome
    if case in CLOSED:
        assert outcome.end == "blocked"
        assert outcome.time_s <= 120.0
    else:
        assert outcome.end == "arrived", outcome


@pytest.mark.parametrize("seed", HELD_OUT)
def test_the_corrected_law_arrives_without_contact_in_drawn_rooms(seed):
    outcome = Driven("mf4_drive_robust", drawn(seed), seed).run()
    assert outcome.clean, outcome


@pytest.mark.parametrize("case", sorted({*DIRECTED} - UNSOLVED_BY_FUZZY)[:4])
def test_fuzzy_rules_drive_round_what_stands_alone(case):
    outcome = Driven("mf4_drive_fuzzy", DIRECTED[case], seed=1).run()
    assert outcome.clean, outcome


def test_the_published_law_arrives_in_an_empty_room_and_pushes_against_a_wall():
    free = Driven("mf4_drive_classic", Drive((), (-2.0, 0.0, 2.0), (2.0, 0.5, -1.0)), 3).run(60.0)
    assert free.clean, free
    wall = Driven("mf4_drive_classic", DIRECTED["3 m wall"], seed=1).run(20.0)
    assert (wall.end, wall.contacts > 100) == ("time", True)


def test_every_touch_of_the_robot_is_seen():
    """Blind beams in front of a box: the robot drives into it, at the place where its front is."""
    driven = Driven("mf4_drive_robust", Drive((box(0.0, 0.0, 0.4, 2.0),), (-1.5, 0.0, 0.0),
                                              (1.5, 0.0, 0.0)), noise=CLEAN)  # fmt: skip
    engine = driven.engine
    given = engine.set_input
    engine.set_input = lambda name, value: given(
        name, [False] * 5 if name.endswith("_seen") else value
    )
    outcome = driven.run(4.0)
    assert outcome.contacts > 0
    x, *_ = driven.pose()
    assert x == pytest.approx(-0.2 - 0.3, abs=0.15)


def test_a_person_drives_by_sliders_and_the_diagram_says_that_the_goal_is_reached():
    driven = Driven("mf4_drive_manual", Drive((), (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)), noise=CLEAN)
    engine = driven.engine
    engine.set_parameters({("drive/ahead/value", "value"): 0.8})
    for name, value in {"enable": True, "goal": (1.0, 0.0, 0.12), "direction": (1.0, 0.0, 0.0)
                        }.items():  # fmt: skip
        engine.set_input(name, value)
    while driven.pose()[0] < 0.97:
        driven.tick()
        assert not engine.output("arrived")[0]
    engine.set_parameters({("drive/ahead/value", "value"): 0.0})
    for _ in range(50):
        driven.tick()
    assert engine.output("arrived")[0]
    assert driven.pose()[0] == pytest.approx(1.0, abs=0.1)
    engine.set_input("enable", False)
    driven.tick()
    assert not engine.output("U").any()


def test_a_new_goal_starts_a_drive_anew():
    driven = Driven("mf4_drive_robust", Drive((), (-1.0, 0.0, 0.0), (1.0, 0.0, 1.0)), 4)
    assert driven.run(60.0).clean
    driven.engine.set_input("enable", False)
    driven.tick()
    assert driven.engine.output("mode")[0] == 1.0
    driven.drive = Drive((), (0.0, 0.0, 0.0), (-1.0, 1.0, -2.0))
    assert driven.run(driven.world.time_s + 60.0).clean
    assert math.dist(driven.pose()[:2], (-1.0, 1.0)) < 0.1

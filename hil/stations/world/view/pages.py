"""Pages of a run in the panel: that of its diagram, and what its goal asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hil.diagram.run.panel_page import pages as pages_of_diagram
from hil.run.pages import Page, PageText
from hil.stations.world.plan.goal import Goal, PlaceGoal, SignalGoal


def pages(table: Mapping[str, Any]) -> tuple[Page, ...]:
    """Make the pages of a run's header; none without a diagram's panel blocks and a goal.

    Raises:
        ValueError: if the goal or the diagram in it cannot be read.
    """
    return (*pages_of_diagram(table), *goal_pages(table))


def goal_pages(table: Mapping[str, Any]) -> tuple[Page, ...]:
    """Make the page of a goal; none without one."""
    scenario = table.get("scenario", {})
    known = scenario.get("goal") if isinstance(scenario, Mapping) else None
    if not known:
        return ()
    lines = tuple(PageText(words=words) for words in goal_words(Goal.build(known, "goal")))
    head = PageText(words="All of this must be true of the rows; it is judged when the run ends:")
    return (Page(title="Goal", widgets=(head, *lines)),) if lines else ()


def goal_words(goal: Goal) -> Iterator[str]:
    """Parts of a goal in words, a line each."""
    if goal.no_contact:
        yield "no contact begins"
    yield from map(_signal_words, goal.signal)
    yield from map(_place_words, goal.place)
    if goal.joints is not None:
        errors = {"deg": goal.joints.within_deg, "mm": goal.joints.within_mm}
        bounds = " and ".join(f"{most:g} {unit}" for unit, most in errors.items() if most)
        yield f"joints at the end: within {bounds or 'any error'}"
    if goal.path is not None:
        yield f"path of the tool: within {goal.path.within_mm:g} mm of a straight line"


def _signal_words(one: SignalGoal) -> str:
    name = f"{one.signal} {one.part or '(its length)'}"
    least = "" if one.least is None else f"at least {one.least:g}"
    most = "" if one.most is None else f"at most {one.most:g}"
    bounds = " and ".join(words for words in (least, most) if words)
    end = "the end" if one.to_s is None else f"{one.to_s:g} s"
    return f"{name}: {bounds}, from {one.from_s:g} s to {end}"


def _place_words(one: PlaceGoal) -> str:
    wanted = {"x": one.x_m, "y": one.y_m, "z": one.z_m}
    places = ", ".join(f"{axis} {value:g} m" for axis, value in wanted.items() if value is not None)
    return f"{one.of} at the end: {places}, within {one.within_mm:g} mm"

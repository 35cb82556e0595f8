"""Tasks, ours and those of others: found by the entry points ``hil.tasks``."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Final

from hil.config.offered_settings import OfferedSettings, settings_fault
from hil.config.offers import Offer, offer_named, offers
from hil.stations.task.plan.task import GROUP, Task


def installed_tasks() -> tuple[Offer, ...]:
    """Return all tasks by name; those that cannot be used have the reason."""
    return offers(GROUP, _not_a_task)


def task_named(name: str) -> Task:
    """Return a task whose settings were accepted before."""
    offer = offer_named(GROUP, name, _not_a_task)
    if offer is None or offer.broken:
        raise KeyError(name)
    return offer.value


def _not_a_task(entry: EntryPoint, task: object) -> str:
    if not isinstance(task, Task):
        return f"{entry.value} is a {type(task).__name__}; it must be a {Task.__module__}.Task"
    return settings_fault(entry, task.settings)


ANY_TASK: Final = OfferedSettings(GROUP, _not_a_task, "task")
"""Mark of the field of a task's settings."""

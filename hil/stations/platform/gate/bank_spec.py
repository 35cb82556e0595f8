"""Which drive bank the gate's process shall build, as data that fits on one line of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from drives.axes.known_place import KnownPlace
from drives.axes.scaling import LegScale
from drives.bank import DriveModelError


@dataclass(frozen=True, slots=True)
class BankSpec:
    """A bank to be built.

    Raises:
        DriveModelError: on a number of scales that fits no bank.
    """

    url: str
    """Where its drives are; its scheme says whose bank it is."""
    name: str
    """Name of the bank, for the record of a run."""
    period_s: float
    """Bus cycle [s]."""
    scales: tuple[LegScale, ...] = ()
    """Scales of the six legs; empty for `sim:`, which has no counts, and for banks of others."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What else it needs; numbers, texts, lists and mappings only."""

    def __post_init__(self) -> None:
        needed = 0 if self.scheme == "sim" or self.of_others else 6
        if len(self.scales) != needed:
            text = f"{len(self.scales)} scales for a bank at {self.url}"
            raise DriveModelError(f"{text}: {needed} are needed")

    @property
    def scheme(self) -> str:
        """Scheme of the URL."""
        return self.url.partition(":")[0]

    @property
    def of_others(self) -> bool:
        """Whether another distribution makes it."""
        return "order" in self.settings

    def to_json(self) -> dict[str, Any]:
        """The same as a mapping that JSON can hold."""
        return {
            "url": self.url,
            "name": self.name,
            "period_s": self.period_s,
            "scales": [
                [s.counts_per_m, s.sign, s.reference_length_m, s.reference_count]
                for s in self.scales
            ],
            "settings": dict(self.settings),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BankSpec:
        """Return what `to_json` was made of.

        Raises:
            DriveModelError: if it makes no bank.
            KeyError: if a part is missing.
        """
        scales = tuple(
            LegScale(float(per_m), int(sign), float(length_m), reference_count=int(count))
            for per_m, sign, length_m, count in data["scales"]
        )
        return cls(data["url"], data["name"], data["period_s"], scales, data["settings"])


def place_of(spec: BankSpec) -> KnownPlace | None:
    """Return where legs with absolute encoders must stand; None for others."""
    known = spec.settings.get("place")
    return None if known is None else KnownPlace.from_json(known)

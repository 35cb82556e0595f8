"""What `hil drives` prints with ``--json``: one object each, its keys and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from hil.run.end import ConclusionSummary

if TYPE_CHECKING:
    from drives.canopen.needs import Need
    from drives.contract.trial import Promise
    from hil.machines.rig.drive_file import DriveHeader
    from hil.stations.platform.drives.leg_test import LegTest
    from hil.stations.platform.drives.reference import LegReference
    from hil.stations.platform.drives.watchdog_proof import WatchdogProof


class NodeSummary(TypedDict):
    """A CANopen node that answers."""

    node: int
    """Its id."""
    name: str
    """1008h."""
    vendor: int
    """1018h:1."""
    product: int
    """1018h:2."""
    serial: int
    """1018h:4."""
    doubled: bool
    """Perhaps two nodes have this id."""
    modes: list[str]
    """That it knows (6502h)."""
    errors: list[str]
    """That it remembers (1003h), such as `8611h`."""


class LinkSummary(TypedDict):
    """What was found on one link."""

    url: str
    """The link."""
    gateway: tuple[str, ...]
    """Vendor, product code and revision of a Modbus device; empty for CAN."""
    nodes: list[NodeSummary]
    """CANopen nodes that answered."""


class ScanSummary(TypedDict):
    """Who is on a link."""

    ok: bool
    """Somebody is."""
    links: list[LinkSummary]
    """A link each."""


class FaultsSummary(TypedDict):
    """What drives remember."""

    ok: bool
    """None has an error."""
    faults: dict[str, list[str]]
    """By the node's number: its codes, such as `8611h`."""


class CheckTypeSummary(TypedDict):
    """A type of drive held against what the bench needs."""

    ok: bool
    """The bench can work with it."""
    drive: DriveHeader
    """Whose type it is."""
    needs: list[Need]
    """What the bench needs."""


class CheckBankSummary(TypedDict):
    """The promises of a bank of drives."""

    ok: bool
    """All are kept."""
    url: str
    """Of the bank."""
    promises: list[Promise]
    """In the order in which they were tried."""


class HomeSummary(ConclusionSummary):
    """How homing went."""

    outcome: str
    """As of a run."""
    reason: str
    """As of a run."""
    homed: list[int]
    """Legs that know where they are, 1 to 6."""
    powered: list[str]
    """As of a run."""


class LegTestSummary(TypedDict):
    """The slow test move, and the silence after it."""

    ok: bool
    """All was passed, and somebody vouches."""
    reason: str
    """Why not; empty if so."""
    legs: list[LegTest]
    """What each leg did."""
    watchdog: WatchdogProof | None
    """When each drive stopped by itself; null where there is no wire to cut."""
    powered: list[str]
    """Drives that did not prove to be off at the end; empty if all did."""
    witness: str
    """Who watched; empty if nobody."""
    lacking: list[str]
    """What still keeps the rig from moving fast."""
    certificate: str | None
    """The file that proves it; null if none was written."""
    recording: str
    """Of the test move."""


class ReferenceSummary(TypedDict):
    """What was measured of a rig."""

    ok: bool
    """Whether each drive proved to be off when the bus was left."""
    reference: str
    """The file that keeps it."""
    legs: list[LegReference | None]
    """Legs 1 to 6; null for one that was not measured."""
    powered: list[str]
    """Drives that did not prove to be off when the bus was left; empty if all did, and where none
    was asked."""

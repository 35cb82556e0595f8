"""Output of `hil drives` with ``--json``: one object each, with keys and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from hil.run.end import ConclusionSummary

if TYPE_CHECKING:
    from drives.canopen.needs import Need
    from drives.contract.trial import Promise
    from hil.machines.rig.drive_file import DriveHeader
    from hil.machines.rig.drive_reference import LegReference
    from hil.stations.platform.drives.leg_test import LegTest
    from hil.stations.platform.drives.watchdog_proof import WatchdogProof


class NodeSummary(TypedDict):
    """CANopen node that answers."""

    node: int
    """Node id."""
    name: str
    """Device name (1008h)."""
    vendor: int
    """Vendor id (1018h:1)."""
    product: int
    """Product code (1018h:2)."""
    serial: int
    """Serial number (1018h:4)."""
    doubled: bool
    """Two nodes may have this id."""
    modes: list[str]
    """Modes that it supports (6502h)."""
    errors: list[str]
    """Errors in its history (1003h), such as `8611h`."""


class LinkSummary(TypedDict):
    """Devices found on one link."""

    url: str
    """URL of the link."""
    gateway: tuple[str, ...]
    """Vendor, product code and revision of a Modbus device; empty for CAN."""
    nodes: list[NodeSummary]
    """CANopen nodes that answered."""


class ScanSummary(TypedDict):
    """Devices on links."""

    ok: bool
    """A device answered."""
    links: list[LinkSummary]
    """Results, a link each."""


class FaultsSummary(TypedDict):
    """Error histories of drives."""

    ok: bool
    """No drive has an error."""
    faults: dict[str, list[str]]
    """Codes such as `8611h`, by the node's number."""


class CheckTypeSummary(TypedDict):
    """Comparison of a type of drive with what the bench needs."""

    ok: bool
    """The bench can work with it."""
    drive: DriveHeader
    """Drive of the type."""
    needs: list[Need]
    """Needs of the bench, and whether the type has them."""


class CheckBankSummary(TypedDict):
    """Promises of a bank of drives."""

    ok: bool
    """All are kept."""
    url: str
    """URL of the bank."""
    promises: list[Promise]
    """Promises in the order in which they were tried."""


class HomeSummary(ConclusionSummary):
    """Result of homing."""

    outcome: str
    """Outcome, as of a run."""
    reason: str
    """Reason, as of a run."""
    homed: list[int]
    """Legs whose position is known, 1 to 6."""
    powered: list[str]
    """Drives that did not prove to be off, as of a run."""


class LegTestSummary(TypedDict):
    """Slow test move, and the silence after it."""

    ok: bool
    """All was passed, and a person vouches."""
    reason: str
    """Reason why not; empty if all was."""
    legs: list[LegTest]
    """Result of each leg."""
    watchdog: WatchdogProof | None
    """Stopping times of the drives without frames; null where there is no wire to cut."""
    powered: list[str]
    """Drives that did not prove to be off at the end; empty if all did."""
    witness: str
    """Person who watched; empty if nobody."""
    lacking: list[str]
    """Missing proofs that keep the rig from moving fast."""
    certificate: str | None
    """Path of the certificate; null if none was written."""
    recording: str
    """Path of the test move's recording."""


class ReferenceSummary(TypedDict):
    """Measurements of a rig."""

    ok: bool
    """Whether each drive proved to be off when the bus was left."""
    reference: str
    """Path of the file that keeps them."""
    legs: list[LegReference | None]
    """Legs 1 to 6; null for one that was not measured."""
    powered: list[str]
    """Drives that did not prove to be off when the bus was left; empty if all did, and where none
    was asked."""

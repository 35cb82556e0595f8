"""Reading and writing the objects of one drive during its setup, with leg and node in every error.

Every value is read back after it was written, because a drive may round, clamp or forget it.
"""

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.bank import DriveSetupError
from drives.canopen.objects import Parameter
from drives.canopen.service import ServiceNode
from drives.types.drive_type import DriveType, place_text

RANGE = (0x06090030, 0x06090031, 0x06090032)
"""Abort codes of CiA 301: value out of range, too high, too low."""
ABSENT = (0x06020000, 0x06090011)
"""Abort codes of CiA 301: object, or sub-index, does not exist."""


class NodeAccess:
    """The objects of one drive.

    Args:
        leg: Index of the leg, from 0.
        type_: What its type has.
    """

    def __init__(self, node: ServiceNode, leg: int, type_: DriveType) -> None:
        self.node: ServiceNode = node
        self.type: DriveType = type_
        self.where: str = f"leg {leg + 1} (node {node.number})"
        self._places: dict[str, str] = {}
        """Objects that were written, and what the standard defines there."""
        self.lacking: list[str] = []
        """Parts that the drive lacks, and what replaces them, in words."""
        self.differing: list[str] = []
        """Values that differ from the requested ones on the safe side, in words."""

    def refuse(self, text: str) -> DriveSetupError:
        """Return the error of a drive that is refused."""
        return DriveSetupError(f"{self.where}: {text}")

    def bytes_of(self, index: int, sub: int = 0) -> bytes | None:
        """Return the bytes of an object; None if the drive does not have it.

        Raises:
            DriveSetupError: If it refuses for another reason, or does not answer.
        """
        if not self.type.has(index, sub):
            return None
        try:
            return self.node.read(*self.type.place(index, sub))
        except SdoAbortedError as error:
            if error.code in ABSENT:
                return None
            raise self.refuse(f"{place_text(index, sub)}: {error}") from error
        except SdoCommunicationError as error:
            raise self.refuse(f"{place_text(index, sub)}: {error}") from error

    def number(self, index: int, sub: int = 0) -> int | None:
        """Return the value of an object as an unsigned number; None if the drive lacks it."""
        raw = self.bytes_of(index, sub)
        return None if raw is None else int.from_bytes(raw[:4], "little")

    def needed(self, index: int, sub: int = 0) -> int:
        """Return the value of an object that every drive must have.

        Raises:
            DriveSetupError: If the drive does not have it.
        """
        found = self.number(index, sub)
        if found is None:
            raise self.refuse(f"it has no {place_text(index, sub)}, which the bench needs")
        return found

    def write(self, parameter: Parameter) -> int | None:
        """Write a value and read it back.

        Returns:
            Value that the drive holds now; None if it lacks the object, and something replaces it.

        Raises:
            DriveSetupError: If the drive lacks it and nothing replaces it, or if it holds another
                value that is not on the safe side.
        """
        wanted = parameter.for_type(self.type)
        if not self.type.has(parameter.index, parameter.sub):
            return self._stand_in(parameter, declared=True)
        other = self._places.setdefault(wanted.place, parameter.place)
        if other != parameter.place:
            raise self.refuse(
                f"its drive file has {wanted.place} in place of {parameter.place} and of {other} "
                "([objects.instead]): one of them is wrong"
            )
        held, refusal = self._try(wanted)
        if held is None:
            return self._stand_in(parameter, declared=False)
        what = f"{wanted.meaning} ({wanted.place})"
        if not wanted.takes(held):
            why = "" if refusal is None else f" is refused ({refusal})"
            raise self.refuse(
                f"{what} was written as {_both(wanted.value)}{why} and reads back as {_both(held)}"
                f"{_remedy(wanted, refusal)}"
            )
        if held != parameter.value:
            why = f" ({wanted.why})" if wanted.why else ""
            self.differing.append(f"{what} {held} for {parameter.value}{why}")
        return held

    def holds(self, index: int, sub: int, kind: str, value: int) -> bool:
        """Write a value; return whether the drive holds it now. A refusal is not an error."""
        held, _ = self._try(Parameter(index, sub, kind, value, "setting"))
        return held == value

    def try_write(self, parameter: Parameter) -> int | None:
        """Write a value; return the value then held, None if the drive lacks the object."""
        return self._try(parameter.for_type(self.type))[0]

    def _try(self, wanted: Parameter) -> tuple[int | None, SdoAbortedError | None]:
        """Write a value or an acceptable substitute; return the value then held, and a refusal."""
        refusal: SdoAbortedError | None = None
        try:
            for value in (wanted.value, *wanted.others):
                try:
                    self.node.write(wanted.index, wanted.sub, wanted.with_value(value).encode())
                except SdoAbortedError as error:
                    if error.code in ABSENT:
                        return None, None
                    refusal = error
                else:
                    refusal = None
                    break
            return wanted.decode(self.node.read(wanted.index, wanted.sub)), refusal
        except SdoAbortedError as error:
            if error.code in ABSENT and refusal is None:
                return None, None
            text = f"{wanted.meaning} ({wanted.place}) of {wanted.value} is refused"
            raise self.refuse(f"{text}: {refusal or error}") from error
        except SdoCommunicationError as error:
            raise self.refuse(f"{wanted.meaning} ({wanted.place}): {error}") from error
        except DriveSetupError as error:
            raise self.refuse(str(error)) from error

    def _stand_in(self, parameter: Parameter, *, declared: bool) -> None:
        what = f"{parameter.meaning} ({parameter.place})"
        if not parameter.stand_in:
            raise self.refuse(f"it has no {what}, and nothing stands in for it")
        if parameter.by_gate and not declared:
            raise self.refuse(
                f"it has no {what}; {parameter.stand_in} can stand in, once a drive file says that "
                f'it lacks "{parameter.place}" (drives.type, docs/commissioning.md)'
            )
        self.lacking.append(f"{what}: {parameter.stand_in}")


def _remedy(wanted: Parameter, refusal: SdoAbortedError | None) -> str:
    """Return how to use a drive that accepts less, where less is on the safe side."""
    if refusal is None or refusal.code not in RANGE or not (wanted.less or wanted.more):
        return ""
    return (
        "; if it takes a narrower range, its drive file says so: [objects.ranges] "
        f'"{wanted.place}" = [smallest, largest]'
    )


def _both(value: int) -> str:
    return f"{value} (0x{value & 0xFFFFFFFF:X})"

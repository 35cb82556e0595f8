"""What the arms' gate refused, read back from its words, for recordings that have words only."""

import re
from typing import Final

from safety.arm_limits import ArmCheck

Data = dict[str, str | float | None]

_NUMBER: Final = r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)"
_UNIT: Final = r"(?: (?P<unit>(?:rad|m)(?:/s(?:\^2)?)?|1))?"
_TOLD: Final = ("start", "refused", "gate self-check")
_PLACE: Final = re.compile(r"(?P<arm>[^:,]+?)(?:, (?P<joint>[^:,]+))?: (?P<rest>.*)", re.DOTALL)
_FORMS: Final[tuple[tuple[re.Pattern[str], ArmCheck | None], ...]] = tuple(
    (re.compile(form, re.DOTALL), check)
    for form, check in (
        (rf"(?P<what>.*?) (?P<value>{_NUMBER}){_UNIT} is not finite", ArmCheck.FINITE),
        (
            rf"distance to (?P<what>.*?) (?P<value>{_NUMBER}){_UNIT}, "
            rf"less than (?P<limit>{_NUMBER})(?: .*)?",
            ArmCheck.MARGIN,
        ),
        (
            rf"(?P<what>.*?) are (?P<value>{_NUMBER}){_UNIT} apart, "
            rf"less than (?P<limit>{_NUMBER})(?: .*)?",
            ArmCheck.CLEARANCE,
        ),
        (rf"(?P<what>.+?) (?P<value>{_NUMBER}), need (?P<limit>{_NUMBER})(?: .*)?", None),
        (
            rf"(?P<what>.+?) (?P<value>{_NUMBER}){_UNIT} outside "
            rf"\[(?P<low>{_NUMBER}), (?P<limit>{_NUMBER})\].*",
            None,
        ),
        (
            rf"(?P<what>.+?) (?P<value>{_NUMBER}){_UNIT}, more than (?P<limit>{_NUMBER})(?: .*)?",
            None,
        ),
    )
)
_BY_WORDS: Final = {check.value: check for check in ArmCheck}


def arm_data(message: str) -> Data | None:
    """Check, arm, joint, value, low, limit and unit of a refusal.

    Args:
        message: as `safety.arm_limits.ArmViolation.message` makes it.

    Returns:
        The same keys as `ArmViolation.data` has, without the note; None if it is none of these.
    """
    if (told := _told(message, "", "")) is not None:
        return told
    place = _PLACE.fullmatch(message)
    if place is None:
        return _measured(message, "", "")
    arm, joint, rest = place["arm"], place["joint"] or "", place["rest"]
    return _told(rest, arm, joint) or _measured(rest, arm, joint)


def _told(words: str, arm: str, joint: str) -> Data | None:
    what, colon, _ = words.partition(":")
    if not colon or what not in _TOLD:
        return None
    return _data(_BY_WORDS[what], arm, joint)


def _measured(words: str, arm: str, joint: str) -> Data | None:
    for form, fixed in _FORMS:
        found = form.fullmatch(words)
        if found is None:
            continue
        parts = found.groupdict()
        check = fixed or _BY_WORDS.get(parts["what"])
        if check is None:
            continue
        numbers = {key: parts.get(key) for key in ("value", "limit", "low")}
        data = _data(check, arm, joint)
        data.update({key: None if text is None else float(text) for key, text in numbers.items()})
        data["unit"] = parts.get("unit") or ""
        return data
    return None


def _data(check: ArmCheck, arm: str, joint: str) -> Data:
    return {
        "check": check.name, "arm": arm, "joint": joint,
        "value": None, "limit": None, "low": None, "unit": "",
    }  # fmt: skip

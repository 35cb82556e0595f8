"""Errors of the link to the industrial arm."""


class ArmLinkError(Exception):
    """The link cannot do what was asked; the text names place, value, limit and what is right."""


class ArmLinkUrlError(ArmLinkError, ValueError):
    """A link that is written wrongly; the text names the URL, the place and the right form."""


class ArmLinkLostError(ArmLinkError):
    """The port is gone; it stays lost until a new start."""


class StartRefusedError(ArmLinkError):
    """A stream that may not start; the text says why, and nothing was sent."""


class WaypointRefusedError(ArmLinkError, ValueError):
    """A waypoint beyond a limit; it was not sent."""

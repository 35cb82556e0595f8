"""What a reader must know of a recording before trusting the rest, whichever station it is of."""

from collections.abc import Iterator

from hil.recording.reader import Recording

MOST_LOSSES = 20


def recording_notes(recording: Recording) -> Iterator[str]:
    """Sentences about what is damaged, lost or divided; none for a recording that is whole."""
    losses = recording.losses
    damaged = sum(loss.damaged for loss in losses)
    if damaged:
        missing = [loss.cycles for loss in losses if loss.damaged]
        count = sum(cycles or 0 for cycles in missing)
        more = " and perhaps more" if None in missing else ""
        times = "once" if damaged == 1 else f"{damaged} times"
        yield f"The file is damaged {times}; {count} cycles{more} are missing by that."
    for loss in losses[:MOST_LOSSES]:
        yield str(loss)
    if len(losses) > MOST_LOSSES:
        yield f"… and {len(losses) - MOST_LOSSES} more."
    if len(recording.parts) > 1:
        names = ", ".join(part.name for part in recording.parts[1:])
        yield (
            f"The recorder ended {len(recording.parts) - 1} times during the run and was begun "
            f"anew: {names} go on where the file before ends."
        )
    if recording.truncated:
        yield "The file was not finished properly; up to its last complete chunk all is here."

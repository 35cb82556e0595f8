"""Judges how a figure is laid out, from where matplotlib draws its parts."""

from itertools import combinations

from matplotlib.figure import Figure

SLACK_IN = 0.15
"""Half a line of small letters."""


def faults_of(figure):
    """Sentences: what is cut off, lies over another, or leaves too much of the picture empty."""
    figure.canvas.draw()
    slack = SLACK_IN * figure.dpi
    whole, shown = figure.bbox, [axes for axes in figure.axes if axes.get_visible()]
    boxes = [axes.get_tightbbox() for axes in shown]
    yield from (
        f"panel {number}: {box} is cut off by {whole}"
        for number, box in enumerate(boxes)
        if min(box.x0, box.y0, whole.x1 - box.x1, whole.y1 - box.y1) < -slack
    )
    for (one, box), (other, beside) in combinations(enumerate(boxes), 2):
        same = shown[one].get_position().bounds == shown[other].get_position().bounds  # twins
        if not same and _common(box, beside) > slack:
            yield f"panel {one} and panel {other} lie over each other"
    areas = {axes.get_position().bounds: axes.bbox.width * axes.bbox.height for axes in shown}
    share = sum(areas.values()) / (whole.width * whole.height)
    if share < 0.4:
        yield f"panels fill {share:.0%} of the picture"


def _common(one, other):
    """Smaller side of what two boxes have in common [pixels]; 0 and less if they have nothing."""
    return min(
        min(one.x1, other.x1) - max(one.x0, other.x0), min(one.y1, other.y1) - max(one.y0, other.y0)
    )


def watch_figures(monkeypatch):
    """Figures that are saved from now on, with their faults."""
    seen, save = [], Figure.savefig

    def judged(figure, *args, **kwargs):
        seen.append((figure, list(faults_of(figure))))
        return save(figure, *args, **kwargs)

    monkeypatch.setattr(Figure, "savefig", judged)
    return seen

"""Pictures of the papers: they can be drawn, no words are cut off, no legend stands on a line."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot as plt

from slipstick.papers import NAMES, entries

# what takes seconds to compute is looked at by make test-long
SLOW = {
    "tensioner": {"8", "9", "10", "13", "16", "17", "18", "19", "20", "21b", "21c"},
    "gear": {"levels", "convergence", "rattle"},
    "fibre": {"7", "13", "14", "15", "16", "mount", "mount-push"},
    "clutch": {"6", "6-consistent", "7", "7-consistent", "8", "table 2"},
    "torsional": {"2", "3", "4a", "4b", "den-hartog", "zeta"},
}


def _looked_at(figure):
    """Everything that is wrong with a picture, in words."""
    figure.canvas.draw()
    words, found = [*figure.texts], []  # the title over all is among them
    for axes in figure.axes:
        words += [axes.title, axes._left_title, axes._right_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        legend = axes.get_legend()
        if legend is not None:
            box = legend.get_window_extent()
            found += [] if _on_the_page(box, figure) else ["legend off the page"]
            covered = [line for line in axes.lines if line.get_visible() and _enters(line, axes, box)]
            found += [f"legend over a line: {line.get_label()}" for line in covered]
    shown = [text for text in words if text.get_text() and text.get_visible()]
    return found + [
        f"cut off: {text.get_text()}" for text in shown if not _on_the_page(text.get_window_extent(), figure)
    ]


def _on_the_page(box, figure):
    page = figure.bbox
    across = page.x0 - 1 <= box.x0 and box.x1 <= page.x1 + 1
    return across and page.y0 - 1 <= box.y0 and box.y1 <= page.y1 + 1


def _words(figure):
    """Every text of a picture that says something; the labels of axes that are not shown are none."""
    own = [figure._suptitle] if figure._suptitle else []
    for axes in figure.axes:
        own += [axes.title, axes._left_title, axes._right_title, *axes.texts]
        own += [axes.xaxis.label, axes.yaxis.label] if axes.axison else []
    return [text for text in own if text.get_text().strip() and text.get_visible()]


def _within(artist, figure):
    box, page = artist.get_window_extent(), figure.bbox
    across = page.x0 - 1 <= box.x0 and box.x1 <= page.x1 + 1
    return across and page.y0 - 1 <= box.y0 and box.y1 <= page.y1 + 1


def _enters(line, axes, box):
    points = axes.transData.transform(np.column_stack(line.get_data(orig=False)).astype(float))
    if 1 < len(points) < 200 and line.get_linestyle() not in ("None", ""):  # far apart: what lies between them
        share = np.linspace(0.0, 1.0, 20)[:, None, None]
        points = (points[:-1] * (1.0 - share) + points[1:] * share).reshape(-1, 2)
    frame = axes.get_window_extent()
    seen = (points >= [frame.x0, frame.y0]).all(1) & (points <= [frame.x1, frame.y1]).all(1)
    inside = (points >= [box.x0, box.y0]).all(1) & (points <= [box.x1, box.y1]).all(1)
    return bool((seen & inside).any())


def _pictures(name, wanted):
    """Label and picture of each entry that is wanted; what is shared is computed once."""
    contents = {}
    for one in entries(name):
        if wanted(one.label):
            if one.compute not in contents:
                contents[one.compute] = one.made()
            made = contents[one.compute]
            yield one.label, type(made)(**{**vars(made), "draw": one.draw}).plot()


def _all_good(name, wanted):
    wrong = {}
    for label, figure in _pictures(name, wanted):
        found = _looked_at(figure)
        wrong.update({label: found} if found else {})
        plt.close(figure)
    assert not wrong


def test_slow_pictures_are_there():
    for name, labels in SLOW.items():
        assert labels <= {one.label for one in entries(name)}


def test_what_is_wrong_with_a_picture_is_seen():
    figure, axes = plt.subplots()
    axes.plot([0.0, 1.0], label="line")
    axes.set_xlabel("far below", labelpad=400.0)
    axes.legend(loc="center")
    figure.suptitle("beside the page", x=1.4)
    assert _looked_at(figure) == ["legend over a line: line", "cut off: beside the page", "cut off: far below"]
    axes.legend(loc="center", bbox_to_anchor=(2.0, 2.0))
    assert "legend off the page" in _looked_at(figure)
    plt.close(figure)


@pytest.mark.parametrize("name", NAMES)
def test_quick_pictures_are_whole(name):
    _all_good(name, lambda label: label not in SLOW[name])


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_slow_pictures_are_whole(name):
    _all_good(name, lambda label: label in SLOW[name])

"""Contrast of the palettes, light and dark, by WCAG 2: 4.5 for text, 3 for lines."""

import re
from importlib.resources import files

import pytest

from slipstick.app.respond.kept_settings import KEPT_COLOURS
from slipstick.plot import style

CSS = files("slipstick.app").joinpath("look.css").read_text(encoding="utf-8")
TEXT = ("ink", "soft", "accent", "alarm", "good", "caution")
LINES = {"blue": style.BLUE, "accent": style.ACCENT, **{f"kept {k}": own for k, own in enumerate(KEPT_COLOURS)}}


def palette(selector):
    block = re.search(re.escape(selector) + r" \{(.*?)\}", CSS)[1]
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))


def channels(colour):
    return [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]


def luminance(rgb):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_of_black_on_white_is_21():
    assert contrast(channels("#000000"), channels("#ffffff")) == pytest.approx(21.0)


@pytest.mark.parametrize("selector", [":root", ".body--dark"])
@pytest.mark.parametrize("ground", ["ground", "raised"])
@pytest.mark.parametrize("name", TEXT)
def test_words_can_be_read(selector, ground, name):
    colours = palette(selector)
    assert contrast(channels(colours[name]), channels(colours[ground])) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", LINES)
def test_lines_can_be_seen(dark, name):
    """In the dark lines are brightened by a filter of the style sheet."""
    factor = float(re.search(r"\.scatterlayer.*?brightness\(([\d.]+)\)", CSS)[1]) if dark else 1.0
    drawn = [min(factor * c, 1.0) for c in channels(LINES[name])]
    assert contrast(drawn, channels(palette(".body--dark" if dark else ":root")["ground"])) >= 3.0


def test_words_in_dark_figures_can_be_read():
    colour = re.search(r"\.main-svg text.*?fill: (#[0-9a-f]{6})", CSS)[1]
    assert contrast(channels(colour), channels(palette(".body--dark")["ground"])) >= 4.5

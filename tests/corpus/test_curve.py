"""The chart of a corpus: pairs above each threshold, in colours that can be read."""

from corpus_fakes import a_report
from matplotlib.colors import to_rgb

from change_it.corpus.curve import LOOSE_COLOUR, STRICT_COLOUR, curve_figure
from change_it.corpus.record import Histogram


def contrast_with_white(colour):
    """The contrast of a colour on white, as WCAG defines it."""
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 1.05 / (luminance + 0.05)


def test_the_curve_names_the_newspapers_and_counts_pairs_above_each_threshold():
    bins = Histogram(edges=[0.2, 0.4, 0.6, 0.8], compared=[4, 3, 2], pairs=[0, 3, 2])
    [axes] = curve_figure(a_report(histogram=bins)).axes
    outlets = a_report().outlets
    assert axes.get_title(loc="left") == f"Pairs of articles: {outlets.a} and {outlets.b}"
    compared, matched = [line.get_xydata().tolist() for line in axes.lines[:2]]
    assert compared == [[0.2, 9], [0.4, 5], [0.6, 2]]
    assert matched == [[0.4, 5], [0.6, 2]]
    words = [text.get_text() for text in axes.texts]
    assert words == ["all pairs", "each article once", "strict > 0.5:\n2 pairs", "loose > 0.185:\n2 pairs"]


def test_the_words_on_the_curve_have_the_contrast_of_aa():
    [axes] = curve_figure(a_report()).axes
    colours = [text.get_color() for text in axes.texts]
    assert {STRICT_COLOUR, LOOSE_COLOUR} <= set(colours)
    assert min(map(contrast_with_white, colours)) >= 4.5

"""What all pictures share: axes, colours, names of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.checks import check_integer
from ensfs._utils.docs import read_descriptions
from ensfs._utils.text import distinct_labels

#: Colours of Okabe and Ito, which colour-blind eyes tell apart; dark enough for print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
#: A second sign beside the colour, for grey paper.
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (1, 1)))
DARK, LIGHT = COLOURS[0], "#C9DDEA"

#: Rows of one picture; of more, those after the first half are put together.
MAX_ROWS = 40

#: Longer names are cut.
MAX_LABEL = 32
_SERIES = "ensfs series"


#: Parameters and attributes of all displays.
DISPLAY_DOCS = read_descriptions("""
feature_names : sequence of str, optional
    Names of all columns of the table, in place of those it had.
ax : matplotlib Axes, optional
    Where to draw; by default a new figure.
ax_ : matplotlib Axes
    The axes.
figure_ : matplotlib Figure
    The figure.
""")
#: Of displays with bars for columns.
BAR_DOCS = DISPLAY_DOCS | read_descriptions("""
max_features : int, default=20
    Columns to show, from the most frequent.
**kwargs : dict
    For the bars; see `matplotlib.axes.Axes.barh`.
""")
#: Of displays that are a map.
MAP_DOCS = DISPLAY_DOCS | read_descriptions("""
**kwargs : dict
    For the map; see `matplotlib.axes.Axes.imshow`.
ax_ : matplotlib Axes
    The axes of the map.
image_ : matplotlib AxesImage
    The map.
""")


def new_axes(width: float, height: float) -> Any:
    """Axes in a figure of their own, in inches."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib; install it with `pip install ensfs[plot]` or "
            "`pip install matplotlib`."
        ) from error
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def strip(axes: Any, grid: str) -> None:
    """Leave only the lines that help to read values along one axis."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color="#5A5A5A" if _is_dark() else "#D9D9D9", linewidth=0.6)
    axes.set_axisbelow(True)


def paper() -> str:
    """The colour that pictures are drawn on, light or dark."""
    from matplotlib import rcParams

    return rcParams["axes.facecolor"]


def ink() -> str:
    """The colour of text."""
    from matplotlib import rcParams

    return rcParams["text.color"]


def quiet() -> str:
    """The colour of what need not be seen first."""
    return "#A6A6A6" if _is_dark() else "#595959"


def _is_dark() -> bool:
    from matplotlib.colors import to_rgb

    return sum(to_rgb(paper())) < 1.5


def series_style(axes: Any) -> dict[str, Any]:
    """Colour, marker and dashes for one more series on these axes."""
    n = sum(line.get_gid() == _SERIES for line in axes.lines)
    return {
        "color": COLOURS[n % len(COLOURS)],
        "marker": MARKERS[n % len(MARKERS)],
        "linestyle": DASHES[n % len(DASHES)],
        "gid": _SERIES,
    }


def styled(artist: str, defaults: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """The defaults, and over them what users give, which may be by an alias such as ``lw``.

    The artist is the one whose aliases count: "line", "bar", "image" or "text".
    """
    from matplotlib import cbook, image, lines, patches, text

    kinds = {
        "line": lines.Line2D, "bar": patches.Rectangle, "image": image.AxesImage, "text": text.Text,
    }  # fmt: skip
    if given.get("norm") is not None:  # it has limits of its own, and matplotlib takes no others
        defaults = {name: defaults[name] for name in defaults.keys() - {"vmin", "vmax"}}
    return defaults | cbook.normalize_kwargs(given, kinds[artist])


def text_colour(image: Any, value: float) -> str:
    """Black or white, whichever can be read on the cell of a map with this value."""
    red, green, blue, _ = image.cmap(image.norm(value))
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.55 else "black"


def check_max_features(max_features: Any) -> int:
    """How many columns to show."""
    return check_integer("max_features", max_features, 1)


def label_texts(names: Sequence[Any]) -> list[str]:
    """Names as labels: short lines, no two alike, with no part read as mathematics."""
    return [each.replace("$", r"\$") for each in distinct_labels(names, MAX_LABEL)]


def row_groups(n_rows: int) -> list[np.ndarray]:
    """The places that share a row: each has its own, unless there are too many."""
    if n_rows <= MAX_ROWS:
        return [np.array([i]) for i in range(n_rows)]
    alone = MAX_ROWS // 2
    return [
        *(np.array([i]) for i in range(alone)),
        *np.array_split(np.arange(alone, n_rows), MAX_ROWS - alone),
    ]


def group_labels(names: Sequence[Any], groups: Sequence[np.ndarray]) -> list[str]:
    """A label for each row: a name, or the places of the columns that share it."""
    alone = label_texts([names[group[0]] for group in groups if group.size == 1])
    texts = iter(alone)
    return [
        next(texts) if group.size == 1 else f"{group[0] + 1} to {group[-1] + 1}, mean"
        for group in groups
    ]


def row_height(n_rows: int) -> float:
    """Inches for rows with a name each; at least three, so that titles have room."""
    return 0.27 * max(n_rows, 3) + 1.2


def column_names(selector: Any, feature_names: Sequence[Any] | None) -> np.ndarray:
    """Names of all columns: those given, those of the table, or x0, x1, ..."""
    n_features = selector.n_features_in_
    if feature_names is None:
        feature_names = getattr(selector, "feature_names_in_", None)
    if feature_names is None:
        return np.array([f"x{j}" for j in range(n_features)], dtype=object)
    names = np.array([str(name) for name in feature_names], dtype=object)
    if names.size != n_features:
        raise ValueError(
            f"feature_names must have a name for each of {n_features} columns; got {names.size}."
        )
    return names


def check_fitted(selector: Any, *attributes: str) -> None:
    """Raise if the selector is not fitted, or is not of a kind that has the attributes."""
    check_is_fitted(selector)
    missing = [name for name in attributes if not hasattr(selector, name)]
    if missing:
        raise ValueError(
            f"This display needs {' and '.join(attributes)}; {type(selector).__name__} has no "
            f"{' and no '.join(missing)}."
        )

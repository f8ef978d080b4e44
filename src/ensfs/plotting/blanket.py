"""The Markov blanket of a target: what causes it, what it causes, and what shares its effects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs.causal.graph import CausalGraph
from ensfs.plotting._style import (
    COLOURS,
    DISPLAY_DOCS,
    check_fitted,
    column_names,
    ink,
    label_texts,
    new_axes,
    paper,
    quiet,
    styled,
)

#: Layers from top to bottom, and what the legend says of them.
LAYERS = {
    "parent": "parents",
    "neighbour": "neighbours, direction open",
    "target": "target",
    "child": "children",
    "spouse": "other parents of the children",
}
#: Colours of all layers but the target, which has that of text.
COLOUR_OF = {
    "parent": COLOURS[0], "neighbour": COLOURS[4], "child": COLOURS[2], "spouse": COLOURS[3],
}  # fmt: skip

#: Names side by side before a layer goes on in another row.
MAX_SIDE_BY_SIDE = 4


@with_docs(DISPLAY_DOCS)
class MarkovBlanketDisplay:
    """The columns of a Markov blanket around the target, by what they are to it.

    Parents stand above the target, children below it, and below them the other parents of these
    children. Arrows have the direction that was found; a line is an edge whose direction is open.
    Make it with `from_estimator` or `from_graph`; the parameters are stored as attributes.

    Parameters
    ----------
    roles : dict of str to str
        What each column of the blanket is to the target: "parent", "neighbour", "child" or
        "spouse".
    edges : sequence of (str, str)
        Edges among the columns of the blanket and the target, from and to; one whose direction is
        open is there both ways.
    target : str, default="target"
        Name of the target.

    Attributes
    ----------
    {ax_, figure_}
    texts_ : dict of str to matplotlib Text
        The names in the picture.

    Examples
    --------
    >>> from ensfs import PCSelector
    >>> from ensfs.datasets import load_lucas_network
    >>> from ensfs.plotting import MarkovBlanketDisplay
    >>> lucas = load_lucas_network()
    >>> X, y = lucas.sample(2000, 0, target="Lung_cancer", as_frame=True)
    >>> display = MarkovBlanketDisplay.from_estimator(PCSelector().fit(X, y))
    >>> display.roles["Smoking"], display.roles["Coughing"], display.roles["Allergy"]
    ('parent', 'child', 'spouse')
    """

    def __init__(self, *, roles, edges, target="target"):
        self.roles = roles
        self.edges = edges
        self.target = target

    @classmethod
    def from_estimator(
        cls, selector, *, feature_names=None, target_name="target", ax=None, **kwargs
    ):
        """Draw the blanket that a fitted selector found.

        Parameters
        ----------
        selector : selector
            Fitted, with `roles_`: `IAMB`, `MMPC`, `PCSelector` and the like. Those with `graph_`
            have directions and the edges of spouses.
        {feature_names}
        target_name : str, default="target"
            Name of the target.
        {ax}
        **kwargs : dict
            For the names; see `matplotlib.axes.Axes.text`.

        Returns
        -------
        MarkovBlanketDisplay
            The display, drawn.
        """
        check_fitted(selector, "roles_")
        names = [*column_names(selector, feature_names), target_name]
        graph = getattr(selector, "graph_", None)
        roles = {int(j): role for j, role in selector.roles_.items() if role in LAYERS}
        if graph is not None:
            return cls._of_graph(graph, roles, names).plot(ax=ax, **kwargs)
        near = [j for j, role in roles.items() if role != "spouse"]
        edges = [(names[j], target_name) for j in near] + [(target_name, names[j]) for j in near]
        return cls(
            roles={names[j]: role for j, role in roles.items()}, edges=edges, target=target_name
        ).plot(ax=ax, **kwargs)

    @classmethod
    def from_graph(cls, graph, node=None, *, ax=None, **kwargs):
        """Draw the blanket of a node of a graph.

        Parameters
        ----------
        graph : CausalGraph
            The graph.
        node : int, optional
            Number of the node; by default the target.
        {ax}
        **kwargs : dict
            For the names; see `matplotlib.axes.Axes.text`.

        Returns
        -------
        MarkovBlanketDisplay
            The display, drawn.
        """
        if not isinstance(graph, CausalGraph):
            raise TypeError(f"graph must be a CausalGraph; got {type(graph).__name__}.")
        middle = graph.nodes[-1] if node is None else node
        roles = {j: role for j, role in graph.roles(node).items() if role in LAYERS}
        names = dict(zip(graph.nodes.tolist(), map(str, graph.names), strict=True))
        return cls._of_graph(graph, roles, names, int(middle)).plot(ax=ax, **kwargs)

    @classmethod
    def _of_graph(
        cls, graph: CausalGraph, roles: dict[int, str], names: Any, middle: int | None = None
    ) -> MarkovBlanketDisplay:
        middle = int(graph.nodes[-1]) if middle is None else middle
        inside = {*roles, middle}
        places = graph.nodes.tolist()
        edges = [
            (names[places[a]], names[places[b]])
            for a, b in np.argwhere(graph.adjacency).tolist()
            if places[a] in inside and places[b] in inside
        ]
        return cls(
            roles={names[j]: role for j, role in roles.items()}, edges=edges, target=names[middle]
        )

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax}
        **kwargs : dict
            For the names; see `matplotlib.axes.Axes.text`.

        Returns
        -------
        MarkovBlanketDisplay
            The display itself.
        """
        places = self._places()
        depth = 1 - min(y for _, y in places.values())
        ax = new_axes(9.0, 0.75 * depth + 0.8) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        ax.set(xlim=(-0.5, MAX_SIDE_BY_SIDE - 0.5), ylim=(0.5 - depth, 0.6))
        ax.set_axis_off()
        labels = dict(zip(places, label_texts(list(places)), strict=True))
        self.texts_ = {}
        for name, (x, y) in places.items():
            colour = colour_of(self.roles.get(name, "target"))
            box = {"boxstyle": "round", "facecolor": paper(), "edgecolor": colour, "linewidth": 1.5}
            style = {
                "horizontalalignment": "center", "verticalalignment": "center", "bbox": box,
                "zorder": 3,
            }  # fmt: skip
            self.texts_[name] = ax.text(x, y, labels[name], **styled("text", style, kwargs))
        self._draw_edges()
        self._write_legend()
        return self

    def _places(self) -> dict[str, tuple[float, float]]:
        """Where each name stands: layers from top to bottom, in rows of a few names."""
        layers: dict[str, list[str]] = {layer: [] for layer in LAYERS}
        for name, role in self.roles.items():
            layers[role].append(name)
        layers["target"] = [self.target]
        places: dict[str, tuple[float, float]] = {}
        y = 0
        for names in layers.values():
            for row in _rows(names):
                left = (MAX_SIDE_BY_SIDE - len(row)) / 2
                places |= {name: (left + i, float(y)) for i, name in enumerate(row)}
                y -= 1
        return places

    def _draw_edges(self) -> None:
        both = {tuple(sorted(edge)) for edge in self.edges if edge[::-1] in set(self.edges)}
        for a, b in self.edges:
            open_edge = tuple(sorted((a, b))) in both
            if open_edge and a > b:
                continue
            self.ax_.annotate(
                "", self.texts_[b].get_position(), self.texts_[a].get_position(),
                arrowprops={
                    "arrowstyle": "-" if open_edge else "-|>", "color": quiet(), "linewidth": 1.1,
                    "patchA": self.texts_[a].get_bbox_patch(),
                    "patchB": self.texts_[b].get_bbox_patch(),
                    "connectionstyle": "arc3,rad=0.12",
                },
            )  # fmt: skip

    def _write_legend(self) -> None:
        from matplotlib.patches import Patch

        there = {*self.roles.values(), "target"}
        handles = [
            Patch(facecolor=paper(), edgecolor=colour_of(layer), linewidth=1.5, label=words)
            for layer, words in LAYERS.items()
            if layer in there
        ]
        self.ax_.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(handles),
            frameon=False, fontsize="small",
        )  # fmt: skip


def colour_of(role: str) -> str:
    """The colour of a role."""
    return COLOUR_OF.get(role) or ink()


def _rows(names: list[str]) -> Iterable[list[str]]:
    """The names in rows of equal length, as far as they go."""
    n_rows = -(-len(names) // MAX_SIDE_BY_SIDE)
    return (
        [row.tolist() for row in np.array_split(np.array(names, dtype=object), n_rows)]
        if names
        else []
    )

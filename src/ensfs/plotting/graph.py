"""A causal graph as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs.causal.graph import CausalGraph
from ensfs.plotting._style import (
    DISPLAY_DOCS,
    check_max_features,
    ink,
    label_texts,
    new_axes,
    paper,
    quiet,
    styled,
)
from ensfs.plotting.blanket import COLOUR_OF, LAYERS, colour_of


@with_docs(DISPLAY_DOCS)
class CausalGraphDisplay:
    """A graph of columns and the target, with what each column is to the target.

    The target stands in the middle, the columns in circles around it, by their distance. Make it
    with `from_graph` or with `CausalGraph.plot`; the parameters are stored as attributes.

    Parameters
    ----------
    names : sequence of str
        The nodes that are shown.
    edges : sequence of (int, int)
        Edges among them, from and to; one whose direction is open is there both ways.
    roles : dict of int to str
        What nodes are to the one in the middle.
    distances : sequence of int
        Edges between each node and the one in the middle, which has 0.
    n_more : int, default=0
        Nodes that are not shown.

    Attributes
    ----------
    {ax_, figure_}
    texts_ : dict of int to matplotlib Text
        The names in the picture, by the place of the node.

    See Also
    --------
    MarkovBlanketDisplay : Only the columns that matter to the target, layer by layer.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import CausalGraph
    >>> display = CausalGraph(np.eye(4, k=1)).plot()
    >>> display.distances
    [3, 2, 1, 0]
    """

    def __init__(self, *, names, edges, roles, distances, n_more=0):
        self.names = names
        self.edges = edges
        self.roles = roles
        self.distances = distances
        self.n_more = n_more

    @classmethod
    def from_graph(cls, graph, node=None, *, max_features=20, ax=None, **kwargs):
        """Draw a graph.

        Parameters
        ----------
        graph : CausalGraph
            The graph.
        node : int, optional
            Number of the node in the middle; by default the target.
        max_features : int, default=20
            Columns to show, the nearest first; those without a path to the middle never.
        {ax}
        **kwargs : dict
            For the names; see `matplotlib.axes.Axes.text`.

        Returns
        -------
        CausalGraphDisplay
            The display, drawn.
        """
        if not isinstance(graph, CausalGraph):
            raise TypeError(f"graph must be a CausalGraph; got {type(graph).__name__}.")
        most = check_max_features(max_features)
        middle = graph._place(node)
        distance = _distances(graph.adjacency | graph.adjacency.T, middle)
        order = np.argsort(np.where(distance < 0, len(distance), distance), kind="stable")
        order = order[distance[order] >= 0]
        shown = np.sort(order[: most + 1])
        of_number = graph.roles(node)
        number = {int(at): i for i, at in enumerate(shown)}
        edges = [
            (number[a], number[b])
            for a, b in np.argwhere(graph.adjacency).tolist()
            if a in number and b in number
        ]
        return cls(
            names=[str(graph.names[i]) for i in shown],
            edges=edges,
            roles={i: of_number[int(graph.nodes[at])] for at, i in number.items() if at != middle},
            distances=distance[shown].tolist(),
            n_more=int(order.size - shown.size),
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax}
        **kwargs : dict
            For the names; see `matplotlib.axes.Axes.text`.

        Returns
        -------
        CausalGraphDisplay
            The display itself.
        """
        places = self._places()
        if ax is None:
            size = 4.0 + 1.2 * max(1, max(self.distances, default=1))
            ax = new_axes(1.6 * size, size)
        self.ax_, self.figure_ = ax, ax.figure
        ax.set_axis_off()
        reach = np.abs(places).max() + 0.5
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
        self.texts_ = {}
        for i, (label, at) in enumerate(zip(label_texts(self.names), places, strict=True)):
            colour = colour_of(self.roles.get(i, "target")) if i in self.roles else ink()
            colour = quiet() if self.roles.get(i) == "connected" else colour
            box = {"boxstyle": "round", "facecolor": paper(), "edgecolor": colour, "linewidth": 1.5}
            style = {
                "horizontalalignment": "center", "verticalalignment": "center", "bbox": box,
                "zorder": 3, "fontsize": "small",
            }  # fmt: skip
            self.texts_[i] = ax.text(*at, label, **styled("text", style, kwargs))
        self._draw_edges()
        self._write_legend()
        if self.n_more:
            ax.set_title(f"the nearest; {self.n_more} more", loc="left", fontsize="small")
        return self

    def _places(self) -> np.ndarray:
        """Circles around the middle; neighbours of a node stand near it."""
        distances = np.asarray(self.distances)
        places = np.zeros((distances.size, 2))
        angle = np.zeros(distances.size)
        for d in range(1, int(distances.max(initial=0)) + 1):
            ring = np.nonzero(distances == d)[0]
            wanted = [self._mean_angle(int(i), angle, distances) for i in ring]
            ring = ring[np.argsort(wanted, kind="stable")]
            turn = 2 * np.pi * (np.arange(ring.size) + 0.5 * (d % 2)) / ring.size
            angle[ring] = turn
            radius = max(d, 0.22 * ring.size)
            places[ring] = radius * np.column_stack([np.cos(turn), np.sin(turn)])
        return places

    def _mean_angle(self, i: int, angle: np.ndarray, distances: np.ndarray) -> float:
        inner = [
            a + b - i
            for a, b in self.edges
            if i in (a, b) and distances[a + b - i] == distances[i] - 1
        ]
        turns = np.exp(1j * angle[inner]).sum() if distances[i] > 1 and inner else 0
        return float(np.angle(turns) % (2 * np.pi)) if turns else 0.0

    def _draw_edges(self) -> None:
        known = set(self.edges)
        for a, b in self.edges:
            both = (b, a) in known
            if both and a > b:
                continue
            self.ax_.annotate(
                "", self.texts_[b].get_position(), self.texts_[a].get_position(),
                arrowprops={
                    "arrowstyle": "-" if both else "-|>", "color": quiet(), "linewidth": 1.1,
                    "patchA": self.texts_[a].get_bbox_patch(),
                    "patchB": self.texts_[b].get_bbox_patch(),
                },
            )  # fmt: skip

    def _write_legend(self) -> None:
        from matplotlib.patches import Patch

        there = set(self.roles.values())
        words: dict[str, Any] = {role: (LAYERS[role], COLOUR_OF[role]) for role in COLOUR_OF}
        words["connected"] = ("farther away", quiet())
        handles = [
            Patch(facecolor=paper(), edgecolor=colour, linewidth=1.5, label=text)
            for role, (text, colour) in words.items()
            if role in there
        ]
        if handles:
            self.ax_.legend(
                handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(handles),
                frameon=False, fontsize="small",
            )  # fmt: skip


def _distances(joined: np.ndarray, middle: int) -> np.ndarray:
    """Edges on the shortest path to the middle; -1 without one."""
    found = np.full(len(joined), -1)
    front = np.zeros(len(joined), dtype=bool)
    front[middle] = True
    step = 0
    while front.any():
        found[front] = step
        front = joined[front].any(axis=0) & (found < 0)
        step += 1
    return found

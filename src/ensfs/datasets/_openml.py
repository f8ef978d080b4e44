"""Where OpenML has the real sets, and how its tables become ours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ensfs.datasets._tables import RealTable, encode


class OpenMLSet(NamedTuple):
    """A data set on OpenML, with the shape by which it is recognised."""

    data_id: int
    n_samples: int
    n_features: int


# Only sets that agree with the papers' in their columns. Five rows are missing from satimage there.
OPENML = {
    "all-aml": OpenMLSet(1104, 72, 7129),
    "anneal": OpenMLSet(2, 898, 38),
    "audiology": OpenMLSet(7, 226, 69),
    "autos": OpenMLSet(9, 205, 25),
    "balance-scale": OpenMLSet(11, 625, 4),
    "breast-w": OpenMLSet(15, 699, 9),
    "car": OpenMLSet(21, 1728, 6),
    "cnae9": OpenMLSet(1468, 1080, 856),
    "credit-g": OpenMLSet(31, 1000, 20),
    "dna180": OpenMLSet(40670, 3186, 180),
    "dorothea": OpenMLSet(4137, 1150, 100_000),
    "ecoli": OpenMLSet(39, 336, 7),
    "glass": OpenMLSet(41, 214, 9),
    "haberman": OpenMLSet(43, 306, 3),
    "heart-c": OpenMLSet(49, 303, 13),
    "heart-statlog": OpenMLSet(53, 270, 13),
    "horse-colic": OpenMLSet(27, 368, 22),
    "hypothyroid": OpenMLSet(57, 3772, 29),
    "ionosphere": OpenMLSet(59, 351, 34),
    "iris": OpenMLSet(61, 150, 4),
    "kr-vs-kp": OpenMLSet(3, 3196, 36),
    "labor": OpenMLSet(4, 57, 16),
    "lung-cancer": OpenMLSet(163, 32, 56),
    "lymphography": OpenMLSet(10, 148, 18),
    "mushroom": OpenMLSet(24, 8124, 22),
    "new-thyroid": OpenMLSet(40682, 215, 5),
    "page-blocks": OpenMLSet(30, 5473, 10),
    "pendigits": OpenMLSet(32, 10992, 16),
    "pima": OpenMLSet(37, 768, 8),
    "reg-2dplanes": OpenMLSet(215, 40768, 10),
    "reg-ailerons": OpenMLSet(296, 13750, 40),
    "reg-bank32nh": OpenMLSet(558, 8192, 32),
    "reg-bank8fm": OpenMLSet(572, 8192, 8),
    "reg-bodyfat": OpenMLSet(560, 252, 14),
    "reg-cpu-act": OpenMLSet(197, 8192, 21),
    "reg-cpu-small": OpenMLSet(227, 8192, 12),
    "reg-fried": OpenMLSet(564, 40768, 10),
    "reg-house8l": OpenMLSet(218, 22784, 8),
    "reg-housing": OpenMLSet(531, 506, 13),
    "reg-mv": OpenMLSet(344, 40768, 10),
    "reg-pollution": OpenMLSet(542, 60, 15),
    "reg-puma8nh": OpenMLSet(225, 8192, 8),
    "reg-pyrim": OpenMLSet(217, 74, 27),
    "reg-sensory": OpenMLSet(546, 576, 11),
    "reg-strike": OpenMLSet(549, 625, 6),
    "satimage": OpenMLSet(182, 6430, 36),
    "shuttle": OpenMLSet(40685, 58000, 9),
    "sick": OpenMLSet(38, 3772, 29),
    "sonar": OpenMLSet(40, 208, 60),
    "tae": OpenMLSet(48, 151, 5),
    "votes": OpenMLSet(56, 435, 16),
    "wdbc": OpenMLSet(1510, 569, 30),
    "wine": OpenMLSet(187, 178, 13),
}


def download(name: str) -> RealTable:
    """Fetch a set of `OPENML`; scikit-learn keeps it in its own cache."""
    # Where the data are at hand nothing of this is needed.
    from sklearn.datasets import fetch_openml

    data_id, *shape = OPENML[name]
    # This parser needs no pandas, and encodes categories as their positions.
    found = fetch_openml(data_id=data_id, as_frame=False, parser="liac-arff")
    if found.data.shape != tuple(shape):
        raise ValueError(
            f"Set {data_id} of OpenML must have the shape {tuple(shape)} to be {name!r}; got "
            f"{found.data.shape}. OpenML has changed it: set ENSFS_DATA to a folder that holds it."
        )
    names = list(found.feature_names)
    X, categories = found.data, {}
    if not sparse.issparse(X):
        X = np.array(X, dtype=np.float64)
        for j, feature in enumerate(names):
            if feature in found.categories:
                values = found.categories[feature]
                cells = [None if np.isnan(code) else values[int(code)] for code in X[:, j]]
                X[:, j], categories[feature] = encode(cells)
    return RealTable(
        X=X,
        feature_names=names,
        categories=categories,
        target=np.asarray(found.target),
        regression=name.startswith("reg-"),
        description=found.DESCR or "",
        details={"name": name, "source": f"https://www.openml.org/d/{data_id}"},
    )

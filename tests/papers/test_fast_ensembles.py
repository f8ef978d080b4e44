"""Tables 3 and 4 of Schowe and Morik (2010), nominal data: every printed figure, exactly."""

import numpy as np
import pytest

from ensfs import MRMR, FastEnsemble

# Distinct columns among the first k - 1 picks of all parts, k = 10, 20, 30, 40, 50. The printed
# Fast column is (u + 1)(2p - u) / 2; bench/papers/fast_ensembles.py has it as printed.
DISTINCT = {
    ("lung_s3", 5): (40, 71, 94, 107, 122),
    ("lung_s3", 10): (56, 84, 108, 116, 126),
    ("lung_s3", 20): (76, 99, 114, 121, 128),
    ("colon_s3", 5): (30, 52, 73, 93, 113),
    ("colon_s3", 10): (49, 65, 79, 98, 119),
    ("colon_s3", 20): (57, 69, 84, 101, 120),
    ("lymphoma_s3", 5): (43, 88, 132, 171, 203),
    ("lymphoma_s3", 10): (78, 157, 220, 273, 314),
    ("lymphoma_s3", 20): (142, 262, 335, 387, 427),
}
PRINTED = {("lung_s3", 20): 33_669, ("colon_s3", 20): 234_740, ("lymphoma_s3", 20): 1_631_750}


@pytest.mark.requires_data("lung_s3.csv.gz", "colon_s3.csv.gz", "lymphoma_s3.csv.gz")
@pytest.mark.parametrize(("name", "e"), DISTINCT)
def test_passes_as_printed(load_real, name, e):
    X, y = load_real(name)
    p = X.shape[1]
    selector = MRMR(50, scheme="MIQ", discrete_features=np.ones(p, dtype=bool))
    fast = FastEnsemble(selector, n_parts=e).fit(X, y)
    u = [np.unique(fast.part_selections_[:, : k - 1]).size for k in (10, 20, 30, 40, 50)]
    assert tuple(u) == DISTINCT[name, e]
    assert fast.n_pairs_needed_ == (u[-1] + 1) * (2 * p - u[-1]) // 2
    assert fast.n_pairs_needed_ == PRINTED.get((name, e), fast.n_pairs_needed_)
    assert fast.n_pairs_read_ <= fast.n_pairs_needed_

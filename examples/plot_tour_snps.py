"""
Tour: single nucleotide polymorphisms
=====================================

Genotypes are counts of 0, 1 or 2, neighbours on a chromosome repeat each other, and two of them may
matter only together.
"""

# %%
# 600 people and 300 positions; each position copies its left neighbour for nine of ten people.
# The disease depends on position 40, and on positions 120 and 200 together.
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n, p = 600, 300
genotypes = np.empty((n, p), dtype=np.int8)
genotypes[:, 0] = rng.binomial(2, 0.4, n)
for j in range(1, p):
    fresh = rng.binomial(2, 0.4, n)
    genotypes[:, j] = np.where(rng.random(n) < 0.9, genotypes[:, j - 1], fresh)
X = pd.DataFrame(genotypes, columns=[f"rs{j}" for j in range(p)])
pair = (X["rs120"] > 0) & (X["rs200"] > 0)
y = (rng.random(n) < 0.1 + 0.3 * (X["rs40"] == 2) + 0.4 * pair).astype(int)

# %%
# A ranking by each position alone takes the neighbours of the best one.
from ensfs import CMIM, FCBF, MIM

print("alone:      ", *MIM(6).fit(X, y).get_feature_names_out())

# %%
# `CMIM` asks what a position adds to each one that was selected, `FCBF` removes what repeats.
print("beside each:", *CMIM(6).fit(X, y).get_feature_names_out())
chosen = FCBF().fit(X, y)
print("FCBF:       ", *chosen.get_feature_names_out()[:6])

# %%
# What each selected position stands for: its neighbours, in linkage with it.
from ensfs.plotting import ColumnGroupsDisplay

selector = CMIM(6).fit(X, y)
ColumnGroupsDisplay.from_estimator(selector, X, at_least=0.4)

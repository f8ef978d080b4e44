"""
Tour: words of documents, in a sparse matrix
============================================

Counts of words make a wide table of zeros. Selectors read the matrix as it is, without making it
dense.
"""

# %%
# Documents of two topics. Each has words of its own; most words belong to both.
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

rng = np.random.default_rng(0)
topics = {
    "garden": ["soil", "seed", "bloom", "prune", "compost", "hedge"],
    "kitchen": ["simmer", "dough", "oven", "whisk", "broth", "season"],
}
common = [f"word{i:03d}" for i in range(400)]
y = rng.choice(list(topics), 500)
documents = [
    " ".join(
        [*rng.choice(topics[topic], 2), *rng.choice(common, 25), *rng.choice(["seed", "season"], 1)]
    )
    for topic in y
]
vectorizer = CountVectorizer(binary=True)
X = vectorizer.fit_transform(documents)
print(type(X).__name__, X.shape, f"{X.nnz / np.prod(X.shape):.1%} of the cells are not zero")

# %%
# The words that tell the topics, each with the reason.
from ensfs import JMI, FastEnsemble

selector = FastEnsemble(JMI(12, discrete_features=True), n_parts=20, parts="halves").fit(X, y)
names = vectorizer.get_feature_names_out()
print([str(names[j]) for j in selector.indices_])

# %%
# Words of the topics are selected by every half; "seed" and "season" say less, because they are
# used in both kinds of documents.
from ensfs.plotting import SelectionFrequencyDisplay

SelectionFrequencyDisplay.from_estimator(selector, feature_names=names)

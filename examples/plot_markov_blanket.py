"""
What does the target depend on directly?
========================================

Selectors by tests of conditional independence look for the Markov blanket of the target: the
columns that make all others superfluous. The picture shows what each of them is to the target.
"""

from ensfs import PCSelector
from ensfs.datasets import load_lucas_network
from ensfs.plotting import MarkovBlanketDisplay

lucas = load_lucas_network()
X, y = lucas.sample(5000, random_state=0, target="Lung_cancer", as_frame=True)
selector = PCSelector().fit(X, y)
MarkovBlanketDisplay.from_estimator(selector, target_name="Lung_cancer")

# %%
# The network behind the data is known. Of its eleven columns these make up the true blanket:

print(lucas.markov_blanket("Lung_cancer"))

# %%
# "Allergy" says nothing about cancer by itself; it tells how to read a cough. A filter that looks
# at one column at a time cannot find it.
#
# The whole graph shows how the other columns reach the target:

selector.graph_.plot()

"""
Tour: what does the target depend on directly?
==============================================

The Markov blanket of a target is the set of columns that makes all others superfluous: its parents,
its children and the other parents of its children. Here the network behind the data is known, so
we can say whether we found it.
"""

# %%
# The table: 3,000 patients from the network "LUCAS", eleven columns of yes and no.
from ensfs.datasets import load_lucas_network

lucas = load_lucas_network()
X, y = lucas.sample(3000, random_state=0, target="Lung_cancer", as_frame=True)
print(X.iloc[:3, :5])

# %%
# A filter ranks the columns one by one, and has no reason to stop.
from ensfs import IAMB, MIM, FastEnsemble, G2Test, PCSelector

print(MIM(6).fit(X, y).explain()[:7])

# %%
# A test of conditional independence asks what a column still says once others are known. Yellow
# fingers go with cancer, but not among those who smoke alike.
from ensfs.measures import g_square

fingers, smoking = X[["Yellow_Fingers"]], X[["Smoking"]]
print(f"alone:         p = {g_square(fingers, y).pvalue[0]:.1e}")
print(f"given smoking: p = {g_square(fingers, y, smoking).pvalue[0]:.2f}")

# %%
# IAMB adds columns by such tests until nothing is left to say, and takes back what became
# superfluous. It decides how many columns there are.
blanket = IAMB(test=G2Test()).fit(X, y)
print(list(blanket.get_feature_names_out()))
print("true:", sorted(lucas.markov_blanket("Lung_cancer")))

# %%
# What was decided about a column, by which test:
print(blanket.explain("Yellow_Fingers"))
print(blanket.explain("Allergy"))

# %%
# Is it sure? The blankets of twenty halves of the rows.
from ensfs.plotting import MarkovBlanketDisplay, SelectionFrequencyDisplay

ensemble = FastEnsemble(IAMB(), n_parts=20, parts="halves").fit(X, y)
SelectionFrequencyDisplay.from_estimator(ensemble)

# %%
# PC learns the arcs too, as far as data can tell, and with them the roles in the blanket.
# sphinx_gallery_thumbnail_number = 2
graph = PCSelector().fit(X, y)
MarkovBlanketDisplay.from_estimator(graph, target_name="Lung_cancer")

# %%
# The whole graph, with arrows where the direction follows from the data.
graph.graph_.plot()

# %%
# A model needs no more than the blanket.
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=0)
few = make_pipeline(IAMB(), OrdinalEncoder(), forest)
every = make_pipeline(OrdinalEncoder(), forest)
print(f"blanket: {cross_val_score(few, X, y, cv=5).mean():.3f}")
print(f"all:     {cross_val_score(every, X, y, cv=5).mean():.3f}")

"""What tables estimators take, which pipelines and the like do not tell by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils import get_tags

#: What an estimator may take that others refuse.
_TAKEN = ("allow_nan", "string", "categorical")


def input_tags(estimator: Any) -> Any:
    """The input tags of an estimator, perhaps of another library.

    Of a pipeline its first step decides about missing cells, text and categories, which it may fill
    or encode; of transformers side by side all of them.
    """
    tags = get_tags(estimator).input_tags
    first = _first_steps(estimator)
    if first is None:
        return tags
    inside = [input_tags(each) for each in first if each not in (None, "passthrough", "drop")]
    return replace(tags, **{name: all(getattr(t, name) for t in inside) for name in _TAKEN})


def _first_steps(estimator: Any) -> list[Any] | None:
    """Those that see the table first; None where that is the estimator itself."""
    if isinstance(estimator, Pipeline):
        steps = [each for _, each in estimator.steps if each not in (None, "passthrough")]
        return steps[:1]
    if isinstance(estimator, FeatureUnion):
        return [each for _, each in estimator.transformer_list]
    if isinstance(estimator, ColumnTransformer):
        return [*(each for _, each, *_ in estimator.transformers), estimator.remainder]
    return None

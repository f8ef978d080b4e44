"""The case of a seed."""

import traceback
import warnings

import numpy as np

from fuzzing.counts import Counts
from fuzzing.cut import Cut
from fuzzing.numbers import Numbers
from fuzzing.rough import Rough


def run_case(seed, compare=True):
    """What there is to say of a case: its counts, its digest, and what is wrong."""
    rng = np.random.default_rng(seed)
    kind = rng.choice([Numbers, Counts, Cut, Rough], p=[0.3, 0.3, 0.2, 0.2])
    case, problem = kind(rng, compare), ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)  # constant targets, selections that end early
        try:
            case.run()
        except Exception:
            problem = f"{getattr(case, 'kind', 'no table')}\n{traceback.format_exc()}"
    return {"counts": case.counts, "digest": case.digest.hexdigest(), "problem": problem}

"""Who gets the weights of the rows where scikit-learn routes metadata."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn import get_config
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    process_routing,
)

from ensfs._utils.sklearn import own_metadata_request

#: What `fit` of a router may be given besides the table and the target.
METADATA = ("sample_weight", "groups")


class Receivers(NamedTuple):
    """Which of the estimators inside another one get weights, and whether they route them on."""

    selector: bool = True
    estimator: bool = True
    scorer: bool = True
    routed: bool = False


def router_of(owner: Any, **inside: tuple[Any, str]) -> MetadataRouter:
    """A router that hands metadata of `fit` to what is inside.

    Parameters
    ----------
    owner : estimator
        The one that is fitted. Where it requests metadata itself it hands them to all inside.
    **inside : tuple of object or None, and str
        By name what is inside, and the method that is called; None stands for one of our own, which
        takes weights.
    """
    router = MetadataRouter(owner=owner)
    own = own_metadata_request(owner)
    if any(each is not None for each in own.fit.requests.values()):
        for name, request in own.fit.requests.items():
            own.fit.add_request(param=name, alias=False if request is None else request)
        router.add_self_request(own)
    for name, (each, method) in inside.items():
        mapping = MethodMapping().add(caller="fit", callee=method)
        mapping.add(caller="fit_transform", callee=method)  # which pipelines call
        router.add(
            **{name: _taking_weights(method) if each is None else each}, method_mapping=mapping
        )
    return router


def _taking_weights(method: str) -> MetadataRequest:
    request = MetadataRequest(owner="the default")
    getattr(request, method).add_request(param="sample_weight", alias=True)
    return request


def receivers(owner: Any, **metadata: Any) -> Receivers:
    """Who gets the weights in a fit that was given these metadata.

    Without routing, and where the owner requests weights itself, everyone inside gets them.
    """
    given = {name: each for name, each in metadata.items() if each is not None}
    if not given or not get_config()["enable_metadata_routing"]:
        return Receivers()
    if own_metadata_request(owner).fit.requests.get("sample_weight") is True:
        return Receivers()
    routed = process_routing(owner, "fit", **given)
    methods = {"selector": "fit", "estimator": "fit", "scorer": "score"}
    takes = {
        name: "sample_weight" in routed[name][method]
        for name, method in methods.items()
        if name in routed
    }
    return Receivers(**takes, routed=True)

"""Ensembles of models, and the order in which their members are worth having."""

from ensfs.ensemble._orders import order_members

__all__ = ["order_members"]

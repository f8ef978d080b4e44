"""The public names."""

from ensfs import codes, datasets, ensemble, evaluation, measures, plotting
from ensfs._config import show_config, show_versions
from ensfs.causal.blankets import MarkovBlankets, markov_blankets
from ensfs.causal.graph import CausalGraph
from ensfs.causal.grow_shrink import IAMB, GrowShrink, InterIAMB
from ensfs.causal.hiton import HITONPC
from ensfs.causal.hybrid import HybridCausalSelector
from ensfs.causal.max_min import MMPC
from ensfs.causal.pc import PCSelector
from ensfs.causal.tpda import TPDASelector
from ensfs.clusters.random_clusters import RandomClusterEnsemble
from ensfs.codes.ddag import DDAGClassifier
from ensfs.codes.ecoc import ECOCClassifier
from ensfs.codes.labels import LabelGroupClassifier
from ensfs.codes.minimal import MinimalECOCClassifier
from ensfs.codes.nested import NestedDichotomiesClassifier
from ensfs.contrasts.ace import ACE
from ensfs.contrasts.importance import ForestImportance
from ensfs.decomposition.input_decimation import InputDecimation
from ensfs.decomposition.itd import ITDecomposition
from ensfs.decomposition.iterated_fcbf import IteratedFCBFDecomposition
from ensfs.decomposition.pca import PCASubspace
from ensfs.decomposition.random import RandomPartitionDecomposition, RandomSubspaceDecomposition
from ensfs.discretize import EqualFrequencyDiscretizer, MDLDiscretizer, SigmaDiscretizer
from ensfs.ensemble.by_instance import InstancePruningClassifier
from ensfs.ensemble.expert_average import ExpertAverageClassifier
from ensfs.ensemble.experts import (
    ClassClusterExpertsClassifier,
    ClusterExpertsClassifier,
    IntervalExpertsClassifier,
    RandomExpertsClassifier,
)
from ensfs.ensemble.fit_select import FitSelectClassifier
from ensfs.ensemble.forward_members import ForwardSelectionClassifier
from ensfs.ensemble.masks import FeatureMaskClassifier
from ensfs.ensemble.mixture import HierarchicalMixtureClassifier, PrototypeMixtureClassifier
from ensfs.ensemble.multilabel import ChainEnsembleClassifier, RandomLabelsetsClassifier
from ensfs.ensemble.oracle import RandomOracleClassifier, RandomOracleRegressor
from ensfs.ensemble.pruned_tree import ReducedErrorTreeClassifier, ReducedErrorTreeRegressor
from ensfs.ensemble.rank_ensemble import RankEnsemble
from ensfs.ensemble.regression import IteratedBaggingRegressor, ReweightedAdaBoostRegressor
from ensfs.ensemble.rpboost import RpBoostClassifier
from ensfs.ensemble.subset_classifiers import DecompositionClassifier, InputDecimationClassifier
from ensfs.ensemble.subset_regressor import DecompositionRegressor
from ensfs.ensemble.subspace_bagging import WeightedSubspaceBaggingClassifier
from ensfs.features.patterns import LocalBinaryPatterns
from ensfs.fisher.subspace import FisherSubspace
from ensfs.fisher.tipcac import KernelTIPCACClassifier, TIPCACClassifier
from ensfs.independence import (
    FisherZTest,
    G2Test,
    InformationTest,
    OracleTest,
    PermutationTest,
)
from ensfs.networks.classifier import BayesianNetworkClassifier
from ensfs.networks.combiner import NetworkCombinerClassifier
from ensfs.reporting.page import report
from ensfs.scale import RowBlocks
from ensfs.selection.cfs import CFS
from ensfs.selection.fcbf import FCBF
from ensfs.selection.forward import ForwardSelection
from ensfs.selection.information import CMIM, DISR, JMI, JMIM, MIM, NJMIM
from ensfs.selection.inner_ensemble import InnerEnsemble
from ensfs.selection.l1_path import L1Path
from ensfs.selection.mrmr import MRMR
from ensfs.selection.part_ensembles import FastEnsemble
from ensfs.selection.redundancy import CIFE, ICAP, LCSI
from ensfs.selection.selector_cv import SelectorCV
from ensfs.selection.stability import StabilitySelector

__all__ = [
    "ACE",
    "CFS",
    "CIFE",
    "CMIM",
    "DISR",
    "FCBF",
    "HITONPC",
    "IAMB",
    "ICAP",
    "JMI",
    "JMIM",
    "LCSI",
    "MIM",
    "MMPC",
    "MRMR",
    "NJMIM",
    "BayesianNetworkClassifier",
    "CausalGraph",
    "ChainEnsembleClassifier",
    "ClassClusterExpertsClassifier",
    "ClusterExpertsClassifier",
    "DDAGClassifier",
    "DecompositionClassifier",
    "DecompositionRegressor",
    "ECOCClassifier",
    "EqualFrequencyDiscretizer",
    "ExpertAverageClassifier",
    "FastEnsemble",
    "FeatureMaskClassifier",
    "FisherSubspace",
    "FisherZTest",
    "FitSelectClassifier",
    "ForestImportance",
    "ForwardSelection",
    "ForwardSelectionClassifier",
    "G2Test",
    "GrowShrink",
    "HierarchicalMixtureClassifier",
    "HybridCausalSelector",
    "ITDecomposition",
    "InformationTest",
    "InnerEnsemble",
    "InputDecimation",
    "InputDecimationClassifier",
    "InstancePruningClassifier",
    "InterIAMB",
    "IntervalExpertsClassifier",
    "IteratedBaggingRegressor",
    "IteratedFCBFDecomposition",
    "KernelTIPCACClassifier",
    "L1Path",
    "LabelGroupClassifier",
    "LocalBinaryPatterns",
    "MDLDiscretizer",
    "MarkovBlankets",
    "MinimalECOCClassifier",
    "NestedDichotomiesClassifier",
    "NetworkCombinerClassifier",
    "OracleTest",
    "PCASubspace",
    "PCSelector",
    "PermutationTest",
    "PrototypeMixtureClassifier",
    "RandomClusterEnsemble",
    "RandomExpertsClassifier",
    "RandomLabelsetsClassifier",
    "RandomOracleClassifier",
    "RandomOracleRegressor",
    "RandomPartitionDecomposition",
    "RandomSubspaceDecomposition",
    "RankEnsemble",
    "ReducedErrorTreeClassifier",
    "ReducedErrorTreeRegressor",
    "ReweightedAdaBoostRegressor",
    "RowBlocks",
    "RpBoostClassifier",
    "SelectorCV",
    "SigmaDiscretizer",
    "StabilitySelector",
    "TIPCACClassifier",
    "TPDASelector",
    "WeightedSubspaceBaggingClassifier",
    "codes",
    "datasets",
    "ensemble",
    "evaluation",
    "markov_blankets",
    "measures",
    "plotting",
    "report",
    "show_config",
    "show_versions",
]

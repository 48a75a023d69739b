"""The packed forest and what is computed on it."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.forest.automaton import OTHERWISE, Automaton
    from rosewood.forest.builder import ForestBuilder
    from rosewood.forest.cycles import Unrolled, inside_cyclic, unroll
    from rosewood.forest.derivatives import (
        Scaled,
        expectation_jacobian,
        log_partition_gradient,
        log_partition_hessian,
        log_partition_hessian_product,
        partition_gradient,
        partition_hessian,
        partition_hessian_product,
    )
    from rosewood.forest.expectations import (
        Distribution,
        Gradient,
        bayes_risk,
        covariance,
        cross_entropy,
        cross_entropy_gradient,
        cross_entropy_to_automaton,
        edge_posteriors,
        entropy,
        entropy_gradient,
        expectation,
        expected_length,
        expected_ngram_counts,
        feature_expectations,
        kl_divergence,
        kl_divergence_to_automaton,
        log_partition,
        risk_gradient,
        variance,
    )
    from rosewood.forest.features import FeatureSpace
    from rosewood.forest.file_writer import ForestSetWriter
    from rosewood.forest.files import ForestSet
    from rosewood.forest.forest import Forest
    from rosewood.forest.generic import exclusive, inside, inside_outside, outside
    from rosewood.forest.hull import HULL, HullLine, best_line, breakpoints, envelope
    from rosewood.forest.modules import (
        Expectation,
        LiftedModule,
        Module,
        NumpyVectors,
        Scalars,
        SecondOrderExpectation,
        SparseVectors,
        TupleVectors,
        lift,
    )
    from rosewood.forest.ngram_features import NgramFeatures
    from rosewood.forest.refinement import Ngrams, Refined, refine
    from rosewood.forest.rename import renamed
    from rosewood.forest.search import (
        Derivation,
        Derivations,
        best,
        iterate_best,
        k_best,
        nbest_texts,
        num_derivations,
        sample,
    )
    from rosewood.forest.second_stage import SecondStage
    from rosewood.forest.semirings import (
        BOOLEAN,
        COUNTING,
        LOG,
        RATIONAL,
        REAL,
        SIGNED_LOG,
        TROPICAL,
        VITERBI,
        Semiring,
    )
    from rosewood.forest.sparse import SparseFeatures
    from rosewood.forest.text import (
        NamedForest,
        format_forest,
        parse_forest,
        read_forests,
        write_forests,
    )
    from rosewood.forest.transform import (
        Intersected,
        Merged,
        Transformed,
        drop_unreachable,
        intersect,
        merge,
        prune,
        reweight,
        select_edges,
        topological_sort,
    )
    from rosewood.forest.trees import BoostedTrees, Split, Tree
    from rosewood.forest.weights import Weights

__all__ = [
    "BOOLEAN",
    "COUNTING",
    "HULL",
    "LOG",
    "OTHERWISE",
    "RATIONAL",
    "REAL",
    "SIGNED_LOG",
    "TROPICAL",
    "VITERBI",
    "Automaton",
    "BoostedTrees",
    "Derivation",
    "Derivations",
    "Distribution",
    "Expectation",
    "FeatureSpace",
    "Forest",
    "ForestBuilder",
    "ForestSet",
    "ForestSetWriter",
    "Gradient",
    "HullLine",
    "Intersected",
    "LiftedModule",
    "Merged",
    "Module",
    "NamedForest",
    "NgramFeatures",
    "Ngrams",
    "NumpyVectors",
    "Refined",
    "Scalars",
    "Scaled",
    "SecondOrderExpectation",
    "SecondStage",
    "Semiring",
    "SparseFeatures",
    "SparseVectors",
    "Split",
    "Transformed",
    "Tree",
    "TupleVectors",
    "Unrolled",
    "Weights",
    "bayes_risk",
    "best",
    "best_line",
    "breakpoints",
    "covariance",
    "cross_entropy",
    "cross_entropy_gradient",
    "cross_entropy_to_automaton",
    "drop_unreachable",
    "edge_posteriors",
    "entropy",
    "entropy_gradient",
    "envelope",
    "exclusive",
    "expectation",
    "expectation_jacobian",
    "expected_length",
    "expected_ngram_counts",
    "feature_expectations",
    "format_forest",
    "inside",
    "inside_cyclic",
    "inside_outside",
    "intersect",
    "iterate_best",
    "k_best",
    "kl_divergence",
    "kl_divergence_to_automaton",
    "lift",
    "log_partition",
    "log_partition_gradient",
    "log_partition_hessian",
    "log_partition_hessian_product",
    "merge",
    "nbest_texts",
    "num_derivations",
    "outside",
    "parse_forest",
    "partition_gradient",
    "partition_hessian",
    "partition_hessian_product",
    "prune",
    "read_forests",
    "refine",
    "renamed",
    "reweight",
    "risk_gradient",
    "sample",
    "select_edges",
    "topological_sort",
    "unroll",
    "variance",
    "write_forests",
]

__getattr__, __dir__ = lazy_names(__name__)

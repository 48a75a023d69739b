"""
Native kernels of Rosewood; the package's own modules are the interface.
"""

from collections.abc import Callable, Mapping, Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Bitext:
    """Sentence pairs as numbers of words, checked."""

    def __init__(self, source_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], source_words: int, target_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_words: int) -> None: ...

class Lexicon:
    """Pairs of words that occur together, checked."""

    def __init__(self, row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], entry: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], target_words: int) -> None: ...

def lexicon_rows(bitext: Bitext, row: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], threads: int = 1) -> None: ...

def lexicon_fill(bitext: Bitext, lexicon: Lexicon, threads: int = 1) -> None: ...

def spell(lexicon: Lexicon, source_point: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_point: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], like: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], source_total: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], target_total: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None: ...

def pair_stems(lexicon: Lexicon, source_stem: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_stem: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stems: Lexicon, pair: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], threads: int = 1) -> None: ...

def add_pairs(count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pair: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_count: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def exp_digamma(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def count_totals(lexicon: Lexicon, count: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], source: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], target: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def count_partners(lexicon: Lexicon, source: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], target: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def maximise_words(lexicon: Lexicon, count: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], source: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], source_partners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_partners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: float, threads: int = 1) -> None: ...

def maximise_collapsed(lexicon: Lexicon, collapsed: Collapsed, threads: int = 1) -> None: ...

def transfer_counts(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], count: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lexicon: Lexicon, out: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], threads: int = 1) -> None: ...

class CollapsedSide:
    """Counts of the words of one side."""

    def __init__(self, total: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stem: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stem_total: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], spelling_total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], null: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Collapsed:
    """Counts that can leave out a word's own."""

    def __init__(self, count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], spelling: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], source: CollapsedSide, target: CollapsedSide, prior: float, null_prior: float, spelling_weight: float, stem_weight: float, stem_prior: float) -> None: ...

class AlignmentModel:
    """A model of word alignment in both directions."""

    def __init__(self, lexicon: Lexicon, placing: str, null: tuple[float, float], tension: tuple[float, float], forward_jump: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], backward_jump: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], null_target: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], null_source: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], agreement: bool) -> None: ...

    def leave_out(self, collapsed: Collapsed, links: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], null_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], null_source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def align_expect(bitext: Bitext, model: AlignmentModel, count: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], null_target: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], null_source: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], keep: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], keep_null_target: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], keep_null_source: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], target_position: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], source_position: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_placed: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], source_placed: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], threads: int = 1) -> tuple[list[float], list[float], list[float], list[float], list[float], list[float]]: ...

def align_choose(bitext: Bitext, model: AlignmentModel, least: float, forward: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], backward: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], forward_score: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], backward_score: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None: ...

def align_posteriors(bitext: Bitext, model: AlignmentModel, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forward: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], backward: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int = 1) -> None: ...

class BinnedColumns:
    """Columns of bins, one after another."""

    def __init__(self, bin: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], bins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> None:
        """Row r of column c is bin[c, r], less than bins[c]."""

def grow_tree(data: BinnedColumns, slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], curve: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaves: int, min_weight: float, l2: float, threads: int = 1, known: BinSums | None = None) -> tuple[list[tuple[int, int, int, float]], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)], float]:
    """
    A regression tree: splits (leaf, column, bin, gain), coefficients and weights of leaves, the leaf of each row, and how much less squared error there is. `known` are sums of the same curves and weights, which need not be summed again in each round.
    """

class BinSums:
    """Sums of curves and weights by column and bin."""

def sum_curves(data: BinnedColumns, curve: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: BinSums | None = None, threads: int = 1) -> BinSums:
    """
    Sums of curves of all rows, by column and bin. Weights are those of other sums, or the same as curves.
    """

class WordBigrams:
    """How often words follow each other."""

    def __init__(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], number_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int) -> None:
        """
        Bigrams of sentences ids[start[k]:start[k+1]]; number_of[id] is the word, -1: left out.
        """

    @property
    def words(self) -> int: ...

    @property
    def total(self) -> int: ...

    @property
    def distinct(self) -> int: ...

class ClassExchange:
    """Words in classes, and moves that raise F."""

    def __init__(self, bigrams: WordBigrams, class_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int) -> None:
        """Classes 1 .. classes, one for each word."""

    def exchange(self, begin: int, end: int, threads: int) -> int:
        """
        Moves words begin .. end-1 to their best classes; returns how many have moved.
        """

    def anneal(self, begin: int, end: int, heat: float, seed: int, threads: int) -> int:
        """
        Moves words to classes drawn by exp(F / heat); returns how many have moved.
        """

    def objective(self) -> float:
        """F in nats, from the counts."""

    @property
    def rounded_objective(self) -> int:
        """F in whole numbers, as moves have changed it."""

    def recomputed_objective(self) -> int:
        """F in whole numbers, from the counts."""

    def class_of(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The class of each word."""

class Indexer:
    """Turns text into word numbers, block by block."""

    def __init__(self, max_words: int, max_bytes: int, skip_bad: bool = False) -> None: ...

    def forbid(self, first: int, last: int) -> None:
        """Known words from first to last may not stand in the text."""

    def next_text(self) -> None:
        """Another text follows: its lines are counted anew."""

    @property
    def skipped(self) -> int: ...

    @property
    def examples(self) -> list[tuple[int, str]]:
        """Lines and reasons of the first that were skipped."""

    def know(self, lines: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Gives these words, one a line, the first numbers."""

    def feed(self, block: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, str, str, str | None] | None:
        """
        Takes the next bytes; line and reason of the first bad line, if there is one.
        """

    def finish(self) -> tuple[int, str, str, str | None] | None:
        """The text has ended: what stands behind its last line feed is a line."""

    def take_ids(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """Word numbers since the last time."""

    def take_ends(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """
        Where lines end among all word numbers, for the lines since the last time.
        """

    @property
    def lines(self) -> int: ...

    def word_bytes(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]:
        """All words, one behind the other."""

    def word_start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """Where each word begins in the bytes, and where the last one ends."""

class Segmenter:
    """Words into morphemes."""

    def __init__(self, morphemes: Sequence[str], counts: Sequence[int]) -> None: ...

    @staticmethod
    def learn(words: Sequence[str], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rounds: int) -> Segmenter:
        """Learns morphemes from distinct words and how often they occur."""

    def __len__(self) -> int: ...

    @property
    def morphemes(self) -> list[str]: ...

    @property
    def counts(self) -> list[int]: ...

    def segment(self, word: str) -> list[tuple[str, int]]:
        """
        Texts and numbers of the morphemes of a word; -1: an unknown character.
        """

    def numbers(self, words: Sequence[str]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
        """
        Numbers of the morphemes of words, one word after the other, and where each begins.
        """

class LargeFeatures:
    """The large feature set of rules."""

    def __init__(self, source: tuple[Sequence[str], Sequence[str], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], int, object], target: tuple[Sequence[str], Sequence[str], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], int, object], class_pairs: Sequence[tuple[int, int]], link_source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sides are (top words, words, their classes, number of classes, segmenter).
        """

    def __len__(self) -> int: ...

class SentenceOptions:
    """What may stand for the spans of a sentence."""

    def __len__(self) -> int: ...

    @property
    def begin(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def end(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def rule(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def origin(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

    @property
    def target_start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def target(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def extra_words(self) -> list[bytes]: ...

    @property
    def features(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def orientations(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    def set_features(self, first: int, columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Values of features, from column `first` on."""

    def set_orientations(self, first: int, columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Log probabilities, from column `first` on."""

    def set_added_score(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """What features that are not columns are worth."""

class SearchResult:
    """What a search has found."""

    @property
    def report(self) -> tuple[int, bool, bool, bool]: ...

    def take_forest(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
        """
        edge_start, tail_start, tail, dense, yield_start, yield_symbol, edge_label, best_edges; once.
        """

    @property
    def best(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], float]: ...

    @property
    def phrases(self) -> tuple[list[int], list[int], list[int], list[int], list[int], list[int]]:
        """
        Begin, end, rule id, origin, target_start and target words of the best translation.
        """

class FeatureLayout:
    """The dense features of a decoder, in their order."""

    def __init__(self, rows: Sequence[tuple[str, str, int]]) -> None:
        """Rows are (name, kind, index)."""

    def __len__(self) -> int: ...

    @property
    def names(self) -> list[str]: ...

    @property
    def rows(self) -> list[tuple[str, str, int]]: ...

    @property
    def stateless(self) -> int:
        """Number of features that depend on an option alone; they come first."""

    def block(self, kind: str) -> tuple[int, int]:
        """Position of the first feature of a kind, and how many there are."""

class PhraseModel:
    """Models of a phrase-based decoder."""

    def __init__(self, layout: FeatureLayout, table: object, language_models: Sequence[object], slots: Sequence[tuple[int, int, int, int]], orientation_columns: Sequence[int], reordering: Sequence[tuple[object, int]] = [], trees: Sequence[tuple[Sequence[tuple[int, int, float]], Sequence[float], Sequence[int]]] = [], large: object | None = None) -> None: ...

    def words_without_option(self, words: Sequence[str]) -> list[int]:
        """Places of the words that no rule translates by themselves."""

class PhraseDecoder:
    """A phrase-based decoder: models and weights."""

    def __init__(self, model: object, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int, rule_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        `rule_weights` are those of rules by their numbers in the table, each finite.
        """

    def options(self, sentences: Sequence[Sequence[str]], given: Sequence[Sequence[tuple[int, int, int, Sequence[str]]]], max_span: int, drops_unknown: bool, first_number: int, threads: int, changed: Sequence[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]] | None] = [], columns: Sequence[int] = []) -> list[SentenceOptions]:
        """
        The options of sentences of words; given ones are (begin, end, kind, target words). `changed` are rules of each sentence, and what is added to their features at `columns`; -infinity leaves a rule out.
        """

    def search(self, options: Sequence[SentenceOptions], references: Sequence[Sequence[str] | None], is_full: bool, pop_limit: int, beam: float, max_pops: int, seconds: float, boundary_words: int, stack_size: int, distortion_limit: int, with_forest: bool, first_number: int, threads: int) -> list[SearchResult]:
        """Searches for the best translations of many sentences."""

class ChartOptions(SentenceOptions):
    """Rules for the spans of a sentence."""

    @property
    def left(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def matches(self) -> list[tuple[int, int, int, int, list[tuple[int, int, int]]]]:
        """Begin, end, first option, last option, gaps (begin, end, label)."""

class ChartResult:
    """What a hierarchical search has found."""

    @property
    def report(self) -> tuple[int, bool, bool, bool]: ...

    def take_forest(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
        """
        edge_start, tail_start, tail, dense, yield_start, yield_symbol, edge_label, best_edges; once.
        """

    @property
    def score(self) -> float: ...

    @property
    def nodes(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """Begin, end and label of each node of the forest."""

class HieroModel:
    """Models of a hierarchical decoder."""

    def __init__(self, layout: FeatureLayout, table: object, language_models: Sequence[object], glue_label: int, trees: Sequence[tuple[Sequence[tuple[int, int, float]], Sequence[float], Sequence[int]]] = [], large: object | None = None) -> None: ...

    def words_without_option(self, words: Sequence[str]) -> list[int]:
        """Places of the words that no rule translates by themselves."""

class HieroDecoder:
    """A hierarchical decoder: models and weights."""

    def __init__(self, model: object, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int, rule_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        `rule_weights` are those of rules by their numbers in the table, each finite.
        """

    def options(self, sentences: Sequence[Sequence[str]], given: Sequence[Sequence[tuple[int, int, int, Sequence[str]]]], max_span: int, drops_unknown: bool, first_number: int, threads: int, changed: Sequence[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]] | None] = [], columns: Sequence[int] = []) -> list[ChartOptions]:
        """
        The options of sentences of words; given ones are (begin, end, kind, target words). `changed` are rules of each sentence, and what is added to their features at `columns`; -infinity leaves a rule out.
        """

    def search(self, options: Sequence[ChartOptions], references: Sequence[Sequence[str] | None], is_full: bool, pop_limit: int, beam: float, max_pops: int, seconds: float, boundary_words: int, cell_size: int, with_forest: bool, first_number: int, threads: int) -> list[ChartResult]:
        """
        Searches for the best translations of many sentences; without a forest, that of the best one alone is made.
        """

class EventFeatureMaker:
    """Makes the features of orientation events."""

    def __init__(self, templates: tuple[int, bool, bool, bool, bool, int], source_class: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_class: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], unknown_source: int, unknown_target: int) -> None:
        """
        Templates are window, sides, boundaries, source edges, target edges, symbols.
        """

    def keys(self, sentence: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], source_begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_end: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_end: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]]:
        """Where the keys of each event begin, and the keys."""

class FeatureCounts:
    """How often features occur."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def add(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> None: ...

    def kept(self, min_count: int) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
        """Keys and counts, the most frequent first."""

class FeatureNumbers:
    """Features by number."""

    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def rows(self, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), writable=False)]]:
        """Where the row of each event begins, feature numbers and counts."""

class EventTextReader:
    """Reads orientation events from lines."""

    def __init__(self, classes: Sequence[str]) -> None: ...

    def read(self, lines: Sequence[str]) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
        """The arrays of events, one of each line."""

    @property
    def source_words(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]: ...

    @property
    def target_words(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]: ...

def plan_feature_slots(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
    """Keys of the slots of a table, and the slot of each key."""

class LinearReordering:
    """Log probabilities of orientations."""

    def __init__(self, *, directions: int, classes: int, slots: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: int, offset: Sequence[float], scale: Sequence[float], bias: Sequence[float], totals: Sequence[float], rounded: int, step: float, templates: tuple[int, bool, bool, bool, bool, int], source_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], source_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], target_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], source_class: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_class: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], unknown_source: int, unknown_target: int) -> None: ...

    def source_numbers(self, words: Sequence[str]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    def target_numbers(self, words: Sequence[str]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    def log_probabilities(self, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """Rows of all events, one after the other."""

    def weights(self, key: int) -> list[float]:
        """The weights of a feature; empty if the model does not have it."""

class ForestView:
    """A validated forest, as kernels see it."""

class FeatureView:
    """Validated features of the edges of a forest."""

def make_forest(edge_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tail_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tail: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ForestView:
    """
    Check bounds, grouping and bottom-up order; the view keeps the arrays alive.
    """

def make_features(dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], id: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sparse_features: int) -> FeatureView:
    """Check offsets, ids and values; the view keeps the arrays alive."""

def check_reachable(forest: ForestView) -> None:
    """Refuse nodes that stand in no derivation of the root."""

def check_yield(forest: ForestView, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int) -> None:
    """Refuse yields that name no word or no tail, or not every tail once."""

def inside_log(forest: ForestView, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def inside_outside_log(forest: ForestView, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], outside: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def inside_outside_real(forest: ForestView, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], outside: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def inside_outside_tropical(forest: ForestView, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], outside: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def viterbi(forest: ForestView, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], best: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], edge: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def max_marginals(forest: ForestView, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], marginal: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def keep_best(forest: ForestView, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], best: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: float, most: int, keep: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None:
    """
    1 for the edges of good derivations, by max marginals, and for those of the best one.
    """

def inside_outside_signed(forest: ForestView, numbers: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], outside: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def count_derivations(forest: ForestView, keep: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], count: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')]) -> None:
    """Derivations of each node; 2^64-1 means at least that many."""

def edge_conditionals(forest: ForestView, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> float:
    """Returns log Z."""

def edge_counts(forest: ForestView, q: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def centre_local(forest: ForestView, q: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], r: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> float:
    """Returns the expected sum of r."""

def edge_covariances(forest: ForestView, q: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], r: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> float:
    """Returns the expected sum of r."""

def occurrence_probabilities(forest: ForestView, q: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mark_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mark: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], probability: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], span: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> None: ...

def edge_scores(features: FeatureView, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None: ...

def add_features(features: FeatureView, coefficient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], total: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None: ...

def dot(a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """
    The sum of a[i] b[i] over the i where a[i] is not zero, always in the same order.
    """

def pack_forest(nodes: int, heads: Sequence[int], tails: Sequence[Sequence[int]], yields: Sequence[Sequence[int]], best_edges: Sequence[int]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
    """
    What leads to the last node: edge_start, tail_start, tail, yield_start, yield_symbol, the edge that each one was, and the best derivation.
    """

class ForestBatch:
    """Many forests with the same features."""

def make_batch(forests: Sequence[ForestView], features: Sequence[FeatureView], edge_maps: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]] = [], numbers: Sequence[int] = []) -> ForestBatch:
    """
    The views are kept alive. With edge maps, edge e of a forest has row edge_map[e] of its features; `numbers` are those of the forests in the whole set, for errors.
    """

def batch_scores(batch: ForestBatch, theta: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """Scores of all edges, a row for each row of theta."""

def batch_best(batch: ForestBatch, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
    """
    Each forest's best derivation: offsets, and edges in pre-order, numbered in the batch.
    """

def batch_objective(batch: ForestBatch, subset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shard: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: tuple[float, float, float, float], parts: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """
    Adds risk, entropy and log loss of forests, and gradients, to the rows of their shards; `terms` are γ and how much each counts.
    """

def batch_risk(batch: ForestBatch, row_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, risk: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], slope: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """
    The expected loss of each forest, and its derivative by the score of each row of features.
    """

def hope_and_fear(batch: ForestBatch, number: int, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
    """
    Edges (rows of features) of the best derivations by score plus and less the gain.
    """

def feature_difference(features: FeatureView, more: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], less: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]:
    """
    Places in theta, ascending, and values of the features of rows `more` less rows `less`.
    """

def upper_envelopes(batch: ForestBatch, intercept: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
    """
    Lines that are highest somewhere: offsets by forest, where each begins, offsets of derivations, their edges.
    """

def line_search(line_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scorer: MetricScorer, lower: float, upper: float, min_width: float) -> tuple[float, float, float]:
    """The best place on the line, the gain there, and the gain at 0."""

def mira_pass(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: FeatureView, statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scorer: MetricScorer, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: tuple[float, float, float], theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], drift: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], background: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], steps: int) -> int:
    """
    One pass of MIRA in this order; `settings` are C, decay and the scale of gains. Returns how many lists moved theta.
    """

def l1_pass(difference: FeatureView, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hinge: bool, settings: tuple[float, float, float], theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], paid: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], owed: float, steps: int) -> tuple[float, float]:
    """
    One pass of descent on a ranking loss with a cumulative L1 penalty; `settings` are the penalty, the rate and its decay. Returns the sum of losses and what is now owed.
    """

class NgramTable:
    """The n-grams of a back-off model, in suffix order."""

    def __init__(self) -> None: ...

    def add_order(self, word: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], probability: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], backoff: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """The n-grams of the next order; unchecked."""

    @property
    def order(self) -> int: ...

    def size(self, n: int) -> int:
        """How many n-grams there are of an order."""

    def columns(self, n: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), writable=False)]]:
        """
        First words, numbers of children, probabilities and back-offs of an order.
        """

class NgramEstimator:
    """Text into a back-off model, step by step."""

    def __init__(self, order: int, words: int, cutoffs: Sequence[int], folder: str, bytes: int, threads: int) -> None: ...

    def expect(self, places: int) -> None:
        """How many words and ends of sentences there will be."""

    def add(self, text: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Sentences; the k-th ends before text[ends[k]]."""

    def count(self) -> None:
        """No more text: sorts and counts."""

    def sizes(self) -> list[list[int]]:
        """
        For each order: n-grams, those that are not cut, those with count 1, 2, 3 and 4.
        """

    @property
    def is_in_memory(self) -> bool: ...

    def go_on(self, sizes: Sequence[Sequence[int]], done: int) -> None:
        """
        Goes on from the files of another that had these sizes and orders done.
        """

    def smooth(self, n: int, discounts: Sequence[float]) -> None:
        """Probabilities of an order; orders from 1 on."""

    def finish(self) -> NgramTable:
        """The model; no more can be asked."""

class ArpaReader:
    """Reads an ARPA file, block by block."""

    def __init__(self, folder: str, bytes: int, threads: int, max_bytes: int) -> None:
        """
        What does not fit into so many bytes of memory goes to files in the folder.
        """

    def feed(self, block: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, str, str, str | None] | None:
        """
        Takes the next bytes; line and reason of the first bad line, if there is one.
        """

    def finish(self) -> tuple[int, str, str, str | None] | None:
        """The file has ended: puts the table together."""

    def take_table(self) -> NgramTable:
        """The table, once."""

    def word_bytes(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]:
        """All words, one behind the other."""

    def word_start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """Where each word begins in the bytes, and where the last one ends."""

    @property
    def counts(self) -> list[int]:
        """How many n-grams the file has of each order."""

    @property
    def added(self) -> list[int]:
        """How many more were needed, so that every prefix and suffix is there."""

    @property
    def missing(self) -> list[str]:
        """Which of <unk>, <s> and </s> it does not have."""

    @property
    def infinite(self) -> int:
        """How many numbers were -inf, and are -99 now."""

    @property
    def positive(self) -> int:
        """How many log probabilities were a little more than 0, and are 0 now."""

class ArpaWriter:
    """Writes a table as an ARPA file, block by block."""

    def __init__(self, table: NgramTable, word_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], word_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> None: ...

    def next(self) -> bytes:
        """The next bytes of the file; none behind the last."""

class LinksView:
    """Links of many sentences, checked."""

    def __init__(self, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def links_from_choices(choice: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], chose_sources: bool) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]: ...

def symmetrize(forward: LinksView, backward: LinksView, method: str, order: str, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
    """start, source and target of the links that two alignments make."""

def parse_links(lines: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first_line: int, base: int, may_be_possible: bool) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]], Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)], tuple[int, str, str, str | None] | None]:
    """
    Arrays of the links of whole lines, which are possible ones, and the first bad line.
    """

def format_links(links: LinksView, possible: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, end: int) -> bytes:
    """Some sentences as lines; `possible` marks links, or is empty."""

class ModelWriter:
    """Writes the parts of a language model's file."""

    def __init__(self, table: NgramTable, word_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], word_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_small: bool, bits: int, seed: int, folder: str, max_memory: int, threads: int) -> None: ...

    @property
    def parts(self) -> list[str]: ...

    def write(self, part: str, take: Callable[[bytes], object]) -> bool:
        """
        Gives the bytes of a part to `take`, piece by piece; false if another seed is needed.
        """

class LanguageModel:
    """A language model in a mapped file."""

    def __init__(self, file: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Mapping[str, tuple[int, int]], is_small: bool, bits: int, seed: int, counts: Sequence[int]) -> None: ...

    def find_word(self, word: str) -> int:
        """The number of a word, or that of the unknown word."""

    def score(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, begin: bool, end: bool, first_number: int, threads: int, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
        """log10 probability of each line of a text."""

    def score_words(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, begin: bool, end: bool, first_number: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]]:
        """
        Where lines begin among all words, then score, n-gram length and number of each word.
        """

    def score_one(self, sentence: str, begin: bool, end: bool) -> float:
        """log10 probability of a sentence."""

    def score_words_of_one(self, sentence: str, begin: bool, end: bool) -> tuple[list[float], list[int], list[int]]:
        """Score, n-gram length and number of each word."""

    def state(self, context: Sequence[int]) -> list[int]:
        """What matters of a context, the latest word last."""

    def advance(self, context: Sequence[int], word: int) -> tuple[float, int, list[int]]:
        """Score and n-gram length of a word, and the state after it."""

    def score_chart(self, symbols: Sequence[int], parts: Sequence[Sequence[int]], begins: bool) -> tuple[float, list[int]]:
        """Score and state of a part of a sentence: words, and -1-k for parts[k]."""

    def score_all(self, context: Sequence[int], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
        """log10 probability of every word."""

    def sample(self, count: int, seed: int, max_words: int, context: Sequence[int], threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]]:
        """Where texts begin among all words, then the number of each word."""

    def table(self) -> NgramTable:
        """The n-grams of a model of the small layout."""

    def check(self) -> None:
        """Reads everything; refuses what no writer wrote."""

class FuzzyIndex:
    """Sentences of a translation memory by likeness."""

    def __init__(self, words: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], word_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], id_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], postings: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], posting_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def find(self, words: Sequence[str], least: float, most: int = 1) -> list[tuple[int, int, float]]:
        """Row, distance and score of up to `most` sentences, the best first."""

class MetricScorer:
    """The score of summed statistics."""

    def __init__(self, kind: str, higher_is_better: bool = True, orders: int = 4, factor: float = 100.0, smooth: str = 'exp', smooth_value: float = 0.0, effective_order: bool = False, beta: float = 2.0) -> None: ...

    @property
    def width(self) -> int: ...

    @property
    def factor(self) -> float: ...

def metric_scores(scorer: MetricScorer, statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """The score of each row of summed statistics."""

def bleu_statistics(hypothesis_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_word_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_word_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], orders: int, clip: bool, threads: int, statistics: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """
    Lengths, matches and n-grams of each hypothesis; one column more is the shorter length.
    """

def chrf_statistics(hypothesis_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_char_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_char: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_char_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_char: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_word_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_word_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], char_orders: int, word_orders: int, scorer: MetricScorer, threads: int, statistics: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """
    N-grams of each hypothesis and of its best reference, and their matches, for each order.
    """

def edit_statistics(hypothesis_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_word_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_word_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, statistics: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """
    Edits from each hypothesis to its nearest reference, and that reference's length.
    """

def known_ngrams(reference_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ngram_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ngram: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], known: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None:
    """1 for each n-gram that one of the references has."""

def oscar_prox(a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: float, penalty: tuple[float, float, float], weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """
    The proximal step of OSCAR from scratch; `penalty` is λ1, λ2 and the dimension.
    """

class OscarWeights:
    """Weights that shrink under OSCAR's penalty."""

    def __init__(self, penalty: tuple[float, float, float], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def step(self, id: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], change: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], eta: float) -> None:
        """Adds to weights, then makes the proximal step of size eta."""

    def write(self, weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], sum: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
        """All weights, and their sums after each step."""

    @property
    def blocks(self) -> int:
        """Distinct sizes of weights other than zero."""

class OscarPass:
    """A pass of online learning over rows of tables."""

    def __init__(self, penalty: tuple[float, float, float], batch: int, dense: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sum: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], steps: tuple[int, int]) -> None: ...

    def run(self, difference: FeatureView, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """
        Half-steps on the hinge loss of these rows; returns the sum of losses before each.
        """

    def finish(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], tuple[int, int]]:
        """
        Weights, their sums after each proximal step, and how many half-steps and proximal steps there were.
        """

    @property
    def blocks(self) -> int:
        """Distinct sizes of sparse weights other than zero."""

class Examples:
    """Sparse examples in flat arrays."""

def row_width(classes: int) -> int:
    """Numbers in a feature's row of weights."""

def make_examples(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], count: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_features: int, is_checked: bool = False, threads: int = 1) -> Examples:
    """
    The arrays are kept alive; they are checked unless that was done before.
    """

def check_labels(label: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int) -> None:
    """Refuses labels that are not below `classes`."""

def ordered_examples(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_features: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), writable=False)]]:
    """
    Features in ascending order, repeated ones added up; no values if all are 1.
    """

def gather_examples(examples: Examples, index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], count: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], value: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """Copies some examples to where `start` says."""

def linear_log_probabilities(examples: Examples, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """Log probabilities of classes: a row for each example."""

class DualProblem:
    """Examples, labels and settings of the dual."""

    @property
    def blocks(self) -> int: ...

def make_dual(examples: Examples, label: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, sigma2: float, trials: int, is_exact: bool, shards: int, block: int, seed: int) -> DualProblem:
    """
    Block b is of shard b modulo `shards`; `blocks` are those of the first shard.
    """

def dual_start(problem: DualProblem, epsilon: float, log_alpha: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """log α to begin with."""

def dual_pass(problem: DualProblem, shrink: float, log_alpha: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], active: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], pass_number: int, first: int, last: int, threads: int = 1) -> tuple[int, int, int]:
    """
    Visits the active examples of some blocks of each shard; returns how many were visited, how many stay active, and how many found no step.
    """

def merge_shards(before: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], shards: int, threads: int = 1) -> None:
    """Adds the changes of all shards to the weights from before."""

def dual_weights(problem: DualProblem, log_alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], first: int, last: int, threads: int = 1) -> None:
    """Adds the examples of some blocks of each shard to weights."""

def add_shards(weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], shards: int, threads: int = 1) -> None:
    """Gives all shards the sum of their weights."""

def dual_check(problem: DualProblem, shrink: float, log_alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], active: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], first: int, last: int, threads: int = 1) -> tuple[float, float, float, int]:
    """
    Loss, Σ α log α, the duality gap, and how many examples are active, of some blocks.
    """

class PrimalProblem:
    """Averaged descent, where it has come to."""

    @property
    def steps(self) -> int: ...

def make_primal(examples: Examples, label: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, lambda_: float, rate: float, average_from: int, block: int, seed: int) -> PrimalProblem:
    """Weights of zero; steps are averaged from step `average_from` on."""

def primal_pass(problem: PrimalProblem, pass_number: int, first: int, last: int) -> None:
    """Visits some blocks."""

def primal_weights(problem: PrimalProblem, average: bool, weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """The weights or their average."""

def log_loss(examples: Examples, label: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> float:
    """Log loss of a linear model, summed over examples."""

def count_features(examples: Examples, label: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, presence: bool, count: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """Adds what examples have of features, by class, to `count`."""

def bayes_log_probabilities(examples: Examples, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """
    Log probabilities of classes under naive Bayes; with `counts`, Dirichlet-multinomial.
    """

class AlignedCorpus:
    """Sentence pairs and their links, checked."""

    def __init__(self, source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], link_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], link_source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_words: int, target_words: int) -> None: ...

    def __len__(self) -> int: ...

    def word_pairs(self, folder: str, max_memory: int, threads: int) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]]: ...

    def rank_phrases(self, is_target: bool, length: int, folder: str, max_memory: int, threads: int, ranks: str, places: str, shared: str) -> None: ...

class GapSettings:
    """What hierarchical rules may be."""

    def __init__(self, *, max_source: int, max_target: int, max_symbols: int, max_gaps: int, min_gap_source: int, min_gap_target: int, allow_adjacent: bool, need_link: bool, tight: bool, tight_gaps: bool, whole_counts: bool) -> None: ...

class RuleTotals:
    """What was counted of all rules."""

    def __init__(self, rules: int, sources: int, bytes: int, count: float, of_count: Sequence[int], orientation: Sequence[int]) -> None: ...

    @property
    def rules(self) -> int: ...

    @property
    def sources(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def count(self) -> float: ...

    @property
    def of_count(self) -> list[int]: ...

    @property
    def orientation(self) -> list[int]: ...

class InstanceCollector:
    """Where rules are seen in a corpus."""

    def __init__(self, corpus: AlignedCorpus, source_ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_phrase: int, gaps: GapSettings | None, orientation: int, source_values: Sequence[int], target_values: Sequence[int], folder: str, max_memory: int, threads: int) -> None: ...

    def __len__(self) -> int: ...

    def add(self, begin: int, end: int) -> None: ...

    def sort(self, pairs: str, targets: str) -> None: ...

    def write(self, most: int) -> int: ...

    @property
    def totals(self) -> RuleTotals: ...

    @staticmethod
    def write_marginals(targets: str, rules: int, has_gaps: bool, discounts: Sequence[float] | None, folder: str, max_memory: int, threads: int, marginals: str) -> None: ...

def rules_of_pairs(corpus: AlignedCorpus, table: RuleTable, max_phrase: int, gaps: GapSettings | None, pairs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]:
    """
    The rules of a table that sentence pairs have: where each pair begins, rules, and what is added to their two scores without the pair.
    """

class LexicalWeights:
    """How likely words translate each other."""

    def __init__(self, key: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], source_words: int, target_words: int) -> None: ...

class PhraseIndex:
    """Where phrases stand in a text."""

    def __init__(self, ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], shared: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], length: int) -> None: ...

class ScoreSettings:
    """How rules are scored, and which are kept."""

    def __init__(self, *, smoothing: int, good_turing: Sequence[float], kneser_ney: Sequence[float], min_count: float, min_gapped: int, limit: int, min_significance: float, has_gaps: bool, has_orientation: bool, splits_discontinuous: bool, orientation_prior: Sequence[float]) -> None: ...

class RuleScorer:
    """Scores rules and writes them into a table."""

    def __init__(self, corpus: AlignedCorpus, lexicon: LexicalWeights, settings: ScoreSettings, totals: RuleTotals, pairs: str, marginals: str, table: RuleTableWriter, threads: int) -> None: ...

    def set_index(self, source: PhraseIndex, target: PhraseIndex) -> None: ...

    def step(self) -> int: ...

    @property
    def kept(self) -> int: ...

    @property
    def rare(self) -> int: ...

    @property
    def insignificant(self) -> int: ...

    @property
    def over_limit(self) -> int: ...

    @staticmethod
    def significance(both: int, source: int, target: int, all: int) -> float: ...

class RuleTableWriter:
    """Writes the files of a rule table."""

    def __init__(self, folder: str, labels: Sequence[str], features: Sequence[str], groups: Sequence[Sequence[str]]) -> None: ...

    def set_text(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """The target side of the training text; before the first rule."""

    def add(self, left: int, source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], links: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Sequence[float], features: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence: int = -1, target_place: int = -1, id: int | None = None) -> None: ...

    def finish(self, source_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], source_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], target_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Writes the files, with the words of both sides."""

    def __len__(self) -> int: ...

class RuleTable:
    """A table of rules in mapped files."""

    def __init__(self, files: Mapping[str, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def num_ids(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int]: ...

    def source(self, rule: int) -> list[int]:
        """The symbols of a rule's source."""

    def rule(self, rule: int) -> tuple[int, list[int], list[tuple[int, int]], tuple[float, float, float], list[float], int, int]:
        """
        Left label, target, links, counts, features, sentence and id of a rule.
        """

    def find(self, source: Sequence[int]) -> tuple[int, int]:
        """The first of the rules of a source, and behind the last."""

    def ids(self, rules: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """The ids of rules."""

    def feature_rows(self, rules: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), writable=False)]:
        """The features of rules, a row each."""

    def rule_of(self, id: int) -> int:
        """The rule of an id; behind the last one if there is none."""

    def add_by_id(self, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> int:
        """
        Adds values to those of the rules of ids, which ascend; how many are not 0.
        """

    def find_word(self, is_target: bool, word: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """The number of a word; -1 if it has none."""

    def word(self, is_target: bool, number: int) -> bytes: ...

    def num_words(self, is_target: bool) -> int: ...

    def number_words(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
        """Source words as numbers, and where lines begin."""

    def options(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], max_span: int, limit: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), writable=False)]]:
        """
        Begin, end, rule, target_start, target and features of the options of a sentence.
        """

    def matches(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], max_span: int, min_gap: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """
        Begin, end, first and last rule, gap_start, gap_begin and gap_end of all matches.
        """

    def check(self) -> None:
        """Refuses what a writer never writes."""

class TableFilter:
    """Finds the rules that sentences can use."""

    def __init__(self, table: RuleTable) -> None: ...

    def add(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> None:
        """Sentences, one a line."""

    def write(self, writer: RuleTableWriter, limit: int) -> None:
        """
        The first rules of each source that a sentence has, and the words they use.
        """

class AlignedSentence:
    """One sentence pair and its links."""

    def __init__(self, source_length: int, target_length: int, source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def phrases(self, max_source: int, max_target: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), writable=False)]:
        """Rows of source begin and end, target begin and end."""

    def gapped(self, max_source: int = 10, max_target: int = 10, max_symbols: int = 5, max_gaps: int = 2, min_gap_source: int = 1, min_gap_target: int = 1, allow_adjacent: bool = False, need_link: bool = True, tight: bool = True, tight_gaps: bool = False, whole_counts: bool = False) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), writable=False)]:
        """
        Rows of a phrase pair, the number of its gaps, two gaps, and the share of the phrase pair that each counts, as 1 / share.
        """

    def orientation(self, kind: str, direction: str, max_phrase: int, box: Sequence[int]) -> int:
        """0 monotone, 1 swap, 2 left, 3 right."""

class OrientationEvents:
    """What is asked of an aligned corpus."""

    def __init__(self, corpus: AlignedCorpus, kind: str, directions: Sequence[str], classes: str, max_phrase: int) -> None: ...

    def block(self, begin: int, end: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], list[Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """The arrays of the events of some sentences."""

class RuleFormat(enum.Enum):
    """How lines of rules are written."""

    moses_phrases = 0

    moses_grammar = 1

    cdec = 2

    joshua = 3

    moses_reordering = 4

class TextRules:
    """Rules that come from text, until they go into a table."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int) -> tuple[int, list[int], list[int], list[tuple[int, int]], list[float], tuple[float, float, float], int]:
        """
        Behind finish: left, source, target, links, features, counts and line of a rule.
        """

    def finish(self, by: int) -> None:
        """
        Numbers words and labels, sorts rules; those of one source by a feature, if not -1.
        """

    def write(self, writer: RuleTableWriter, begin: int, end: int) -> None:
        """Behind finish: some of the rules, in order."""

    def is_constant(self, feature: int, value: float) -> bool: ...

    def set_constant(self, feature: int, value: float) -> None: ...

    @property
    def features(self) -> list[str]: ...

    @property
    def labels(self) -> list[str]: ...

    def source_words(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]:
        """All words, one behind the other, and where each begins."""

    def target_words(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]]: ...

class LineReader:
    """Reads a text table, block by block."""

    def feed(self, block: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, str, str, str | None] | None:
        """
        Takes the next bytes; line and reason of the first bad line, if there is one.
        """

    def finish(self) -> tuple[int, str, str, str | None] | None:
        """The text has ended."""

    @property
    def skipped(self) -> int:
        """Bad lines that were skipped."""

    @property
    def examples(self) -> list[tuple[int, str, str, str | None]]:
        """The first few of them: line, reason, code and what is wrong."""

    @property
    def zeros(self) -> int:
        """Probabilities that are 0, or as good as."""

class RuleTextReader(LineReader):
    """Reads rules."""

    def __init__(self, format: RuleFormat, prefix: str, max_bytes: int, skip_bad: bool) -> None:
        """Features without a name are called by the prefix and their place."""

    @property
    def rules(self) -> TextRules: ...

    @property
    def left_out(self) -> int:
        """Lines with sparse features or properties."""

    @property
    def labelled(self) -> int:
        """Phrases whose sides both end with a label, such as [X]."""

class ReorderingReader(LineReader):
    """Reads a reordering table, joined with rules."""

    def __init__(self, rules: TextRules, directions: int, classes: int, max_bytes: int, skip_bad: bool) -> None: ...

    @property
    def unmatched(self) -> int:
        """Lines that no rule has."""

    @property
    def missing(self) -> int:
        """Rules that no line has."""

class RuleTextWriter:
    """Writes rules as text, block by block."""

    def __init__(self, table: RuleTable, format: RuleFormat, labels: Sequence[str], features: Sequence[str], columns: Sequence[int], prefix: str, skip_unwritable: bool, threads: int) -> None: ...

    def next(self) -> bytes:
        """The next bytes of the file; none behind the last."""

    @property
    def skipped(self) -> int:
        """Rules that were left out so far."""

class KBest:
    """Derivations best first, one at a time."""

    def next(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], float] | None:
        """Edges in pre-order and log score; None at the end."""

def start_k_best(forest: object, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], distinct: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> KBest:
    """
    With a validated yield, of distinct strings. The weights must not change meanwhile.
    """

def follow(forest: ForestView, back: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
    """Edges of the derivation that back-pointers describe."""

def k_best(forest: ForestView, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, distinct: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]:
    """
    Rows of edges and their scores; with a validated yield, of distinct strings.
    """

def sample(forest: ForestView, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], q: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], draws: int, seed: int, threads: int = 1) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]: ...

def derivation_yields(forest: ForestView, yield_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], yield_symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
    """Rows of words, one a row of edges."""

def feature_sums(features: FeatureView, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]:
    """
    The features of rows of edges, each a sum: dense ones, and rows of sparse ones.
    """

def number_words(symbols: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
    """
    The words among symbols, ascending, and the symbols with words by their places there.
    """

def gather_ids(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], item: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
    """The given rows, in order; -1 stands for an empty row."""

def gather_values(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], item: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]:
    """The given rows, in order; -1 stands for an empty row."""

def select_edges(forest: ForestView, keep: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
    """
    (edge_start, head, tail_start, tail, edge_map, node_map) of what is left.
    """

def topological_sort(nodes: int, head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tail_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tail: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], root: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]: ...

def share_equal_parts(forest: ForestView, yield_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], yield_symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], features: FeatureView, rule: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]: ...

def find_ngrams(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], id: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: int, order: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
    """The place of each n-gram among ascending keys; -1: it is none of them."""

def refine(forest: ForestView, yield_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], yield_symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int, begin: int, end: int, max_edges: int) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]: ...

def check_automaton(arc_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], next: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], final_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], initial: int) -> None: ...

def intersect(forest: ForestView, yield_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], yield_symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arc_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], next: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], final_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], initial: int, max_edges: int) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]: ...

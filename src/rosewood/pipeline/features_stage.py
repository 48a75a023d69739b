"""The stage `features`: what the large feature set knows of words, from the aligned corpus.

Word classes are learned apart from those of reordering models: there are fewer of them, as each is
a column.  Morphemes are learned from the words of each side; the aligner then aligns the corpus of
morphemes, and its links are counted.  A run has this stage if it asks for the large set.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood.align import Aligner, Links
from rosewood.align.models import make_model
from rosewood.corpus import IndexedCorpus, IndexedText, WordClasses
from rosewood.corpus.segmenter import Segmenter
from rosewood.decode.large_features import LargeFeatures, LargeSide, MorphemeLinks
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.model_stages import read_links
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Task
from rosewood.shared_types import ProgressCallback

LARGE = "large_features"  # the folder of the large feature set
TOP_WORDS = 15  # words of each side whose insertions or deletions are counted, as in the paper
CLASS_PAIRS = 96  # with 20 classes, and the features of a phrase decoder, about 190 columns
_SENTENCES = 1 << 16  # looked at together


def features_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides the stage."""
    return {
        "classes": settings.feature_classes,
        "seed": settings.seed,
        "align": [settings.aligner, settings.symmetrization],
    }


def large_features(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Write the folder of the large feature set."""
    settings = task.settings
    corpus = IndexedCorpus.open(task.needs["tokenise"].folder / "corpus")
    links = read_links(task.needs["align"].folder)
    task.going.mkdir(exist_ok=True)
    sides = {}
    for side, text in (("source", corpus.source), ("target", corpus.target)):
        told(f"{side} morphemes", 0, None)
        segmenter = Segmenter.of_text(text)
        classes = WordClasses.learn(
            text, settings.feature_classes, threads=task.threads, seed=settings.seed,
            work=task.going / f"{side}.classes", told=_named(f"{side} classes", told),
        )  # fmt: skip
        sides[side] = LargeSide(classes.words[:TOP_WORDS], classes, segmenter)
    one, other = sides["source"], sides["target"]
    made = LargeFeatures(
        one,
        other,
        linked_classes(corpus, links, one.classes, other.classes, most=CLASS_PAIRS),
        morpheme_links(corpus, one.segmenter, other.segmenter, settings, task.threads, told),
    )
    made.save(task.folder / LARGE)
    return {
        "columns": len(made.names),
        "morphemes": [len(one.segmenter), len(other.segmenter)],
        "morpheme_pairs": len(made.links.count),
        "examples": {side: _examples(own) for side, own in sides.items()},
        "notes": [],
    }


def morpheme_links(
    corpus: IndexedCorpus,
    source: Segmenter,
    target: Segmenter,
    settings: TrainingSettings,
    threads: int,
    told: ProgressCallback,
) -> MorphemeLinks:
    """Align the morphemes of a corpus and count their links."""
    morphemes = IndexedCorpus(
        source.segment_text(corpus.source), target.segment_text(corpus.target)
    )
    model = make_model(settings.aligner)
    planned = getattr(model, "model1", 0) + getattr(model, "iterations", 0)
    rounds = 0

    def report(row: dict[str, Any]) -> None:
        nonlocal rounds
        rounds += 1
        told("aligning morphemes, rounds", rounds, max(planned, rounds))

    _, both = Aligner.fit_align(morphemes, model, threads=threads, report=report)
    return count_links(morphemes, both.symmetrize(settings.symmetrization, threads=threads))


def count_links(corpus: IndexedCorpus, links: Links) -> MorphemeLinks:
    """How often words are linked; those without a link are linked to -1."""
    width = corpus.target.num_types + 1
    keys, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for begin in range(0, len(links), _SENTENCES):
        end = min(begin + _SENTENCES, len(links))
        linked, free = _linked_words(corpus.part(begin, end), links[begin:end])
        some = np.concatenate(
            [
                (linked[0] + 1) * width + linked[1] + 1,
                (free[0] + 1) * width,
                free[1] + 1,
            ]
        )
        new, number = np.unique(some, return_counts=True)
        keys, place = np.unique(np.concatenate([keys, new]), return_inverse=True)
        counts = np.bincount(place, np.concatenate([counts, number]), len(keys)).astype(np.int64)
    source, target = keys // width - 1, keys % width - 1
    return MorphemeLinks(source.astype(np.int32), target.astype(np.int32), counts)


def linked_classes(
    corpus: IndexedCorpus, links: Links, source: WordClasses, target: WordClasses, *, most: int
) -> tuple[tuple[int, int], ...]:
    """The pairs of word classes with the most links; of equal ones the first."""
    of_source, of_target = source.numbers(corpus.source.types), target.numbers(corpus.target.types)
    width = target.num_classes + 1
    counts = np.zeros((source.num_classes + 1) * width, np.int64)
    for begin in range(0, len(links), _SENTENCES):
        end = min(begin + _SENTENCES, len(links))
        linked, _ = _linked_words(corpus.part(begin, end), links[begin:end])
        pairs = of_source[linked[0]].astype(np.int64) * width + of_target[linked[1]]
        counts += np.bincount(pairs, minlength=len(counts))
    order = np.argsort(-counts, kind="stable")
    chosen = (divmod(each, width) for each in order[counts[order] > 0].tolist())
    return tuple([(s, t) for s, t in chosen if s and t][:most])


Ids = NDArray[np.int64]


def _linked_words(corpus: IndexedCorpus, links: Links) -> tuple[tuple[Ids, Ids], tuple[Ids, Ids]]:
    """Word numbers of both ends of all links, and of words without a link."""
    at = np.repeat(np.arange(len(links)), links.counts)
    found: list[tuple[Ids, Ids]] = []
    for text, place in ((corpus.source, links.source), (corpus.target, links.target)):
        found.append(_of_side(text, text.start[at] + place))
    (one, one_free), (other, other_free) = found
    return (one, other), (one_free, other_free)


def _of_side(text: IndexedText, linked: Ids) -> tuple[Ids, Ids]:
    is_free = np.ones(len(text.ids), bool)
    is_free[linked] = False
    return text.ids[linked].astype(np.int64), text.ids[is_free].astype(np.int64)


def _examples(side: LargeSide, most: int = 12) -> list[str]:
    """Frequent words of several morphemes, cut."""
    cut = (side.segmenter.segment(word) for word in side.classes.words)
    several = ("+".join(each) for each in cut if len(each) > 1)
    return [word for word, _ in zip(several, range(most), strict=False)]


def _named(name: str, told: ProgressCallback) -> ProgressCallback:
    return lambda what, done, total: told(f"{name}, {what}", done, total)

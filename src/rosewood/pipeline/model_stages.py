"""The stages `align`, `lm` and `extract`: what a decoder needs, from words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood.align import Aligner, Links
from rosewood.align.models import make_model
from rosewood.corpus import IndexedCorpus, IndexedText
from rosewood.decode import Guesses
from rosewood.decode.guess_judgement import SeenOnce
from rosewood.decode.guessing import MOST_WORDS, judged
from rosewood.errors import TrainingError
from rosewood.lm import Model, estimate, estimate_files
from rosewood.lm.vocabulary import BEGIN, END
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Done, Task
from rosewood.pipeline.tokenise_stage import held_out
from rosewood.rules import RuleTable, extract
from rosewood.rules.settings import ExtractionSettings
from rosewood.shared_types import ProgressCallback

LM = "lm"  # the language model of the training corpus
_LINKS = ("start", "source", "target")  # arrays of an alignment
_SENTENCES = 1 << 16  # looked at together
_EXAMPLES = 6  # alignments that are shown
_SHOWN = (6, 16)  # words of such a sentence
_SEEN_ONCE = 6000  # words that occur once, looked at for how well they are guessed


def align(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Write the links of the corpus: start.npy, source.npy, target.npy."""
    settings, words, threads = task.settings, task.needs["tokenise"], task.threads
    corpus = IndexedCorpus.open(words.folder / "corpus")
    model = make_model(settings.aligner)
    planned = getattr(model, "model1", 0) + getattr(model, "iterations", 0)
    rounds = 0

    def report(row: dict[str, Any]) -> None:
        nonlocal rounds
        rounds += 1
        told("rounds", rounds, max(planned, rounds) + 1)  # what follows takes about as long

    aligner, both = Aligner.fit_align(corpus, model, threads=threads, report=report)
    links = both.symmetrize(settings.symmetrization, threads=threads)
    told("rounds", rounds + 1, rounds + 1)
    for name in _LINKS:
        np.save(task.folder / f"{name}.npy", getattr(links, name))
    linked = [linked_share(links, side, text) for side, text in
              (("source", corpus.source), ("target", corpus.target))]  # fmt: skip
    scores = both.scores(corpus).mean(axis=1)
    return {
        "model": settings.aligner,
        "symmetrization": settings.symmetrization,
        "history": aligner.history,
        "links": len(links.source),
        "unlinked_source": 1.0 - linked[0],
        "unlinked_target": 1.0 - linked[1],
        "examples": _examples(corpus, links, scores),
        "notes": [],
    }


def read_links(folder: Path) -> Links:
    """The links that `align` wrote, mapped."""
    parts = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in _LINKS)
    return Links(*parts)


def linked_share(links: Links, side: str, text: IndexedText, *, block: int = _SENTENCES) -> float:
    """The share of words that have a link; `block` sentences are looked at together."""
    linked = 0
    for begin in range(0, len(links), block):
        some = links[begin : begin + block]
        at = np.repeat(np.arange(begin, begin + len(some)), some.counts)
        linked += len(np.unique(text.start[at] + getattr(some, side)))
    return linked / max(1, len(text.ids))


def _examples(
    corpus: IndexedCorpus, links: Links, scores: NDArray[np.float64]
) -> list[dict[str, Any]]:
    """Sentences of middling length: those the model likes best and least, and some between."""
    lengths = np.maximum(corpus.source.lengths, corpus.target.lengths)
    least, most = _SHOWN
    chosen = np.flatnonzero((lengths >= least) & (lengths <= most) & np.isfinite(scores))
    if not len(chosen):
        chosen = np.flatnonzero(np.isfinite(scores) & (lengths <= 4 * most))
    order = chosen[np.argsort(-scores[chosen], kind="stable")]
    wanted = np.unique(np.linspace(0, len(order) - 1, min(_EXAMPLES, len(order))).astype(int))
    return [
        {
            "number": int(k),
            "source": corpus.source.words(k),
            "target": corpus.target.words(k),
            "links": [list(link) for link in links[int(k)]],
            "score": float(scores[k]),
        }
        for k in order[wanted].tolist()
    ]


def build_lms(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Write lm.rlm, and another model for each file of further text."""
    words = task.needs["tokenise"]
    task.going.mkdir(exist_ok=True)
    texts = {LM: words.folder / "train.target"}
    for number, path in enumerate(sorted(words.folder.glob("mono.*"), key=_number), 1):
        texts[f"lm{number + 1}"] = path
    dev = _references(words)
    facts: dict[str, Any] = {}
    notes: list[str] = []
    for name, file in texts.items():
        with estimate_files(
            [file], task.settings.lm_order, skip_bad=True, max_memory=task.max_memory,
            work=task.going / name, threads=task.threads, told=_named(name, told),
        ) as made:  # fmt: skip
            model = made.save(task.folder / f"{name}.rlm")
            fallbacks = [str(each) for each in made.fallbacks]
            skipped = made.skipped.count
        seen = None if not dev else model.perplexity(dev)
        facts[name] = {
            "order": model.order,
            "tokens": model.facts["tokens"],
            "types": model.facts["types"],
            "ngrams": list(model.counts),
            "discounts": model.facts["discounts"],
            "fallbacks": fallbacks,
            "bytes": (task.folder / f"{name}.rlm").stat().st_size,
            "dev_perplexity": None if seen is None else seen.perplexity,
            "dev_unknown": None if seen is None else seen.unknown,
        }
        notes += [f"language model {name}: {each}" for each in fallbacks]
        if skipped:
            notes.append(f"language model {name}: {skipped:,} sentences with <s> or </s> left out")
    return {"models": facts, "notes": notes}


def estimate_without(
    text: IndexedText, without: Iterable[int], order: int, file: Path, **keywords: Any
) -> Model:
    """A language model of all sentences but some, wherever these stand; `keywords` are those of
    `estimate`."""
    left_out = {" ".join(text.words(i)) for i in without}
    lines = (
        line
        for line in (" ".join(text.words(i)) for i in range(len(text)))
        if line not in left_out and not {BEGIN, END} & set(line.split(" "))
    )
    with estimate(lines, order, **keywords) as made:
        return made.save(file)


def _named(name: str, told: ProgressCallback) -> ProgressCallback:
    return lambda what, done, total: told(f"{name}, {what}", done, total)


def _number(path: Path) -> int:
    return int(path.suffix[1:])


def _references(words: Done) -> list[str]:
    if not (words.folder / "dev.source").exists():
        return []
    first = (each[0] for each in held_out(words.folder, "dev")[1])
    return [text for text in first if not {BEGIN, END} & set(text.split())]


def extract_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides this stage: the settings that mean something for the decoder's rules."""
    return ExtractionSettings(**settings.extraction()).told()


def extract_rules(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Write the rule table, rules/, and what unknown words are guessed by, guesses.json."""
    corpus = IndexedCorpus.open(task.needs["tokenise"].folder / "corpus")
    links = read_links(task.needs["align"].folder)
    made = extract(
        corpus, links, task.folder / "rules", work=task.going, threads=task.threads,
        max_memory=task.max_memory, told=told, **task.settings.extraction(),
    )  # fmt: skip
    learn_guesses(corpus, links, made.table).save(task.folder / "guesses.json")
    notes = []
    if made.facts["fallback"] is not None:
        notes.append(f"rules have fixed discounts: {made.facts['fallback']}")
    if not made.facts["rules"]:
        reason = "no rules were found: are the two sides translations of each other?"
        raise TrainingError(reason, code="training.no-rules")
    return {**made.facts, "bytes": made.table.size, "notes": notes}


def learn_guesses(corpus: IndexedCorpus, links: Links, table: RuleTable) -> Guesses:
    """What unknown words are guessed by: the words of the source, and what became of rare ones."""
    types = corpus.source.types
    counts = np.bincount(corpus.source.ids, minlength=len(types))
    frequent = [types[k] for k in np.argsort(-counts, kind="stable")[:MOST_WORDS]]
    shares = np.bincount(corpus.target.ids, minlength=len(corpus.target.types))
    share = dict(zip(corpus.target.types, (shares / max(1, len(corpus))).tolist(), strict=True))

    def seen_once() -> Iterator[SeenOnce]:
        places = np.flatnonzero((counts == 1)[corpus.source.ids])
        for place in places[:: -(-len(places) // _SEEN_ONCE) or 1].tolist():
            sentence = int(np.searchsorted(corpus.source.start, place, side="right")) - 1
            at = place - int(corpus.source.start[sentence])
            target = corpus.target.words(sentence)
            others = {j for i, j in links[sentence] if i != at}
            others -= {j for i, j in links[sentence] if i == at}
            # Words without any link may be its own, too: rare words have few links that are right.
            meant = frozenset(word for j, word in enumerate(target) if j not in others)
            yield SeenOnce(types[int(corpus.source.ids[place])], meant, sentence)

    return judged(table, frequent, list(seen_once()), lambda word: min(1.0, share.get(word, 0.0)))

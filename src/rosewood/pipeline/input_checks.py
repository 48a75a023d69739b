"""Checks of corpora before training: what looks wrong is found in seconds, not after hours.

    for finding in check_inputs(inputs, settings): print(finding.code, finding.message)

Only samples are read (`corpus/samples.py`).  What is checked: language codes and names of files
(`input_names.py`), texts as they are (`input_texts.py`), swapped sides and lines that do not belong
together (`input_pairs.py`), and here sentences in several sets and texts of the wrong side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rosewood.corpus import Corpus
from rosewood.corpus.samples import RUNS, sample_corpus, sample_lines
from rosewood.pipeline.findings import Finding
from rosewood.pipeline.input_names import check_names
from rosewood.pipeline.input_pairs import (
    check_direction,
    check_held_out,
    check_matching,
    check_pair_directions,
    check_training,
)
from rosewood.pipeline.input_parts import SETS, Part
from rosewood.pipeline.input_texts import check_texts
from rosewood.pipeline.inputs import HeldOut, TrainingInputs
from rosewood.pipeline.pair_evidence import LexicalModel, tokens
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.side_profiles import SideProfiles, balance

_HELD_OUT_RUNS = 512  # of a held-out set, all of whose pairs are looked for in other sets
_LEAST_RUNS = 8  # of each source of the training data
_SHARED, _FEW = 0.3, 5  # share of a set that is in another, and pairs
_SOURCES = 0.5  # share of its source sentences, whatever their translations


def check_inputs(
    inputs: TrainingInputs, settings: TrainingSettings | None = None, *, threads: int = 1
) -> list[Finding]:
    """Everything that looks wrong with the files of a training run."""
    found = list(_check(inputs, settings or TrainingSettings(), threads))
    # Names of files whose sides are swapped say only once more what their texts show.
    swapped = {each.file for each in found if each.code == "input.swapped"}
    return [
        each for each in found if each.code != "input.language-names" or each.file not in swapped
    ]


def _check(inputs: TrainingInputs, settings: TrainingSettings, threads: int) -> Iterator[Finding]:
    yield from check_names(inputs)
    held_out = {name: given for name in SETS if (given := getattr(inputs, name)) is not None}
    sets = {
        name: Part(name, sample_corpus(given.corpus.separately()[0], runs=_HELD_OUT_RUNS))
        for name, given in held_out.items()
    }
    wanted = frozenset[tuple[str, str]]().union(*(part.pairs for part in sets.values()))
    sources = inputs.train.separately()
    runs = min(RUNS, max(_LEAST_RUNS, RUNS // len(sources)))
    every = [Part("train", sample_corpus(source, wanted, runs=runs)) for source in sources]
    sets = {name: part for name, part in sets.items() if part.runs}
    yield from check_texts([*every, *sets.values()], inputs.languages, settings)
    yield from _repeated(every, sets)
    train = [part for part in every if part.runs and not part.is_copy]
    if not train:
        return
    others = [part for part in sets.values() if not part.is_copy]
    directions, found = check_pair_directions(train, others)
    yield from found
    profiles, found = check_direction(train, directions)
    yield from found
    model, found = check_training(train, threads=threads)
    yield from found
    for name, part in sets.items():
        if not part.is_copy:
            yield from check_held_out(part, directions, profiles, model, threads=threads)
            yield from _references(held_out[name], part, profiles, model)
    yield from _other_text(inputs, profiles)


def _repeated(train: Sequence[Part], sets: Mapping[str, Part]) -> Iterator[Finding]:
    """Held-out sets that are part of the training data, or of each other."""
    lines = {pair: (part, number) for part in reversed(train)
             for number, pair in sorted(part.sample.found.items(), reverse=True)}  # fmt: skip
    is_whole = all(part.sample.is_whole for part in train)
    for name, part in sets.items():
        known = [lines[pair] for pair in part.pairs if pair in lines]
        if len(known) >= _FEW and len(known) > _SHARED * len(part.pairs):
            source = known[0][0]
            line = min(number for each, number in known if each is source)
            told = (
                f"{part.files}: {'' if is_whole else 'at least '}{len(known):,} of the "
                f"{len(part.pairs):,} sentence pairs of the {SETS[name]} are in the training data, "
                f"such as line {line:,} of {source.files}; these are not trained on: hold out "
                "sentences that are not in the training data"
            )
            share = round(len(known) / len(part.pairs), 3)
            yield Finding("input.in-training", told, part.file, None, name, share)
        else:
            yield from _repeated_sources(train, part)
    if len(sets) == 2:
        dev, test = sets["dev"], sets["test"]
        count = len(dev.pairs & test.pairs)
        if count >= _FEW and count > _SHARED * len(test.pairs):
            told = (
                f"{test.files}: {count:,} of the {len(test.pairs):,} sentence pairs of the test "
                "set are in the development set: its scores will be too good"
            )
            share = round(count / len(test.pairs), 3)
            yield Finding("input.same-set", told, test.file, None, "test", share)


def _repeated_sources(train: Sequence[Part], part: Part) -> Iterator[Finding]:
    """A held-out set whose source sentences are in the training data, with other translations."""
    every = {source for source, _ in part.pairs}
    known = {
        source: (each.files, line)
        for each in reversed(train) for source, line in each.sample.sources.items()
        if source in every
    }  # fmt: skip
    if len(known) >= _FEW and len(known) > _SOURCES * len(every):
        files, line = next(known[source] for source in part.sample.source if source in known)
        told = (
            f"{part.files}: {len(known):,} of the {len(every):,} source sentences of the "
            f"{SETS[part.name]} are in the training data, most of them with other translations, "
            f"such as line {line:,} of {files}: its scores will be too good; hold out sentences "
            "that are not in the training data"
        )
        share = round(len(known) / len(every), 3)
        yield Finding("input.in-training", told, part.file, None, part.name, share)


def _references(
    given: HeldOut, part: Part, profiles: SideProfiles, model: LexicalModel | None
) -> Iterator[Finding]:
    """Further references: lines of the target language that translate the same sources."""
    files = part.sample.files
    for file in given.references if len(files) == 2 else ():
        [pairs] = Corpus.read((files[part.is_swapped], file)).separately()
        other = Part(part.name, sample_corpus(pairs, runs=RUNS))
        fit = balance(profiles.ratios([text for run in other.runs for text in run.target]))
        if fit.is_source:
            yield _other_side(file, f"the references of the {SETS[part.name]} look", "source",
                              f"{part.name}_reference")  # fmt: skip
        else:
            yield from check_matching(other, model)


def _other_text(inputs: TrainingInputs, profiles: SideProfiles) -> Iterator[Finding]:
    """Text of one language that is of the other."""
    for argument, other in (("monolingual", "source"), ("unlabelled", "target")):
        for file in getattr(inputs, argument):
            lines = sample_lines(file, runs=RUNS // 2)
            fit = balance(profiles.ratios([tokens(line) for line in lines if line.strip()]))
            if fit.is_source if other == "source" else fit.is_target:
                yield _other_side(file, "the text looks", other, argument)


def _other_side(file: str, what: str, side: str, argument: str) -> Finding:
    expected = {"source": "target", "target": "source"}[side]
    told = f"{file}: {what} like the {side} language, expected the {expected} language"
    return Finding("input.other-side", told, file, None, argument, side, expected)

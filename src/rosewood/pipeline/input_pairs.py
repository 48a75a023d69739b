"""Checks of sentence pairs: swapped sides, shuffled and shifted lines.

directions, found = check_pair_directions(train, held_out)  # turns pairs that are swapped
profiles, found = check_direction(train, directions)        # marks parts that are swapped
model, found = check_training(train)                        # a lexical model of what is good
found = check_held_out(part, directions, profiles, model)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import mul

import numpy as np

from rosewood.arrays import LongArray
from rosewood.pipeline.findings import Finding
from rosewood.pipeline.input_parts import LEAST_HELD_OUT, LEAST_TRAIN, Part, size
from rosewood.pipeline.pair_directions import PairDirections
from rosewood.pipeline.pair_evidence import (
    LexicalModel,
    TokenRun,
    cross_evidence,
    evidence,
    together,
)
from rosewood.pipeline.pair_verdicts import Mismatch, mismatch, place
from rosewood.pipeline.side_profiles import Balance, SideProfiles, known_share
from rosewood.svg_text import plural

_CLEAR, _MOST_CLEAR = 0.6, 0.8  # balance of runs, and their share: two languages can be told apart
_WHOLE, _SOME = 0.9, 0.04  # of the lines, or of the runs, are swapped
_PAIRS, _LEAST_PAIRS = 0.02, 5  # share of pairs that are swapped one by one, and their number
_MIXED = 0.2  # share of pairs in each direction from which on held-out sets tell which is right
_FOREIGN, _WORDS = 0.25, 200  # of the usual share of known words, and words that must be there
_USUAL = 0.4  # share of known words that must be usual

# -- direction ----------------------------------------------------------------------------------


def check_pair_directions(
    train: Sequence[Part], held_out: Sequence[Part]
) -> tuple[PairDirections, list[Finding]]:
    """The direction of the training data, and sources in which single pairs are swapped.

    Most of the data goes in the right direction; where many pairs go in either, held-out sets tell.
    """
    directions, signs = PairDirections.of([run for part in train for run in part.runs])
    of = []
    for part in train:
        of.append(signs[: size(part.runs)])
        signs = signs[size(part.runs) :]
    counts = [part.sample.pairs for part in train]
    balances = [float(own.sum()) / max(1, np.abs(own).sum()) for own in of]
    weight = sum(map(mul, counts, balances)) / max(1, sum(counts))
    if abs(weight) < 1 - 2 * _MIXED:
        known = [directions.signs(part.runs) for part in held_out]
        votes = sum(int(np.sign(own.sum())) for own in known)
        weight = votes or weight
    if weight < 0:
        directions, of = directions.reversed(), [-own for own in of]
    found = [_single(part, own) for part, own in zip(train, of, strict=True)]
    return directions, [each for each in found if each is not None]


def _single(part: Part, signs: LongArray) -> Finding | None:
    """Pairs of a part that are swapped, unless nearly all are; these are turned."""
    bad = signs < 0
    count, clear = int(bad.sum()), int(np.abs(signs).sum())
    if count < _LEAST_PAIRS or not _PAIRS < count / clear <= _WHOLE:
        return None
    numbers = [number for run in part.runs for number in run.numbers]
    line = numbers[int(np.flatnonzero(bad)[0])]
    part.turn(bad.tolist())
    share = count / clear
    told = (
        f"{part.files}{part.what}: about {share:.0%} of the lines have their sides swapped, such "
        f"as line {line:,}: turn them round, so that all go in one direction"
    )
    name = "source" if part.name == "train" else part.name
    return Finding("input.swapped", told, part.file, line, name, round(share, 3))


def check_direction(
    train: Sequence[Part], directions: PairDirections
) -> tuple[SideProfiles, list[Finding]]:
    """Profiles of both sides, and sources that go in the other direction than most of the data."""
    runs = [run for part in train for run in part.runs]
    profiles, fits = SideProfiles.of(runs)
    if sum(abs(each.share) > _CLEAR for each in fits) < _MOST_CLEAR * len(fits):
        return profiles, []
    of = []
    for part in train:
        of.append(fits[: len(part.runs)])
        fits = fits[len(part.runs) :]
    turned = [_turned(part, own) for part, own in zip(train, of, strict=True)]
    weight = sum(
        part.sample.pairs * (1 - 2 * share) for part, share in zip(train, turned, strict=True)
    )
    known = sum(
        float(directions.signs([run]).sum()) * fit.share
        for part, own in zip(train, of, strict=True)
        for run, fit in zip(part.runs, own, strict=True)
    )
    weight = known or weight
    if weight < 0:
        profiles = profiles.reversed()
        of = [[Balance(-fit.share, -fit.z) for fit in own] for own in of]
        turned = [1 - share for share in turned]
    found = []
    for part, own, share in zip(train, of, turned, strict=True):
        bad = [k for k, fit in enumerate(own) if fit.share < 0]
        if share > _WHOLE:
            part.is_swapped = True
            if size(part.runs) >= LEAST_HELD_OUT:
                found.append(_swapped(part, "the rest of the training data", "source"))
        elif len(bad) >= max(2, _SOME * len(part.runs)):
            line = part.runs[bad[0]].numbers.start
            told = (
                f"{part.files}: about {share:.0%} of the lines have their sides swapped, the first "
                f"at about line {line:,}: turn them round, so that all go in one direction"
            )
            found.append(Finding("input.swapped", told, part.file, line, "source", round(share, 3)))
    return profiles, found


def _turned(part: Part, fits: Sequence[Balance]) -> float:
    """The share of the lines in runs whose sides are swapped."""
    bad = [run for run, fit in zip(part.runs, fits, strict=True) if fit.share < 0]
    return size(bad) / max(1, size(part.runs))


def _swapped(part: Part, against: str, argument: str) -> Finding:
    files = part.sample.files
    hint = (
        f"give {files[1]} first" if len(files) == 2
        else "exchange its sides, or say with --languages which is the source"
    )  # fmt: skip
    told = f"{part.files}: the sides are swapped against {against}: {hint}"
    if part.name != "train":
        told = (
            f"{part.files}{part.what}: it goes in the other direction than {against}: either its "
            f"sides are swapped, then {hint}, or those of {against} are"
        )
    return Finding("input.swapped", told, files[0], None, argument)


# -- lines that belong together -----------------------------------------------------------------


def check_training(
    train: Sequence[Part], *, threads: int = 1
) -> tuple[LexicalModel | None, list[Finding]]:
    """A model of the pairs that match, and sources whose lines do not."""
    runs = [run for part in train for run in part.turned]
    if size(runs) < LEAST_TRAIN:
        return LexicalModel.of(runs, threads=threads), []
    each = cross_evidence(runs, threads=threads)
    good: list[TokenRun] = []
    findings = []
    for part in train:
        own, each = each[: len(part.runs)], each[len(part.runs) :]
        found = mismatch(own) if size(part.runs) >= LEAST_TRAIN else None
        if found is None:
            good += part.turned
            continue
        findings.append(_mismatched(part, found))
        good += [run for k, run in enumerate(part.turned) if not found.begin <= k < found.end]
    return LexicalModel.of(good, threads=threads), findings


def check_held_out(
    part: Part,
    directions: PairDirections,
    profiles: SideProfiles,
    model: LexicalModel | None,
    *,
    threads: int = 1,
) -> Iterator[Finding]:
    """A development or test set against the training data."""
    single = _single(part, directions.signs(part.runs))
    if single is not None:
        yield single
    elif profiles.fit(part.runs).is_target:
        part.is_swapped = True
        yield _swapped(part, "the training data", part.name)
    else:
        yield from _foreign(part, profiles)
    yield from check_matching(part, model, threads=threads)


def check_matching(
    part: Part, model: LexicalModel | None, *, threads: int = 1
) -> Iterator[Finding]:
    """Lines of a held-out set that do not belong together.

    A model of the training data decides, or one of the set itself where that knows more.
    """
    runs = part.turned
    if size(runs) < LEAST_HELD_OUT:
        return
    each = [evidence(run, model) for run in runs]
    found = mismatch(each)
    if found is not None and size(runs) >= LEAST_TRAIN:
        own = cross_evidence(runs, threads=threads)
        if together(own).z > together(each).z:
            found = mismatch(own)
    if found is not None:
        yield _mismatched(part, found, model)


def _mismatched(part: Part, found: Mismatch, model: LexicalModel | None = None) -> Finding:
    files = part.sample.files
    line = place(files, part.turned, found, model, is_swapped=part.is_swapped)
    where = "" if line is None else f" from about line {line:,} on"
    if found.offset is not None:
        offset = -found.offset if part.is_swapped else found.offset
        late = files[offset > 0] if len(files) == 2 else ("source", "target")[offset > 0]
        told = (
            f"{part.files}{part.what}: both sides are shifted against each other{where}: {late} is "
            f"{plural(abs(offset), 'line')} behind: look there for a line that is missing or added"
        )
        return Finding("input.shifted", told, part.file, line, part.name, offset)
    hint = "was one side shuffled or sorted alone, or is it another file?"
    if line is not None:
        end = part.runs[found.end - 1].numbers.stop - 1
        is_rest = found.end == len(part.runs)
        where = where if is_rest else f" from about line {line:,} to {end:,}"
        hint = "look there"
    told = f"{part.files}{part.what}: the lines of both sides do not belong together{where}: {hint}"
    return Finding("input.shuffled", told, part.file, line, part.name)


# -- another language ---------------------------------------------------------------------------


def _foreign(part: Part, profiles: SideProfiles) -> Iterator[Finding]:
    """Text of a third language: hardly any word of it is known."""
    files = part.sample.files
    for side, known in enumerate((profiles.source_words, profiles.target_words)):
        texts = [text for run in part.runs for text in (run.source, run.target)[side]]
        share, count = known_share(texts, known)
        usual = profiles.known[side]
        if count >= _WORDS and usual > _USUAL and share < _FOREIGN * usual:
            file, name = files[side if len(files) == 2 else 0], ("source", "target")[side]
            told = (
                f"{file}{part.what}: {share:.0%} of the words on the {name} side are known from "
                f"the training data, where it is {usual:.0%}: is it in another language?"
            )
            yield Finding("input.other-language", told, file, None, part.name, round(share, 3))

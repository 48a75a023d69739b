"""Models of word alignment, written for reading: the specification of core/align/.

One sentence in one direction: observed words o = 0 .. O-1 each choose a place s = 0 .. S-1 on the
other side, or none.  A whole alignment gives each observed word a place or None; `story` is its
probability, `enumerated` what follows from that by going through all alignments, and `inferred`
the same in less time.  Of a corpus, expectations are added up in units of 2^-30, and probabilities
of words are single precision, as kernels have them; how they are made is in align_words.py.

Direction 0, forward: target words are observed.  Direction 1, backward: source words are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import exp, log, sqrt
from typing import NamedTuple

from tests.reference.align_words import Collapsed, Counts, Pair, in_units

Row = list[float]
Matrix = list[Row]
SentencePair = tuple[Sequence[int], Sequence[int]]

KEPT_LINKS = 2
LEAST_KEPT = 1e-4


class Placement(NamedTuple):
    """How places are chosen: uniform, diagonal, or by jumps from the last place chosen."""

    kind: str
    null: float
    tension: float = 0.0
    jump: Sequence[float] = (1.0,)  # of sizes -reach .. reach; larger ones are as likely as those

    def size(self, jump: int) -> int:
        """Where a jump stands in `self.jump`."""
        reach = len(self.jump) // 2
        return max(-reach, min(reach, jump)) + reach

    def weight(self, o: int, observed: int, s: int, places: int, last: int) -> float:
        if self.kind == "jumps":
            return self.jump[self.size(s - last)]
        if self.kind == "diagonal":
            return exp(-self.tension * distance(o, observed, s, places))
        return 1.0

    def all_weights(self, o: int, observed: int, places: int, last: int) -> float:
        if self.kind == "diagonal":
            return sum(diagonal_weights(self.tension, o, observed, places))
        return sum(self.weight(o, observed, s, places, last) for s in range(places))

    def chance(self, o: int, observed: int, s: int, places: int, last: int) -> float:
        """p(place s | the last place chosen, -1 where there was none), for a word with a place."""
        weight = self.weight(o, observed, s, places, last)
        return weight / self.all_weights(o, observed, places, last)

    def end(self, places: int, last: int) -> float:
        """Jumps end behind the last place: the probability of that, no place being left over."""
        if self.kind != "jumps":
            return 1.0
        return self.jump[self.size(places - last)] / self.end_weights(places, last)

    def end_weights(self, places: int, last: int) -> float:
        return sum(self.jump[self.size(s - last)] for s in range(places + 1))


def distance(o: int, observed: int, s: int, places: int) -> float:
    """How far a link is from the diagonal."""
    return abs((s + 1) / places - (o + 1) / observed)


@lru_cache(maxsize=256)  # every chance asks for all of them
def diagonal_weights(tension: float, o: int, observed: int, places: int) -> tuple[float, ...]:
    return tuple(exp(-tension * distance(o, observed, s, places)) for s in range(places))


class Inferred(NamedTuple):
    """What is expected of one sentence in one direction."""

    log_probability: float
    link: Matrix  # [o][s]: the posterior of each link
    null: Row  # [o]: that of having no place
    distance: float  # from the diagonal, of all links
    jump: Row  # by size: the jumps that are made
    chance: (
        Row  # by size: the sum, over jumps that could have had it, of 1 / weights to choose from
    )


# -- one sentence ----------------------------------------------------------------------------------


def story(
    how: Placement, emission: Matrix, null_emission: Row, alignment: Sequence[int | None]
) -> float:
    """The probability of the observed words together with where they come from."""
    observed, places = len(emission), len(emission[0])
    probability, last = 1.0, -1
    for o, s in enumerate(alignment):
        if s is None:
            probability *= how.null * null_emission[o]
        else:
            probability *= (1 - how.null) * how.chance(o, observed, s, places, last)
            probability *= emission[o][s]
            last = s
    return probability * how.end(places, last)


def enumerated(how: Placement, emission: Matrix, null_emission: Row) -> Inferred:
    """Sums over all alignments."""
    observed, places = len(emission), len(emission[0])
    link, null = [[0.0] * places for _ in emission], [0.0] * observed
    jump, chance = [0.0] * len(how.jump), [0.0] * len(how.jump)
    total = far = 0.0
    for alignment in product([None, *range(places)], repeat=observed):
        weight = story(how, emission, null_emission, alignment)
        total += weight
        last = -1
        for o, s in enumerate(alignment):
            if s is None:
                null[o] += weight
                continue
            link[o][s] += weight
            far += weight * distance(o, observed, s, places)
            jump[how.size(s - last)] += weight
            for other in range(places):
                whole = how.all_weights(o, observed, places, last)
                chance[how.size(other - last)] += weight / whole
            last = s
        if how.kind == "jumps":
            jump[how.size(places - last)] += weight
            for other in range(places + 1):
                chance[how.size(other - last)] += weight / how.end_weights(places, last)
    return Inferred(
        log(total),
        [[p / total for p in row] for row in link],
        [p / total for p in null],
        far / total,
        [p / total for p in jump],
        [p / total for p in chance],
    )


def inferred(how: Placement, emission: Matrix, null_emission: Row) -> Inferred:
    """Forward and backward over the states `last`, the last place chosen, -1 before the first.

    Forward values are scaled to sum to one after each word, backward values likewise.
    """
    observed, places = len(emission), len(emission[0])
    states = range(-1, places)

    def step(o: int, s: int, last: int) -> float:
        return (1 - how.null) * chances[o][last][s] * emission[o][s]

    def chances_of(o: int) -> dict[int, Row]:
        made = {}
        for last in states:
            weights = [how.weight(o, observed, s, places, last) for s in range(places)]
            total = sum(weights)
            made[last] = [weight / total for weight in weights]
        return made

    if how.kind == "jumps":  # the same for every word
        chances = [chances_of(0)] * observed
    else:
        chances = [chances_of(o) for o in range(observed)]
    before = [{last: float(last == -1) for last in states}]  # before[o]: having seen o words
    scale = []
    for o in range(observed):
        here = {last: before[o][last] * how.null * null_emission[o] for last in states}
        for s, last in product(range(places), states):
            here[s] += before[o][last] * step(o, s, last)
        scale.append(sum(here.values()))
        before.append({last: value / scale[o] for last, value in here.items()})
    scale.append(sum(before[observed][last] * how.end(places, last) for last in states))
    # after[o]: of the words from o on, and of the end
    after = [{last: how.end(places, last) / scale[observed] for last in states}]
    for o in reversed(range(observed)):
        here = {last: after[0][last] * how.null * null_emission[o] for last in states}
        for s, last in product(range(places), states):
            here[last] += step(o, s, last) * after[0][s]
        after.insert(0, {last: value / scale[o] for last, value in here.items()})
    link, null, far = [[0.0] * places for _ in emission], [0.0] * observed, 0.0
    jump, chance = [0.0] * len(how.jump), [0.0] * len(how.jump)
    for o, last in product(range(observed), states):
        none = how.null * null_emission[o] / scale[o]
        null[o] += before[o][last] * none * after[o + 1][last]
        made = [
            before[o][last] * step(o, s, last) / scale[o] * after[o + 1][s] for s in range(places)
        ]
        price = sum(made) / how.all_weights(o, observed, places, last)
        for s in range(places):
            link[o][s] += made[s]
            far += made[s] * distance(o, observed, s, places)
            jump[how.size(s - last)] += made[s]
            chance[how.size(s - last)] += price
    for last in states if how.kind == "jumps" else ():
        ended = before[observed][last] * after[observed][last]
        jump[how.size(places - last)] += ended
        for other in range(places + 1):
            chance[how.size(other - last)] += ended / how.end_weights(places, last)
    return Inferred(sum(map(log, scale)), link, null, far, jump, chance)


# -- a corpus --------------------------------------------------------------------------------------


class KeptSentence(NamedTuple):
    """What is remembered of a sentence pair, so that it can be left out of the counts."""

    links: list[dict[int, float]]  # of each target word: the source words, and how much they count
    null: tuple[Row, Row]  # of each target word, of each source word: how much it had no link


class Model(NamedTuple):
    """Both directions."""

    word: tuple[dict[Pair, float], dict[Pair, float]]  # p(target | source), p(source | target)
    null_word: tuple[Row, Row]  # of target words, of source words
    placement: tuple[Placement, Placement]
    agreement: bool = False
    collapsed: Collapsed | None = None
    kept: Sequence[KeptSentence] = ()


class Expected(NamedTuple):
    """What a sweep over the corpus adds up; one column of counts where directions agree."""

    count: list[Counts]
    null: tuple[Row, Row]
    log_probability: Row
    distance: Row
    jump: Matrix
    chance: Matrix
    placed: list[dict[tuple[int, int, int], float]]  # by observed words, places and position
    kept: list[KeptSentence]


def sentence_posteriors(
    model: Model, pair: SentencePair, kept: KeptSentence | None
) -> tuple[Inferred, Inferred]:
    """Both directions of a sentence pair; with what was kept of it, its own links left out."""
    source, target = pair
    forward = [[model.word[0][s, t] for s in source] for t in target]
    backward = [[model.word[1][s, t] for t in target] for s in source]
    nulls = [model.null_word[0][t] for t in target], [model.null_word[1][s] for s in source]
    if model.collapsed is not None and kept is not None:
        for j, links in enumerate(kept.links):
            for i, own in links.items():
                each = source[i], target[j]
                forward[j][i] = model.collapsed.probability(0, each, own)
                backward[i][j] = model.collapsed.probability(1, each, own)
        nulls = (
            [model.collapsed.null_probability(1, t, own)
             for t, own in zip(target, kept.null[0], strict=True)],
            [model.collapsed.null_probability(0, s, own)
             for s, own in zip(source, kept.null[1], strict=True)],
        )  # fmt: skip
    return (
        inferred(model.placement[0], forward, nulls[0]),
        inferred(model.placement[1], backward, nulls[1]),
    )


def each_sentence(
    bitext: Sequence[SentencePair], model: Model
) -> Iterator[tuple[int, SentencePair, tuple[Inferred, Inferred]]]:
    """Sentence pairs with words on both sides, and what the model thinks of them."""
    for k, pair in enumerate(bitext):
        if pair[0] and pair[1]:
            kept = model.kept[k] if model.kept else None
            yield k, pair, sentence_posteriors(model, pair, kept)


def strongest(products: Row) -> dict[int, float]:
    """The links of one target word that count: the two strongest, and none that is weak."""
    order = sorted(range(len(products)), key=lambda i: -products[i])[:KEPT_LINKS]
    return {i: in_units(products[i]) for i in order if products[i] >= LEAST_KEPT}


def align_expect(bitext: Sequence[SentencePair], model: Model, *, keep: bool = False) -> Expected:
    """Posteriors of the whole corpus, added up; with `keep`, only the links that are kept."""
    columns = 1 if model.agreement or keep else 2
    sums = Expected(
        [defaultdict(float) for _ in range(columns)],
        ([0.0] * len(model.null_word[0]), [0.0] * len(model.null_word[1])),
        [0.0, 0.0],
        [0.0, 0.0],
        [[0.0] * len(how.jump) for how in model.placement],
        [[0.0] * len(how.jump) for how in model.placement],
        [defaultdict(float), defaultdict(float)],
        [KeptSentence([{} for _ in t], ([0.0] * len(t), [0.0] * len(s))) for s, t in bitext],
    )
    for k, (source, target), found in each_sentence(bitext, model):
        for j, t in enumerate(target):
            both = [found[0].link[j][i] * found[1].link[i][j] for i in range(len(source))]
            if keep:
                sums.kept[k].links[j].update(strongest(both))
                for i, weight in sums.kept[k].links[j].items():
                    sums.count[0][source[i], t] += weight
                continue
            for i, s in enumerate(source):
                if columns == 1:
                    sums.count[0][s, t] += in_units(both[i])
                else:
                    sums.count[0][s, t] += in_units(found[0].link[j][i])
                    sums.count[1][s, t] += in_units(found[1].link[i][j])
        for d, (words, others) in enumerate(((target, source), (source, target))):
            for o, word in enumerate(words):
                sums.null[d][word] += in_units(found[d].null[o])
                sums.kept[k].null[d][o] = in_units(found[d].null[o])
                sums.placed[d][len(words), len(others), o] += in_units(1 - found[d].null[o])
            sums.log_probability[d] += found[d].log_probability
            sums.distance[d] += found[d].distance
            for size in range(len(sums.jump[d])):
                sums.jump[d][size] += in_units(found[d].jump[size])
                sums.chance[d][size] += in_units(found[d].chance[size])
    return sums


def align_posteriors(bitext: Sequence[SentencePair], model: Model) -> dict[int, list[Matrix]]:
    """Of each sentence with words on both sides, both directions as [source word][target word]."""
    return {
        k: [
            [[found[0].link[j][i] for j in range(len(target))] for i in range(len(source))],
            found[1].link,
        ]
        for k, (source, target), found in each_sentence(bitext, model)
    }


class Chosen(NamedTuple):
    """A place for each observed word, or -1; by direction."""

    choice: list[list[int]]
    log_probability: list[Row]


def align_choose(bitext: Sequence[SentencePair], model: Model, least: float) -> list[Chosen]:
    """Words choose by their posterior; with agreement, by the geometric mean of both directions."""
    chosen = [Chosen([[-1] * len(t), [-1] * len(s)], [0.0, 0.0]) for s, t in bitext]
    for k, (source, target), found in each_sentence(bitext, model):
        for d, words in enumerate((target, source)):
            chosen[k].log_probability[d] = found[d].log_probability
            for o in range(len(words)):
                row = found[d].link[o]
                best = found[d].null[o]
                if model.agreement:
                    best = least
                    row = [sqrt(p * found[1 - d].link[s][o]) for s, p in enumerate(row)]
                if max(row) > best:
                    chosen[k].choice[d][o] = row.index(max(row))
    return chosen


def links_from_choices(choice: Sequence[int], chose_sources: bool) -> list[Pair]:
    """The links of a sentence whose words chose a place each, or -1; sorted."""
    links = [(s, o) if chose_sources else (o, s) for o, s in enumerate(choice) if s >= 0]
    return sorted(links)


# -- files -----------------------------------------------------------------------------------------


def parse_links(line: str) -> list[Pair]:
    """A line of a Pharaoh file."""
    return sorted((int(i), int(j)) for i, j in (link.split("-") for link in line.split()))


def format_links(links: Sequence[Pair]) -> str:
    return " ".join(f"{i}-{j}" for i, j in sorted(links))

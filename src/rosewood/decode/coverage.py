"""Which source words a translation leaves out, and how much of the forest translates them.

    shares = linked_shares(found, weight, unlinked_places(found.best))
    shares[3]                   # the probability that a translation drawn from the forest links it

A word is translated if it is linked to a target word.  Articles and auxiliaries are often left out
by right translations, so most of the forest leaves them out, too; content words are not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.decode.results import EdgeRule, SearchResult
from rosewood.decode.translation import Translation
from rosewood.forest import Distribution


def unlinked_places(translation: Translation) -> list[int]:
    """The places of source words that are not linked to any target word, in order."""
    linked = {i for i, _ in translation.links}
    return [i for i in range(len(translation.source.words)) if i not in linked]


def linked_shares(
    found: SearchResult, weight: FloatArray, places: Collection[int]
) -> dict[int, float]:
    """How probable it is that each of these source words is linked, by the weights of edges."""
    shares = dict.fromkeys(sorted(places), 0.0)
    if not shares or found.forest.is_empty:
        return shares
    for linked, share in _uses(found, weight, shares):
        for place in linked:
            if place in shares:
                shares[place] += share
    return {place: min(1.0, share) for place, share in shares.items()}


def _uses(
    found: SearchResult, weight: FloatArray, wanted: Collection[int]
) -> Iterator[tuple[Iterable[int], float]]:
    """The words that rules link, and how probable their use is; of all that cover a wanted word."""
    forest = found.forest
    posterior = Distribution(forest, weight).edge_posteriors()
    has_words = np.diff(forest.yield_start) > 0
    options = found.options
    if options is None or found.edge_option is None:
        rules = map(found.edge_rule, range(forest.num_edges))
        for edge, rule in enumerate(rules):
            if rule is not None:
                yield _linked(found, rule, bool(has_words[edge])), float(posterior[edge])
        return
    # Without gaps, all edges of an option have the same words: one look will do.
    option = found.edge_option
    is_used = option >= 0
    total = np.bincount(option[is_used], weights=posterior[is_used], minlength=len(options))
    edges = np.flatnonzero(is_used)
    used, first = np.unique(option[edges], return_index=True)
    begin, end = options.begin[used], options.end[used]
    gapped = begin < 0
    before = np.zeros(len(found.source.words) + 1, np.int64)  # wanted words before each place
    np.cumsum([i in wanted for i in range(len(before) - 1)], out=before[1:])
    covers = np.flatnonzero(~gapped & (before[end] > before[begin]))
    table = found.best.table
    for start, stop, rule_id, is_said, share in zip(
        begin[covers].tolist(), end[covers].tolist(), options.rule_id[used[covers]].tolist(),
        has_words[edges[first[covers]]].tolist(), total[used[covers]].tolist(), strict=True,
    ):  # fmt: skip
        if rule_id >= 0 and table is not None:
            yield [start + i for i in table.linked_words(rule_id)], share
        elif is_said:
            yield range(start, stop), share
    own = np.zeros(len(options) + 1, np.bool_)
    own[used[gapped]] = True
    for edge in np.flatnonzero(own[option] & is_used).tolist():
        rule = found.edge_rule(edge)
        if rule is not None:
            yield _linked(found, rule, True), float(posterior[edge])


def _linked(found: SearchResult, rule: EdgeRule, has_words: bool) -> Collection[int]:
    """The source words that a rule links; all of those that are copied, guessed or forced."""
    places = [place for span in rule.source_spans for place in range(*span)]
    table = found.best.table
    if rule.rule is None or table is None:
        return places if has_words else ()
    return [places[i] for i in table.linked_words(rule.rule)]

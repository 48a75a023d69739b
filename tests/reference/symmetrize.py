"""Symmetrisation of two alignments of one sentence, written for reading.

The heuristics are those of Koehn et al. (2005), "Edinburgh System Description for the 2005 IWSLT
Speech Translation Evaluation", as their pseudo code has them: e goes over the words of the target
language, f over those of the source.  `forward` has a source word for each target word (their e2f).
Links are (source, target).
"""

from __future__ import annotations

Links = set[tuple[int, int]]

NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def symmetrize(forward: Links, backward: Links, method: str) -> Links:
    """One of the published heuristics by its name."""
    if method == "intersection":
        return forward & backward
    if method == "union":
        return forward | backward
    links = grow_diag(forward, backward)
    if method == "grow-diag":
        return links
    for side in (forward, backward):
        final(links, side, both=method == "grow-diag-final-and")
    return links


def cells(links: Links) -> list[tuple[int, int]]:
    """Every (e, f) of the matrix, row by row."""
    foreign = 1 + max((f for f, _ in links), default=-1)
    english = 1 + max((e for _, e in links), default=-1)
    return [(e, f) for e in range(english) for f in range(foreign)]


def grow_diag(forward: Links, backward: Links) -> Links:
    """GROW-DIAG: neighbours of what is aligned, while they align a word that was not."""
    union = forward | backward
    links = forward & backward
    before = -1
    while len(links) != before:
        before = len(links)
        for e, f in cells(union):
            if (f, e) in links:
                for down, right in NEIGHBOURS:
                    e_new, f_new = e + down, f + right
                    is_free = e_new not in english(links) or f_new not in foreign(links)
                    if is_free and (f_new, e_new) in union:
                        links.add((f_new, e_new))
    return links


def final(links: Links, side: Links, *, both: bool) -> None:
    """FINAL and FINAL-AND: links of one side that align a free word, or two of them."""
    for e, f in cells(side):
        free = (e not in english(links), f not in foreign(links))
        if (f, e) in side and (all(free) if both else any(free)):
            links.add((f, e))


def english(links: Links) -> set[int]:
    return {e for _, e in links}


def foreign(links: Links) -> set[int]:
    return {f for f, _ in links}


def atools(forward: Links, backward: Links, method: str) -> Links:
    """What `atools` of fast_align makes of them: the same rules, another order.

    It goes over the links that might be added, by source word, and asks of each whether it has a
    neighbour, where the definition goes over what is aligned, by target word, and adds neighbours.
    Both stop where nothing more can be added; which links shut out which others may differ.
    """
    if method in ("intersection", "union"):
        return symmetrize(forward, backward, method)
    links = forward & backward
    waiting = sorted((forward | backward) - links)
    while True:
        added = []
        for f, e in waiting:
            is_free = e not in english(links) or f not in foreign(links)
            if is_free and any((f + right, e + down) in links for down, right in NEIGHBOURS):
                links.add((f, e))
                added.append((f, e))
        if not added:
            break
        waiting = [link for link in waiting if link not in added]
    if method != "grow-diag":
        for side in (forward, backward):
            for f, e in sorted(side):
                free = (e not in english(links), f not in foreign(links))
                if all(free) if method == "grow-diag-final-and" else any(free):
                    links.add((f, e))
    return links

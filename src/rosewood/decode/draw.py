"""Pictures of a translation: how its phrases lie, and where they went.

Source words are above, target words below, in boxes by rule, joined by bands.  A rule has one
colour; one with gaps has several boxes.  Boxes of words that no rule translates are hollow and red,
those of forced translations have a strong frame.  Derivations that are trees have one above the
source and one below the target: see `rosewood.decode.tree_picture`.

Hovering over a box shows its rule and, for an `Explanation`, its features.  The SVG has its own
background and no style sheet, script, identifier or outside resource; words are escaped.
"""

from __future__ import annotations

from rosewood import svg_text as say
from rosewood.decode import picture_parts as parts
from rosewood.decode.derivation_tree import is_tree
from rosewood.decode.picture_parts import APART, HIGH, MARGIN, Derived, Legend, Row
from rosewood.decode.translation import RuleUse
from rosewood.decode.tree_picture import tree_svg


def to_svg(translation: Derived) -> str:
    """Source words above, target words below, rules as boxes of one colour, joined."""
    return tree_svg(translation) if is_tree(translation.rules) else _phrases_svg(translation)


def _phrases_svg(translation: Derived) -> str:
    words, rules = translation.source.words, translation.rules
    top = Row(words, [span for rule in rules for span in rule.source_spans])
    bottom = Row(translation.words, [span for rule in rules for span in rule.target_spans])
    width = max(top.width, bottom.width)
    top.move(MARGIN + (width - top.width) / 2)
    bottom.move(MARGIN + (width - bottom.width) / 2)
    high, low = MARGIN, MARGIN + HIGH + APART
    groups = []
    for number, rule in enumerate(rules):
        above = [top.box(span) for span in rule.source_spans]
        below = [bottom.box(span) for span in rule.target_spans if span[0] < span[1]]
        drawn = []
        for one, other in parts.joined(above, below):
            drawn.append(parts.band(one, high + HIGH, other, low, parts.colour(number, rule)))
        drawn += [parts.box(*box, low, number, rule) for box in below]
        drawn += [parts.box(*box, high, number, rule) for box in above]
        groups.append(parts.group(_about(translation, rule), drawn))
    letters = [*top.letters(high, words), *bottom.letters(low, translation.words)]
    legend = Legend(rules)
    height = low + HIGH + MARGIN + legend.height
    wide = max(width, legend.width) + 2 * MARGIN
    return say.on_paper(wide, height, [*groups, *letters, *legend.marks(height - 26)])


def _about(translation: Derived, phrase: RuleUse) -> str:
    words = translation.source.words
    source = " … ".join(" ".join(words[a:b]) for a, b in phrase.source_spans)
    target = " … ".join(" ".join(translation.words[a:b]) for a, b in phrase.target_spans)
    spans = ",".join(f"{begin}:{end}" for begin, end in phrase.source_spans)
    return parts.about(translation, phrase, source, target, spans)

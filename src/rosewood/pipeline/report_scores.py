"""How well a model translates, on its page: scores, tuning, sentences and their derivations."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from rosewood.errors import ForestError
from rosewood.forest import BoostedTrees
from rosewood.page import details, differences, facts_list, section, signed, table, text
from rosewood.pipeline.report_corpus import feature, legend, shown
from rosewood.pipeline.report_facts import Facts, percent
from rosewood.pipeline.report_groups import groups_part
from rosewood.pipeline.report_plots import bar_row, move_row
from rosewood.plots import Curve, curves
from rosewood.rerank.summary_text import places
from rosewood.svg_text import clean, plural
from rosewood.tree_plots import trees_section

SETS = {"dev": "development set", "test": "test set"}
_EXAMPLES = 9
_WEIGHTS = 40  # features whose weights are drawn
_FEATURES = 30  # of a translation
_LARGEST = 120_000  # bytes of a picture of one derivation
_REFERENCES = 4
_COMPARED = 1500  # characters of a translation


# -- scores ---------------------------------------------------------------------------------------


def scores_part(report: Facts, tune: Facts) -> str:
    """Scores with their signatures, before and after tuning, and how far to believe them."""
    scores = [each for each in report.parts("scores") if each.number("value") is not None]
    if not scores:
        return ""
    baseline = {each.text("name"): each.number("value") for each in report.parts("baseline")}
    sets = [name for name in ("test", "dev") if any(e.text("on") == name for e in scores)]
    heads = [""]
    for name in sets:
        heads.append(SETS[name])
        if name == "dev" and baseline:
            heads += ["before tuning", "gain"]
    rows = []
    for metric in dict.fromkeys(each.text("name") for each in scores):
        of = {e.text("on"): e.number("value") for e in scores if e.text("name") == metric}
        of["before"] = baseline.get(metric)
        digits = places(*(value for value in of.values() if value is not None))
        row = [text(metric)]
        for name in sets:
            row.append(f"<b>{_score(of.get(name), digits)}</b>")
            if name == "dev" and baseline:
                row += [_score(of["before"], digits), _gain(of["before"], of.get("dev"), digits)]
        rows.append(row)
    signatures = {e.text("name"): e.text("signature") for e in scores if e.text("signature")}
    what = "words, as they were given" if report.text("text") == "words" else "plain text"
    return section(
        "scores",
        "Scores",
        f"<p>{_how_far(sets, tune)}</p>",
        table(heads, rows, look="few" if len(heads) < 4 else ""),
        details(
            "what exactly was measured",
            facts_list([*signatures.items(), ("compared", what)]),
        ),
    )


def _score(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _gain(before: float | None, after: float | None, digits: int) -> str:
    return "–" if before is None or after is None else signed(f"{after - before:+.{digits}f}")


def _how_far(sets: Sequence[str], tune: Facts) -> str:
    """How far these figures can be believed."""
    if not is_tuned(tune):
        return "No weights were tuned: these are scores of the weights that training begins with."
    flatters = (
        "The weights were tuned for the development set, so its scores flatter the model"
        if "dev" in sets
        else "The weights were tuned for a development set"
    )
    if "test" in sets:
        return f"{flatters}; those of the test set, which nothing was tuned for, do not."
    return (
        f"{flatters}. For figures to believe, score sentences that were never used: "
        "<code>--test</code> while training, or <code>rosewood evaluate</code>."
    )


def is_tuned(tune: Facts) -> bool:
    """Whether the weights were tuned."""
    return tune.text("learner", "none") not in ("none", "")


# -- tuning ---------------------------------------------------------------------------------------


def tuning_part(tune: Facts) -> str:
    """Scores by round and weights before and after; nothing where nothing was tuned."""
    if not is_tuned(tune):
        return ""
    return section(
        "tuning", "Tuning", _course(tune), _rounds(tune), groups_part(tune), _weights(tune)
    )


def trees_part(boost: Facts) -> str:
    """The trees, if there are any that can be read."""
    told = boost.plain("trees")
    try:
        return trees_section(BoostedTrees.from_dict(told)) if told else ""
    except (ForestError, KeyError, TypeError, ValueError, AttributeError):
        return ""


def _course(tune: Facts) -> str:
    told = [f"Weights were tuned by <b>{text(tune.text('learner'))}</b>"]
    if tune.text("metric"):
        told.append(f"for {text(tune.text('metric'))}")
    if tune.count("sentences"):
        told.append(f"on {plural(tune.count('sentences'), 'sentence')}")
    if tune.count("nbest"):
        told.append(f"with {tune.count('nbest'):,} translations of each a round")
    elif tune.text("on") == "forests":
        told.append("with all that the search met")
    told.append(_unlabelled(tune.part("unlabelled")))
    ending = f" It ended: {text(tune.text('ending'))}." if tune.text("ending") else ""
    return f"<p>{' '.join(filter(None, told))}.{ending}{_kept(tune)}</p>"


def _unlabelled(facts: Facts) -> str:
    """What was learnt from sentences without references."""
    if not facts.count("sentences"):
        return ""
    told = f"and on {plural(facts.count('sentences'), 'sentence')} without references"
    before, after = facts.number("entropy_before"), facts.number("entropy_after")
    if before is None or after is None:
        return told
    return f"{told}, whose mean entropy went from {before:.2f} to {after:.2f} nats"


def _kept(tune: Facts) -> str:
    """The round whose weights the model has: the one with the best translations."""
    best = tune.number("score")
    if best is None:
        return ""
    for place, row in enumerate(tune.parts("history"), 1):
        if row.number("score") == best:
            whose = f"that round {place - 1} learnt" if place > 1 else "that tuning began with"
            told = f"{best:.{places(best)}f}"
            return f" The weights {whose} are kept, with which the score is {told}."
    return ""


def _rounds(tune: Facts) -> str:
    history = tune.parts("history")
    series = []
    for key, name in (("score", "decoded"), ("tuned", "chosen from all rounds so far")):
        line = [row.number(key) for row in history]
        if any(value is not None for value in line):
            series.append(Curve(name, [nan if v is None else v for v in line], [], []))
    if not series:
        return ""
    metric = clean(tune.text("metric", "score"))
    return (
        "<h3>Score by round</h3><p>What the decoder says when a round begins, and behind the last "
        "one; and what the weights that a round learns choose from all rounds so far: where the "
        "two meet, there is little left to learn.</p>"
        f"{legend([each.name for each in series])}"
        f"{curves(series, metric=metric, name='tuning-curve')}"
    )


def _weights(tune: Facts) -> str:
    """Both scaled alike, for only what weights are to each other counts."""
    after, before = tune.named_numbers("weights"), tune.named_numbers("start")
    dense = [name for name in after if ":" not in name]
    if not dense:
        return ""
    scale = sum(abs(after[name]) for name in dense) or 1.0
    old = sum(abs(before.get(name, 0.0)) for name in dense) or 1.0
    now = {name: after[name] / scale for name in dense}
    then = {name: before[name] / old for name in dense if name in before}
    order = sorted(dense, key=lambda name: (-abs(now[name]), name))[:_WEIGHTS]
    values = [0.0, *now.values(), *then.values()]
    low, high = min(values), max(values)
    rows = [
        [
            feature(name),
            signed(f"{before[name]:.4g}") if name in before else "–",
            signed(f"{after[name]:.4g}"),
            move_row(then.get(name), now[name], low, high),
        ]
        for name in order
    ]
    sparse = len(after) - len(dense)
    rest = [f"{plural(len(dense) - len(order), 'smaller one')} not shown"] * (
        len(order) < len(dense)
    )
    rest += [f"{plural(sparse, 'sparse feature')} not shown"] * bool(sparse)
    more = f" {', '.join(rest)}." if rest else ""
    return (
        "<h3>Weights</h3><p>Hollow is where a weight began, filled where it ended, both as shares "
        f"of the sum of all; the line is zero.{more}</p>"
        f"{table(['feature', 'start', 'tuned', ''], rows, look='moves')}"
    )


# -- sentences ------------------------------------------------------------------------------------


def examples_part(report: Facts) -> str:
    """Sentences from the best to the worst, with why."""
    examples = _chosen([e for e in report.parts("examples") if e.text("source")])
    if not examples:
        return ""
    where = SETS.get(examples[0].text("on"), "held-out set")
    order = ", evenly from the best to the worst by chrF" if len(examples) > 1 else ""
    return section(
        "examples",
        "Translations",
        f"<p>{plural(len(examples), 'sentence').capitalize()} of the {where}{order}. "
        "<ins>Underlined words</ins> are not in the reference, <del>struck words</del> of the "
        "reference were not said. Confidence is the share of words that should be in the "
        "reference, by what was so on the development set.</p>",
        *(_example(each, is_open=not place) for place, each in enumerate(examples)),
    )


def _chosen(examples: list[Facts]) -> list[Facts]:
    """Not too many, the best first."""
    order = sorted(examples, key=lambda each: -(each.number("chrf") or 0.0))
    if len(order) <= _EXAMPLES:
        return order
    return [order[(len(order) - 1) * k // (_EXAMPLES - 1)] for k in range(_EXAMPLES)]


def _example(example: Facts, *, is_open: bool) -> str:
    said, references = example.text("translation"), example.texts("references")
    wanted = references[0] if references else ""
    if wanted and max(len(said), len(wanted)) <= _COMPARED:
        own, other = differences(said, wanted)
    else:
        own, other = shown(said), shown(wanted)
    figures = []
    number = example.number("number")
    if number is not None:
        figures.append(f"sentence {number:.0f}")
    if (score := example.number("chrf")) is not None:
        figures.append(f"chrF {score:.0f}")
    if (confidence := example.number("confidence")) is not None:
        figures.append(f"confidence {percent(confidence, 1.0)}")
    rows = [("source", shown(example.text("source"))), ("translation", own)]
    if wanted:
        rows.append(("reference", other))
        rows += [("", shown(each)) for each in references[1:_REFERENCES]]
    lines = "".join(f'<dt>{name}</dt><dd dir="auto">{said}</dd>' for name, said in rows)
    why = details("how it came about", _picture(example), _features(example), is_open=is_open)
    return (
        f'<article class="example"><p class="faint">{" · ".join(figures)}</p>'
        f'<dl class="said">{lines}</dl>{why}</article>'
    )


def _picture(example: Facts) -> str:
    """The derivation as it was drawn: `decode.draw` has made its words harmless."""
    drawn = example.text("svg")
    if not drawn.startswith("<svg"):
        return ""
    if len(drawn) > _LARGEST:
        return '<p class="faint">The derivation is too large to be drawn here.</p>'
    return f'<div class="frame">{drawn}</div>'


def _features(example: Facts) -> str:
    """What each feature adds to the score, the strongest first."""
    explained = example.part("explanation")
    adds = explained.named_numbers("contributions")
    values, weights = explained.named_numbers("features"), explained.named_numbers("weights")
    strongest = sorted((n for n in adds if adds[n]), key=lambda n: (-abs(adds[n]), n))
    if not strongest:
        return ""
    # One unknown word would outshine all else: no bar is more than twice as long as the next.
    most = min(abs(adds[strongest[0]]), 2 * abs(adds[strongest[min(1, len(strongest) - 1)]]))
    rows = []
    for name in strongest[:_FEATURES]:
        kind = "good" if adds[name] > 0 else "bad"
        rows.append(
            [
                feature(name),
                signed(f"{values.get(name, 0.0):.4g}"),
                signed(f"{weights.get(name, 0.0):.3g}"),
                signed(f"{adds[name]:+.3f}"),
                bar_row(abs(adds[name]), most, kind=kind),
            ]
        )
    return table(["feature", "value", "weight", "adds", ""], rows, look="bars")

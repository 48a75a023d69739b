"""Models on the page of a training run: language models, rules, and the order of phrases."""

from __future__ import annotations

from rosewood.page import details, facts_list, section, table, text
from rosewood.pipeline.report_corpus import legend
from rosewood.pipeline.report_facts import Facts, byte_size, percent
from rosewood.pipeline.report_plots import bar_row, shares_row
from rosewood.plots import Curve, curves
from rosewood.svg_text import plural

_DIRECTIONS = {
    "backward": "to the phrase before",
    "forward": "to the phrase behind",
}


def language_models_part(facts: Facts) -> str:
    """How well the models know the language: perplexity, n-grams, what fell back."""
    models = facts.named("models")
    if not models:
        return ""
    rows = []
    for name, each in models.items():
        perplexity = each.number("dev_perplexity")
        rows.append(
            [
                text(name),
                f"{each.count('order')}",
                f"{each.count('tokens'):,}",
                f"{each.count('types'):,}",
                "–" if perplexity is None else _digits(perplexity),
                f"{each.count('dev_unknown'):,}",
                byte_size(each.count("bytes")),
            ]
        )
    heads = ["model", "order", "words", "different", "perplexity of dev", "unknown there", "size"]
    return section(
        "language",
        "Language model" if len(models) == 1 else "Language models",
        "<p>How well the model foresees the words of the development set: a perplexity of 50 means "
        "that it is as unsure as if each word were one of 50.</p>",
        table(heads, rows),
        *(_grams(name, each, len(models) > 1) for name, each in models.items()),
    )


def _digits(value: float) -> str:
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def _grams(name: str, facts: Facts, is_one_of_many: bool) -> str:
    counts = facts.numbers("ngrams")
    if not any(counts):
        return ""
    rows = [
        [f"{n}-grams", f"{count:,.0f}", bar_row(count, max(counts))]
        for n, count in enumerate(counts, 1)
    ]
    heading = f"n-grams of {text(name)}" if is_one_of_many else "n-grams"
    fallbacks = "".join(f"<li>{text(each)}</li>" for each in facts.texts("fallbacks"))
    fell = f"<p>What fell back on fixed values:</p><ul>{fallbacks}</ul>" if fallbacks else ""
    return f"{table([heading, '', ''], rows, look='bars')}{fell}"


def rules_part(extract: Facts, reordering: Facts) -> str:
    """How many rules there are, which were left out, and how phrases lie to each other."""
    if not extract and not reordering:
        return ""
    parts = _rules(extract), _orientations(reordering), _reordering_models(extract, reordering)
    return section("rules", "Rules and reordering", *parts)


def _rules(facts: Facts) -> str:
    rules = facts.count("rules")
    if not facts:
        return ""
    told = [plural(rules, "rule")]
    if facts.count("sources"):
        told.append(f"for {plural(facts.count('sources'), 'source phrase')}")
    if facts.count("bytes"):
        told.append(f"{byte_size(facts.count('bytes'))} on disk")
    rows = [
        ("places where a rule was seen", facts.count("instances")),
        ("different rules", facts.count("extracted")),
        ("left out: too rare", facts.count("rare")),
        ("left out: not significant", facts.count("insignificant")),
        ("left out: too many for their source", facts.count("over_limit")),
        ("kept", rules),
    ]
    known = [(name, count) for name, count in rows if count or name == "kept"]
    most = max(1, *(count for _, count in known))
    bars = [[name, f"{count:,}", bar_row(count, most)] for name, count in known]
    drawn = table(["rules", "", ""], bars, look="bars") if len(known) > 1 else ""
    settings = facts.part("settings").told()
    return (
        f"<p>{', '.join(told)}.</p>{drawn}"
        f"{details('settings of the rules', facts_list(settings) if settings else '')}"
    )


def _reordering_models(extract: Facts, facts: Facts) -> str:
    """Trained models: how large they are, how well they fit, how fast examples became inactive."""
    rows: list[list[str]] = []
    lines = []
    for name, model in facts.named("trained").items():
        for way, each in model.named("directions").items():
            error, gap = each.number("error"), each.number("gap")
            early = ", not converged" if each.is_true("ran_out_of_passes") else ""
            rows.append([
                f"{text(name)} {text(way)}", f"{model.count('features'):,}",
                byte_size(model.count("bytes")), f"{each.count('examples'):,}",
                "–" if error is None else percent(error, 1.0),
                "–" if gap is None else f"{gap:,.4g}" + early,
                f"{each.count('passes') or '–'}",
            ])  # fmt: skip
            active = [100.0 * share for share in each.numbers("active_share")]
            if len(active) > 1:
                lines.append(Curve(f"{name} {way}", active, [], []))
    if not rows:
        return ""
    if extract.count("bytes"):  # its columns are packed with the others
        whole = f"{byte_size(extract.count('bytes'))} with all of the rules"
        rows.append(["lexicalized, in the rule table", "–", whole, *["–"] * 4])
    heads = ["model", "features", "size", "events", "error on them", "duality gap", "passes"]
    drawn = ""
    if lines:
        told = "Events that are still active, in percent, pass by pass."
        names = legend([each.name for each in lines])
        picture = curves(lines, metric="active %", unit="pass", name="active")
        drawn = f"<p>{told}</p>{names}{picture}"
    return f"<h3>Trained reordering models</h3>{table(heads, rows)}{drawn}"


def _orientations(facts: Facts) -> str:
    rows = {name: facts.part("shares").named_numbers(name) for name in _DIRECTIONS}
    rows = {name: shares for name, shares in rows.items() if sum(shares.values()) > 0}
    if not rows:
        return ""
    classes = list(dict.fromkeys(name for shares in rows.values() for name in shares))
    cells = []
    for name, shares in rows.items():
        whole = sum(shares.values())
        told = ", ".join(f"{text(c)} {percent(v, whole)}" for c, v in shares.items())
        bar = shares_row({c: shares.get(c, 0.0) for c in classes})
        cells.append([text(_DIRECTIONS[name]), f'{bar}<span class="small faint">{told}</span>'])
    kind = f" ({text(facts.text('kind'))})" if facts.text("kind") else ""
    return (
        f"<h3>How phrases lie to each other{kind}</h3>{legend(classes)}"
        f"{table(['', ''], cells, look='shares')}"
    )

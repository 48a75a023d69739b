"""The corpus on the page of a training run: what was read, filtered, cut into words and linked."""

from __future__ import annotations

from math import nan

from rosewood.align.alignment import Alignment
from rosewood.align.draw import to_svg
from rosewood.errors import AlignmentError
from rosewood.page import details, section, signed, table, text
from rosewood.pipeline.report_facts import Facts, percent
from rosewood.pipeline.report_plots import bar_row, histogram
from rosewood.plots import Curve, curves
from rosewood.svg_text import clean, plural

_REASONS = 30
_EXAMPLES = 5  # of pairs that were left out for one reason
_LONG = 600  # characters of a text of which more would not be read
_MATRICES = 6
_STAGES, _NAME = 12, 20  # of training that are told apart, and letters of their names
_WORDS = 45  # of a sentence whose matrix is drawn
_UNKNOWN = 60  # words of dev that have no translation


def shown(words: str, limit: int = _LONG) -> str:
    """A text of the corpus as HTML; of a very long one its beginning, and how much is missing."""
    if len(words) <= limit:
        return text(words)
    more = len(words) - limit
    return f'{text(words[:limit])}… <span class="faint">({more:,} more characters)</span>'


def feature(name: str) -> str:
    """The name of a feature as HTML, with line breaks allowed after _."""
    return shown(name, 120).replace("_", "_<wbr>")


# -- what was read and left out -------------------------------------------------------------------


def corpus_part(clean_facts: Facts, tokenise: Facts) -> str:
    """How many pairs were read and kept, and why others were left out."""
    if not clean_facts:
        return ""
    return section(
        "corpus",
        "Corpus",
        _files(clean_facts),
        _ways(clean_facts, tokenise),
        _left_out(clean_facts, tokenise),
        _skipped(clean_facts),
    )


def _files(facts: Facts) -> str:
    names = facts.texts("files")
    if not names:
        return ""
    told = ", ".join(f"<code>{shown(name, 200)}</code>" for name in names[:8])
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    return f"<p>Read from {told}{more}.</p>"


def _ways(facts: Facts, tokenise: Facts) -> str:
    """Where the pairs went, as bars of one length."""
    read = facts.count("seen")
    if not read:
        return ""
    dev_is_part = facts.text("dev_from") != "given"
    kept = tokenise.count("kept") or facts.count("train")
    rows: list[tuple[str, int]] = [("read", read), ("trained on", kept)]
    if dev_is_part and facts.count("dev"):
        rows.append(("split off as the development set", facts.count("dev")))
    rows += [
        ("left out, see below", sum(count for _, count, _ in _removed(facts, tokenise))),
        ("bad lines, not read", int(sum(facts.named_numbers("skipped").values()))),
        ("no pairs to learn from, not read", int(sum(facts.named_numbers("left_out").values()))),
        ("tabs and line breaks made spaces", facts.count("joined")),
    ]
    most = max(read, *(count for _, count in rows))
    cells = [
        [text(name), f"{count:,}", percent(count, read), bar_row(count, most)]
        for name, count in rows
        if count or name == "trained on"
    ]
    given = ""
    if not dev_is_part and facts.count("dev"):
        given = f"<p>The development set was given: {plural(facts.count('dev'), 'pair')}"
        references = facts.count("references")
        given += f", {references} references each.</p>" if references > 1 else ".</p>"
    if facts.count("test"):
        given += f"<p>The test set has {plural(facts.count('test'), 'pair')}.</p>"
    return table(["pairs", "", "", ""], cells, look="bars") + given


def _removed(facts: Facts, tokenise: Facts) -> list[tuple[str, int, list[str]]]:
    """Reasons of both stages that leave pairs out, the most frequent first."""
    found: dict[str, tuple[int, list[str]]] = {}
    for stage in (facts, tokenise):
        for reason, each in stage.named("removed").items():
            count, examples = found.get(reason, (0, []))
            found[reason] = (count + each.count("count"), [*examples, *each.texts("examples")])
    rows = [(reason, count, examples) for reason, (count, examples) in found.items() if count]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _left_out(facts: Facts, tokenise: Facts) -> str:
    removed = _removed(facts, tokenise)
    if not removed:
        return "<p>Nothing was filtered: every pair that was read is there.</p>"
    blocks = [
        '<h3>What was filtered</h3><p class="faint">Each reason with how many pairs it left out, '
        "and some of them.</p>"
    ]
    for reason, count, examples in removed[:_REASONS]:
        told = f"<b>{shown(reason, 120)}</b> · {plural(count, 'pair')}"
        quoted = "".join(f'<p dir="auto">{shown(each, 300)}</p>' for each in examples[:_EXAMPLES])
        if quoted:
            blocks.append(details(told, f'<div class="example">{quoted}</div>'))
        else:
            blocks.append(f"<p>{told}</p>")
    return "\n".join(blocks)


def _skipped(facts: Facts) -> str:
    kinds = {**facts.named_numbers("skipped"), **facts.named_numbers("left_out")}
    kinds = {name: count for name, count in kinds.items() if count}
    examples = facts.texts("examples")
    if not kinds:
        return ""
    told = ", ".join(
        f"{shown(name, 120)} {count:,.0f}" for name, count in [*kinds.items()][:_REASONS]
    )
    quoted = "".join(f'<p dir="auto">{shown(each, 300)}</p>' for each in examples[:_EXAMPLES])
    listed = details("where, for example", f'<div class="example">{quoted}</div>' if quoted else "")
    return f"<h3>What could not be read</h3><p>{told}</p>{listed}"


# -- words ----------------------------------------------------------------------------------------


def vocabulary_part(tokenise: Facts, report: Facts) -> str:
    """How text became words, how long sentences are, and which words of dev are new."""
    train = tokenise.part("train")
    return section(
        "words",
        "Words and lengths",
        _how_cut(tokenise),
        _sides(train),
        _lengths(tokenise.part("lengths")),
        _new_words(tokenise.part("dev"), report),
    )


def _how_cut(tokenise: Facts) -> str:
    if tokenise.is_true("pretokenized"):
        return "<p>Words were given: they stand between spaces, and nothing was changed.</p>"
    how = [
        f"tokeniser <b>{text(tokenise.text('tokeniser'))}</b>"
        if tokenise.text("tokeniser")
        else "",
        f"case: <b>{text(tokenise.text('case'))}</b>" if tokenise.text("case") else "",
    ]
    told = ", ".join(each for each in how if each)
    return f"<p>Raw text was cut into words: {told}.</p>" if told else ""


def _sides(train: Facts) -> str:
    sides = [(name, train.part(name)) for name in ("source", "target") if train.part(name)]
    if not sides:
        return ""
    rows = []
    for name, each in sides:
        mean = each.number("mean")
        rows.append(
            [
                name,
                f"{each.count('tokens'):,}",
                f"{each.count('types'):,}",
                percent(each.count("once"), each.count("types")),
                "–" if mean is None else f"{mean:.1f}",
                f"{each.count('longest'):,}",
            ]
        )
    heads = ["training set", "words", "different", "of them seen once", "a sentence", "longest"]
    return table(heads, rows)


def _lengths(lengths: Facts) -> str:
    series = {name: lengths.numbers(name) for name in ("source", "target")}
    series = {name: counts for name, counts in series.items() if sum(counts) > 0}
    if not series:
        return ""
    return (
        "<h3>Lengths of sentences, in words</h3>"
        f"{legend(list(series))}{histogram(series, name='lengths')}"
    )


def legend(names: list[str]) -> str:
    """Which colour is what."""
    rows = "".join(f'<li class="s{i % 6}"><i></i>{text(n)}</li>' for i, n in enumerate(names))
    return f'<ul class="legend">{rows}</ul>'


def _new_words(dev: Facts, report: Facts) -> str:
    parts = []
    tokens = dev.count("source_tokens")
    if tokens:
        new = dev.count("unknown_tokens")
        parts.append(
            f"<p>Of {tokens:,} source words of the development set, {new:,} "
            f"({percent(new, tokens)}) never occur in the training set; "
            f"{dev.count('unknown_types'):,} of them are different words.</p>"
        )
    words = [(w, n) for w, n in report.pairs("unknown_words") if type(w) is str and type(n) is int]
    if words:
        chips = "".join(
            f'<li dir="auto">{shown(word, 40)} <span class="faint">{count:,}</span></li>'
            for word, count in words[:_UNKNOWN]
        )
        more = f" {len(words) - _UNKNOWN:,} more are not shown." if len(words) > _UNKNOWN else ""
        parts.append(
            "<p>The most frequent words that no rule translates, and how often they were met: "
            f"pairs that have them would help most.{more}</p>"
            f'<ul class="chips">{chips}</ul>'
        )
    return "<h3>Unknown words</h3>" + "".join(parts) if parts else ""


# -- links ----------------------------------------------------------------------------------------


def alignment_part(facts: Facts) -> str:
    """How words were linked, how training went, and some sentences as matrices."""
    if not facts:
        return ""
    return section("alignment", "Word alignment", _links(facts), _training(facts), _matrices(facts))


def _links(facts: Facts) -> str:
    told = [
        f"model <b>{text(facts.text('model'))}</b>" if facts.text("model") else "",
        f"both directions joined by <b>{text(facts.text('symmetrization'))}</b>"
        if facts.text("symmetrization")
        else "",
        plural(facts.count("links"), "link") if facts.count("links") else "",
    ]
    bare = [
        f"{percent(value, 1.0)} of {side} words"
        for side in ("source", "target")
        if (value := facts.number(f"unlinked_{side}")) is not None
    ]
    line = ", ".join(each for each in told if each)
    more = f" {' and '.join(bare)} have no link." if bare else ""
    return f"<p>{line[:1].upper()}{line[1:]}.{more}</p>" if line else ""


def _training(facts: Facts) -> str:
    history = facts.parts("history")
    if len(history) < 2:
        return ""
    stages: list[tuple[int, str]] = []
    for place, row in enumerate(history):
        name = row.text("stage")
        if name and (not place or name != history[place - 1].text("stage")):
            stages.append((place, clean(name)[:_NAME]))
    series = []
    for key, name in (("forward", "source to target"), ("backward", "target to source")):
        values = [row.number(key) for row in history]
        if any(value is not None for value in values):
            line = [nan if value is None else value for value in values]
            series.append(Curve(name, line, [], stages[:_STAGES]))
    if not series:
        return ""
    ends = " and ".join(
        signed(f"{next(v for v in reversed(each.line) if v == v):.3f}") for each in series
    )
    picture = curves(series, metric="log probability of a word", name="alignment-curve")
    return (
        f"<h3>Training</h3><p>Log probability of a word given the other sentence, after each "
        f"round, higher is better; at the end {ends}.</p>"
        f"{legend([each.name for each in series])}{picture}"
    )


def _matrices(facts: Facts) -> str:
    drawn = []
    for each in facts.parts("examples"):
        picture = _matrix(each)
        if picture:
            score = each.number("score")
            told = "" if score is None else f"log probability of a word {signed(f'{score:.2f}')}"
            drawn.append(f'<figure>{picture}<figcaption class="faint">{told}</figcaption></figure>')
        if len(drawn) == _MATRICES:
            break
    if not drawn:
        return ""
    return (
        "<h3>Examples</h3><p>Source words stand along the top, target words down the side; a "
        "square is a link, words without one are grey. The model likes the first one best and the "
        "last one least.</p>"
        f'<div class="figures">{"".join(drawn)}</div>'
    )


def _matrix(example: Facts) -> str:
    source, target = example.texts("source"), example.texts("target")
    if not source or not target or max(len(source), len(target)) > _WORDS:
        return ""
    links = {(i, j) for i, j in example.pairs("links") if type(i) is int and type(j) is int}
    try:
        return to_svg(Alignment(frozenset(links), tuple(source), tuple(target)))
    except AlignmentError:  # links of words that are not there
        return ""

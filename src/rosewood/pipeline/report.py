"""The report of a training run: one page of HTML without network or scripts.

write_report("model.html", stages, command="rosewood train …")

What matters comes first: how good the model is, what should be known of it, what it says; then
stage by stage how it came about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from platform import python_version
from typing import Any

from rosewood import __version__
from rosewood.output import whole_file
from rosewood.page import details, facts_list, page, section, sentence, table, text
from rosewood.pipeline.report_corpus import alignment_part, corpus_part, shown, vocabulary_part
from rosewood.pipeline.report_facts import Facts, byte_size, took
from rosewood.pipeline.report_models import language_models_part, rules_part
from rosewood.pipeline.report_plots import bar_row
from rosewood.pipeline.report_scores import (
    SETS,
    examples_part,
    is_tuned,
    scores_part,
    trees_part,
    tuning_part,
)  # fmt: skip
from rosewood.pipeline.report_second_stage import second_stage_part
from rosewood.pipeline.stages import STAGE_NAMES
from rosewood.pipeline.work_store import Finished
from rosewood.shared_types import PathName
from rosewood.svg_text import plural

_LINKS = {
    "notes": "good to know", "scores": "scores", "examples": "translations", "tuning": "tuning",
    "corpus": "corpus", "words": "words", "alignment": "alignment", "language": "language model",
    "rules": "rules", "time": "time and memory", "how": "how it was done",
}  # fmt: skip
_NOTES = 40
_BEFORE = ' <span class="faint">done before</span>'


def write_report(path: PathName, stages: Sequence[Finished], **options: Any) -> None:
    """Write the page to a file, which appears whole or not at all; see `report_html`."""
    whole = report_html(stages, **options)
    with whole_file(path) as out:
        out.write(whole.encode(errors="backslashreplace"))  # paths of the command


def report_html(
    stages: Sequence[Finished],
    *,
    command: str | None = None,
    title: str | None = None,
    settings: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
    size: int | None = None,
) -> str:
    """The page as a text.

    `command` repeats the run, `notes` are shown beside those of the stages, and `size` is the size
    of the model in bytes.
    """
    facts = {stage.name: Facts(stage.facts) for stage in stages}
    of = {name: facts.get(name, Facts()) for name in STAGE_NAMES}
    name = title or _title(of)
    parts = [
        scores_part(of["report"], of["tune"]),
        _warnings(_notes(of, notes)),
        examples_part(of["report"]),
        tuning_part(of["tune"]),
        trees_part(of["boost"]),
        second_stage_part(of["second"]),
        corpus_part(of["clean"], of["tokenise"]),
        vocabulary_part(of["tokenise"], of["report"]),
        alignment_part(of["align"]),
        language_models_part(of["lm"]),
        rules_part(of["extract"], of["reordering"]),
        _time(stages),
        _how(stages, command, settings),
    ]
    head = _head(name, of, stages, size)
    return page(f"{name} · Rosewood, training", [head, _contents(parts), *parts])


# -- what matters first ---------------------------------------------------------------------------


def _title(of: Mapping[str, Facts]) -> str:
    languages = of["clean"].texts("languages")
    return f"{languages[0]} → {languages[1]}" if len(languages) == 2 else "A translation model"


def _headline(report: Facts, on: str) -> tuple[str, float] | None:
    """The first score of a set: its name and value."""
    for each in report.parts("scores"):
        value = each.number("value")
        if each.text("on") == on and value is not None:
            return each.text("name"), value
    return None


def _pairs(of: Mapping[str, Facts]) -> int:
    return of["tokenise"].count("kept") or of["clean"].count("train")


def _head(name: str, of: Mapping[str, Facts], stages: Sequence[Finished], size: int | None) -> str:
    tiles: list[tuple[str, str]] = []
    for on in ("test", "dev"):
        if score := _headline(of["report"], on):
            tiles.append((f"{score[1]:.1f}", f"{score[0]} on the {SETS[on]}"))
    pairs = _pairs(of)
    if pairs:
        tiles.append((f"{pairs:,}", "sentence pairs trained on"))
    if of["extract"].count("rules"):
        tiles.append((f"{of['extract'].count('rules'):,}", "translation rules"))
    if stages:
        memory = byte_size(max(each.memory for each in stages))
        whole = took(sum(each.seconds for each in stages))
        tiles.append((whole, f"for all of the training, in {memory} of memory"))
    if size:
        tiles.append((byte_size(size), "model on disk"))
    cards = "".join(f"<li><b>{text(big)}</b> {text(small)}</li>" for big, small in tiles)
    return "\n".join(
        [
            '<header><p class="kicker">Rosewood · training report</p>',
            f'<h1 dir="auto">{text(name)}</h1>',
            f'<p class="lead">{_lead(of)}</p>',
            f'<ul class="tiles">{cards}</ul></header>',
        ]
    )


def _lead(of: Mapping[str, Facts]) -> str:
    """The page in a sentence or two."""
    pairs = _pairs(of)
    told = f"A model learnt from {plural(pairs, 'sentence pair')}" if pairs else "A model"
    score = _headline(of["report"], "test")
    if score:
        return text(f"{told}. On sentences it has never seen, {score[0]} is {score[1]:.1f}.")
    score = _headline(of["report"], "dev")
    if score is None:
        return text(f"{told}. Nothing was translated to judge it by.")
    where = (
        "the sentences its weights were tuned for" if is_tuned(of["tune"]) else "held-out sentences"
    )
    flatters = ", which flatters it" if is_tuned(of["tune"]) else ""
    return text(f"{told}. On {where}, {score[0]} is {score[1]:.1f}{flatters}.")


def _contents(parts: Sequence[str]) -> str:
    """Links to the sections of the page."""
    there = "".join(
        f'<li><a href="#{place}">{name}</a></li>'
        for place, name in _LINKS.items()
        if any(part.startswith(f'<section id="{place}"') for part in parts)
    )
    return f'<nav aria-label="contents"><ul>{there}</ul></nav>' if there else ""


def _notes(of: Mapping[str, Facts], notes: Sequence[str]) -> list[str]:
    """Notes of the stages and of the caller, each once."""
    told = [*notes]
    for facts in of.values():
        told += facts.texts("notes")
    return list(dict.fromkeys(told))


def _warnings(notes: Sequence[str]) -> str:
    rows = "".join(f'<li dir="auto">{shown(sentence(note))}</li>' for note in notes[:_NOTES])
    if len(notes) > _NOTES:
        rows += f"<li>{len(notes) - _NOTES:,} more notes are in the work folder.</li>"
    return section("notes", "Good to know", f"<ul>{rows}</ul>" if rows else "", look="warning")


# -- how it came about ----------------------------------------------------------------------------


def _time(stages: Sequence[Finished]) -> str:
    if not stages:
        return ""
    slowest = max(each.seconds for each in stages)
    largest = max(each.memory for each in stages)
    rows = []
    for each in stages:
        pale = each.seconds if each.was_done else 0.0
        rows.append(
            [
                f"{text(each.name)}{_BEFORE if each.was_done else ''}",
                took(each.seconds),
                bar_row(each.seconds - pale, slowest, below=pale),
                byte_size(each.memory),
                bar_row(each.memory, largest, kind="fill other"),
            ]
        )
    before = [each for each in stages if each.was_done]
    told = f"All stages together took {took(sum(each.seconds for each in stages))}."
    if before:
        rest = took(sum(each.seconds for each in stages if not each.was_done))
        told += (
            f" {plural(len(before), 'stage')} had been done by a run before and "
            f"{'was' if len(before) == 1 else 'were'} not done again; this run took {rest}."
        )
    heads = ["stage", "time", "", "memory", ""]
    about = "Memory is the most that the process had used when the stage ended."
    return section(
        "time", "Time and memory", f"<p>{told} {about}</p>", table(heads, rows, look="bars time")
    )


def _how(
    stages: Sequence[Finished], command: str | None, settings: Mapping[str, Any] | None
) -> str:
    again = "" if command is None else f"<h3>Do it again</h3><pre>{text(command)}</pre>"
    chosen = Facts(settings).told()
    tuned = Facts(next((each.facts for each in stages if each.name == "tune"), {}))
    learner = tuned.part("settings").told()
    keys = [(each.name, each.key[:12]) for each in stages]
    versions = [("rosewood", __version__), ("Python", python_version())]
    return section(
        "how",
        "How it was done",
        again,
        f"<h3>Versions</h3>{facts_list(versions)}",
        details("settings", facts_list(chosen) if chosen else ""),
        details("settings of the learner", facts_list(learner) if learner else ""),
        details("keys of the stages", facts_list(keys) if keys else ""),
    )

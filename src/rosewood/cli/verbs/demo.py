"""Train a model on generated text, translate with it and explain the translations."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.options import cores
from rosewood.cli.run_options import Quiet, Threads
from rosewood.errors import FormatError

if TYPE_CHECKING:
    from rich.console import Console

    from rosewood.pipeline import Trained, Translator
    from rosewood.pipeline.reply import Reply
    from rosewood.pipeline.work_store import Finished

_TRAIN, _DEV, _TEST = 3000, 200, 200  # pairs
_PARTS = ("train", "dev", "test")
_MARKER = "rosewood-demo"  # tells whose folder it is
_SHOWN = 3  # translations in the table that are right, and as many that are not
_READABLE = range(5, 12)  # words of those
_LENGTHS = range(8, 15)  # words of the sentence that is looked into


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Output folder.")
    ] = Path("demo"),
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Train and tune a model on a small corpus, translate with it, explain a translation, rerank.

    A second run reuses the finished stages of training.
    """
    from rich.console import Console

    console = Console(highlight=False)
    take_folder(output)
    trained = _training(console, output, cores(threads), quiet)
    _translating(console, output, trained, cores(threads))
    _reranking(console, output)
    _next(console, output)


def take_folder(output: Path) -> None:
    """The folder, if it is new, empty or of another demonstration: nobody's files are lost."""
    marker = output / _MARKER
    if output.exists() and not marker.exists() and (output.is_file() or any(output.iterdir())):
        raise FormatError(
            f"refusing to write into this folder: it was not made by rosewood demo (no {_MARKER})",
            file=output, code="file.exists",
        )  # fmt: skip
    output.mkdir(parents=True, exist_ok=True)
    marker.touch()


def _training(console: Console, output: Path, threads: int, quiet: bool) -> Trained:
    """From text files to a model, as `rosewood train` does it."""
    from rich.table import Table

    from rosewood.corpus.phrasebook import Phrasebook
    from rosewood.pipeline import TrainingInputs, train
    from rosewood.progress import progress_of_parts

    console.print("[bold]Training[/bold]: sentence pairs in, a model out\n")
    files = Phrasebook("en-de", seed=1, reverse=True).write(output, _TRAIN, _DEV, _TEST, raw=True)
    inputs = TrainingInputs(*files["train"], dev=files["dev"], test=files["test"])
    with progress_of_parts(quiet=quiet) as told:
        trained = train(
            inputs, output / "model", threads=threads, told=told, command=train_command(output)
        )
    console.print(f"  {train_command(output)}", markup=False, soft_wrap=True)
    table = Table("stage", "what came of it", "seconds")
    table.columns[2].justify = "right"
    for stage in trained.stages:
        took = "was there" if stage.was_done else f"{stage.seconds:.1f}"
        table.add_row(stage.name, _outcome(stage), took)
    console.print(table)
    return trained


def train_command(output: Path) -> str:
    """The command that trains the model of the demonstration."""
    files = {part: [f"{output / part}.{end}" for end in ("de", "en")] for part in _PARTS}
    source, target = files["train"]
    words = ["rosewood", "train", "--source", source, "--target", target, "--dev", *files["dev"]]
    return shlex.join([*words, "--test", *files["test"], "-o", str(output / "model")])


def _outcome(stage: Finished) -> str:
    """What a stage found, in a few words."""
    facts: Any = stage.facts
    match stage.name:
        case "clean":
            return f"{facts['train']:,} pairs, {facts['dev']} others to tune on"
        case "tokenise":
            source, target = facts["train"]["source"], facts["train"]["target"]
            return f"{source['types']:,} different words become {target['types']:,} others"
        case "align":
            return f"{facts['links']:,} links between words"
        case "lm":
            model = facts["models"]["lm"]
            return f"{sum(model['ngrams']):,} n-grams, perplexity {model['dev_perplexity']:.1f}"
        case "extract":
            return f"{facts['rules']:,} phrases with their translations"
        case "reordering":
            return f"{facts['shares']['backward']['monotone']:.0%} of phrases stay in their order"
        case "tune":
            rounds = sum(row["tuned"] is not None for row in facts["history"])
            return f"{len(facts['weights'])} weights in {rounds} rounds"
        case _:
            value = _scores(facts["scores"])["test"]
            return f"BLEU {value:.1f} on {_TEST} sentences that nobody has seen"


def _scores(rows: list[dict[str, Any]]) -> dict[str, float]:
    """BLEU by the set it was measured on."""
    return {row["on"]: row["value"] for row in rows if row["name"] == "BLEU"}


def _translating(console: Console, output: Path, trained: Trained, threads: int) -> None:
    """Sentences that were not trained on, how sure each is, and one of them phrase by phrase."""
    from rich.table import Table
    from rich.text import Text

    from rosewood.pipeline import Translator

    translator = Translator.load(trained.folder, threads=threads)
    source, references = (
        (output / f"test.{language}").read_text("utf-8").splitlines() for language in ("de", "en")
    )
    replies = list(translator.replies(source))
    judged = trained.stages[-1].facts
    before, after = _scores(judged["baseline"]), _scores(judged["scores"])
    console.print(
        f"\n[bold]Translating[/bold] what it has not seen: BLEU {after['test']:.1f} (on the "
        f"sentences of tuning {before['dev']:.1f} before it, {after['dev']:.1f} after it)\n"
    )
    for row in trained.scores:
        if row["on"] == "test":
            told = f"  {row['name']} {row['value']:.1f}  {row['signature']}"
            console.print(told, markup=False, soft_wrap=True)
    pairs = list(zip(replies, references, strict=True))
    right, wrong = ([(r, t) for r, t in pairs if (r.translation == t) is same]
                    for same in (True, False))  # fmt: skip
    console.print(
        f"\n  {len(right)} are the same as their reference.  Typical ones of these and of the "
        "others, by how sure they are:",
        soft_wrap=True,
    )
    table = Table("German", "translation", "sure", "reference")
    for reply, reference in [*_typical(right), *_typical(wrong)]:
        told = "(the same)" if reply.translation == reference else reference
        table.add_row(
            Text(reply.source), Text(reply.translation), f"{reply.confidence:.2f}", Text(told)
        )
    console.print(table)
    worth = [reply for reply, _ in right if _is_worth_a_look(reply)]
    likeliest = (each for each in worth if _is_most_probable(translator, each))
    _one(console, output, translator, next(likeliest, [*worth, *replies][0]))


def _typical(pairs: list[tuple[Reply, str]]) -> list[tuple[Reply, str]]:
    """Sentences of a readable length whose confidence is nearest to the median; surest first."""
    some = [pair for pair in pairs if len(pair[0].source_words) in _READABLE] or pairs
    ranked = sorted(some, key=lambda pair: -pair[0].confidence)
    begin = max(0, (len(ranked) - _SHOWN) // 2)
    return ranked[begin : begin + _SHOWN]


def _is_most_probable(translator: Translator, chosen: Reply) -> bool:
    """Whether no other translation is more probable, all its derivations together."""
    (first, *_) = translator.reply(chosen.source, nbest=4).alternatives
    return first.words == chosen.words


def _is_worth_a_look(reply: Reply) -> bool:
    """Neither short nor long, with phrases of several words that changed their places."""
    begins = [use.begin for use in reply.rules]
    longer = sum(use.end - use.begin > 1 for use in reply.rules)
    return len(reply.source_words) in _LENGTHS and begins != sorted(begins) and longer > 1


def _one(console: Console, output: Path, translator: Translator, chosen: Reply) -> None:
    """A derivation, what else could be said, where a rule is from; all of it as a page."""
    from rosewood.output import whole_file

    seen = translator.inspect(chosen.source)
    console.print(f"\n[bold]One derivation[/bold], of {seen.size}\n")
    console.print(f"  {chosen.source}\n  {chosen.translation}\n", markup=False)
    for phrase in seen.explanation.rules:
        pieces = " ".join(phrase.source), " ".join(phrase.target)
        console.print(f"  {phrase.score:8.3f}  {pieces[0]} → {pieces[1]}", markup=False)
    console.print("\n  What could be said, and how probable each is:")
    for other in seen.reply.alternatives[:4]:
        console.print(f"  {other.posterior:8.3f}  {other.translation}", markup=False)
    longest = max(seen.rules, key=lambda each: len(each.rule.source))
    told = [" ".join(map(str, side)) for side in (longest.rule.source, longest.rule.target)]
    console.print(f"\n  {told[0]} → {told[1]}: {longest.counts}", markup=False, soft_wrap=True)
    console.print(f"  {longest.origin}: {' '.join(longest.source)}", markup=False, soft_wrap=True)
    for name, text in (("inspection.html", seen.to_html()), ("forest.svg", seen.forest_svg)):
        with whole_file(output / name) as stream:
            stream.write(text.encode())


def _reranking(console: Console, output: Path) -> None:
    """Weights for the candidates of an imagined system, and whether they help."""
    from rosewood.rerank import toy_lists, tune, write_candidates

    console.print("\n[bold]Reranking[/bold]: candidates of any system in, weights out\n")
    file = output / "candidates.jsonl"
    write_candidates(toy_lists(120), file)
    tuned = tune(file, method="mert", metric="bleu", settings={"restarts": 8})
    tuned.write_weights(output / "weights.json")
    tuned.write_report(output / "reranking.html", command=f"rosewood tune {file} --set restarts=8")
    console.print(f"  {tuned.summary().splitlines()[0]}", markup=False, soft_wrap=True)


def _next(console: Console, output: Path) -> None:
    """Where to look, and what to type."""
    program = _program()
    model, test, reference, said = (
        shlex.quote(str(output / name)) for name in ("model", "test.de", "test.en", "said.en")
    )
    pages = {
        "model.html": "the report: corpus, alignments, tuning, scores, examples, times",
        "inspection.html": "that sentence: phrases, features, options, where its rules are from",
        "forest.svg": "its forest",
        "reranking.html": "whether reranking helps, and which features do",
    }
    console.print("\n[bold]Look at[/bold]")
    for name, what in pages.items():
        console.print(f"  {output / name}: {what}", markup=False, soft_wrap=True)
    console.print("\n[bold]Type[/bold]")
    for line in (
        f"echo 'Wo ist der Bahnhof?' | {program} translate {model}",
        f"{program} translate {model} {test} -o {said}",
        f"{program} evaluate {said} --ref {reference}",
        f"{program} inspect {model} 'Ich habe das Haus gesehen.'",
    ):
        console.print(f"  {line}", markup=False, soft_wrap=True)


def _program() -> str:
    """How this program can be called from here: it may live in an environment of its own."""
    if shutil.which("rosewood") is not None:
        return "rosewood"
    beside = os.path.relpath(Path(sys.executable).with_name("rosewood"))
    return f"{sys.executable} -m rosewood" if beside.startswith("..") else beside


PLUGIN = demo

"""`rosewood demo`: words aligned, rules, translations, a language model, candidates, a forest."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from rosewood.align import Links
    from rosewood.corpus import IndexedCorpus
    from rosewood.corpus.phrasebook import Split
    from rosewood.forest import Forest

__all__ = ["demo"]

# The toy hypergraph of Li & Eisner (2009, figure 1), with scores of our own.
TOY = """\
dense lm translation
node 0 span=0:2
node 1 span=3:4
node 2 span=0:4
node 3 span=0:4
node 4 span=0:4
0 <- ||| the mat ||| lm=-2.1 translation=-0.4
1 <- ||| a cat ||| lm=-2.4 translation=-0.5
2 <- 0 1 ||| [1] on [0] ||| lm=-1.0 translation=-1.0 rule:on=1
2 <- 0 1 ||| [1] of [0] ||| lm=-1.9 translation=-0.3 rule:of=1
3 <- 0 1 ||| [0] 's [1] ||| lm=-1.6 translation=-0.6 rule:'s=1
3 <- 0 1 ||| [0] [1] ||| lm=-3.0 translation=-0.5 rule:plain=1
4 <- 2 ||| [0] ||| lm=-0.5
4 <- 3 ||| [0] ||| lm=-0.7
"""
REFERENCE = "a cat on the mat"


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the pictures.")] = Path(
        "demo"
    ),
) -> None:
    """Words aligned, rules, translations; a language model; candidates reranked; a forest."""
    from rich.console import Console

    console = Console(highlight=False)
    output.mkdir(parents=True, exist_ok=True)
    _alignment(console, output)
    _language_model(console, output)
    _reranking(console, output)
    _forest(console, output)


def _alignment(console: Console, output: Path) -> None:
    """Sentences of the phrasebook: which word translates which, without being told."""
    from rich.table import Table

    from rosewood.align import Aligner, read_gold, score_links
    from rosewood.corpus import IndexedCorpus
    from rosewood.corpus.phrasebook import Phrasebook
    from rosewood.output import whole_file

    book = Phrasebook("en-de", seed=1, reverse=True).split(train=2000, dev=100, test=100)
    pairs = book.train
    console.print("[bold]Alignment[/bold]: sentence pairs in, links between words out\n")
    corpus = IndexedCorpus.from_pairs(pairs)
    aligner, aligned = Aligner.fit_align(corpus)
    links = aligned.symmetrize()
    gold = read_gold(pair.gold() for pair in pairs)
    told = score_links(links, gold)
    console.print(
        f"{len(pairs):,} pairs of the phrasebook: alignment error rate {told.aer:.3f}, "
        f"precision {told.precision:.3f}, recall {told.recall:.3f}"
    )
    table = Table("German", "English, and how likely", title="\nWords it learned")
    lexicon = aligner.lexicon()
    for word in ("Haus", "kaufen", "zu", "nicht"):
        found = lexicon.translations(word, 4)
        table.add_row(word, "   ".join(f"{each.target} {each.forward:.2f}" for each in found))
    console.print(table)
    shown = max(range(200), key=lambda k: len(pairs[k].source))
    picture = output / "alignment.svg"
    with whole_file(picture) as stream:
        stream.write(links.sentence(shown, corpus).svg(gold=gold[shown]).encode())
    console.print(links.sentence(shown, corpus).text(), markup=False)
    console.print(f"\nThe same as a picture: {picture}\n")
    _rules(console, output, corpus, links)
    _decoding(console, output, corpus, links, book)


def _rules(console: Console, output: Path, corpus: IndexedCorpus, links: Links) -> None:
    """What the same links say of phrases, and of phrases with gaps."""
    from rich.table import Table
    from rich.text import Text

    from rosewood.rules import extract

    console.print("[bold]Rules[/bold]: links in, translations of phrases out\n")
    found = extract(corpus, links, output / "rules", hierarchical=True)
    console.print(
        f"{found.facts['rules']:,} rules, {found.table.size:,} bytes in {output / 'rules'}"
    )
    table = Table("German", "English, and how likely", title="\nPhrases, some with a gap")
    for source in ("zum", "ich suche [X,1]", "[X,1] nicht [X,2]"):
        rules = found.table.lookup(source)[:3]
        told = (f"{' '.join(map(str, r.target))} {exp(r.features['phrase_ef']):.2f}" for r in rules)
        table.add_row(Text(source), Text("   ".join(told)))
    console.print(table)
    console.print()


def _decoding(
    console: Console, output: Path, corpus: IndexedCorpus, links: Links, book: Split
) -> None:
    """Sentences that were never seen: translated, with weights tuned on a few others."""
    from rich.table import Table
    from rich.text import Text

    from rosewood.decode import PhraseDecoder, SearchSettings, explain
    from rosewood.learn import Mira, tune_loop
    from rosewood.lm import estimate
    from rosewood.metrics import evaluate, parse_metric
    from rosewood.output import whole_file
    from rosewood.rules import extract

    console.print("[bold]Translation[/bold]: rules and a language model in, forests out\n")
    phrases = extract(corpus, links, output / "phrases").table
    english = estimate((" ".join(pair.target) for pair in book.train), order=4)
    limits = SearchSettings(pop_limit=50)
    decoder = PhraseDecoder(phrases, english.save(output / "en.rlm"), settings=limits)

    def decode(weights: Mapping[str, float], _round: int) -> list[Forest]:
        sources = [pair.source for pair in book.dev]
        return [found.forest for found in decoder.with_weights(weights).search_all(sources)]

    metric = parse_metric("bleu:tokenize=none")
    wanted = [[" ".join(pair.target)] for pair in book.dev]
    learned = tune_loop(decode, Mira(passes=10), metric, wanted, start=decoder.weights, rounds=4)
    tuned = decoder.with_weights(learned.weights)
    references = [" ".join(pair.target) for pair in book.test]
    said = [
        [each.text for each in one.translate(pair.source for pair in book.test)]
        for one in (decoder, tuned)
    ]
    before, after = (evaluate(texts, [references], metric)[0].value for texts in said)
    console.print(
        f"{len(book.test)} sentences that were not seen: BLEU {before:.1f} with weights to begin "
        f"with, {after:.1f} with weights tuned on {len(book.dev)} others"
    )
    table = Table("German", "translation", "reference", title="\nSome of them")
    for pair, text, reference in list(zip(book.test, said[1], references, strict=True))[:5]:
        same = text if text != reference else "(the same)"
        table.add_row(Text(" ".join(pair.source)), Text(same), Text(reference))
    console.print(table)
    why = explain(tuned.search(book.test[0].source), tuned.weights)
    console.print("The first of them, phrase by phrase:")
    for phrase in why.phrases:
        pieces = " ".join(phrase.source), " ".join(phrase.target)
        console.print(f"  {pieces[0]} → {pieces[1]}  {phrase.score:.3f}", markup=False)
    picture = output / "translation.html"
    with whole_file(picture) as stream:
        page = ["<!doctype html>", '<meta charset="utf-8">', "<title>Translation</title>"]
        stream.write("\n".join([*page, why.to_html()]).encode())
    console.print(f"\nWhat every feature says of them: {picture}\n")


def _language_model(console: Console, output: Path) -> None:
    """English of the phrasebook: what comes next, what surprises."""
    from rich.table import Table

    from rosewood.corpus.phrasebook import Phrasebook
    from rosewood.lm import estimate, surprisal_page
    from rosewood.output import whole_file

    console.print("[bold]Language model[/bold]: text in, probabilities of words out\n")
    train, _, test = Phrasebook("en-de", seed=1).split(train=3000, test=200)
    lines = [[" ".join(pair.source) for pair in part] for part in (train, test)]
    model = estimate(lines[0], order=4).save(output / "lm.rlm")
    told = model.perplexity(lines[1])
    console.print(
        f"4-grams of {len(train):,} sentences: perplexity {told.perplexity:.1f} on {len(test)} more"
    )
    table = Table("after", "likely words", title="\nWhat comes next")
    for context in ("the train", "I would like", "<s> how"):
        p = model.distribution(context)
        likely = (-p).argsort()[:5].tolist()
        table.add_row(context, "   ".join(f"{model.vocabulary.word(w)} {p[w]:.2f}" for w in likely))
    console.print(table)
    console.print("Sentences that it makes up:")
    for sentence in model.sample(3, seed=4):
        console.print(f"  {sentence}", markup=False)
    page = output / "surprisal.html"
    with whole_file(page) as stream:
        shown = surprisal_page((model.words(line) for line in lines[1][:40]), title="Surprisal")
        stream.writelines(part.encode() for part in shown)
    console.print(f"\nOther sentences, surprising words in dark: {page}\n")


def _reranking(console: Console, output: Path) -> None:
    """Weights for the candidates of an imagined system, and whether they help."""
    from rich.table import Table

    from rosewood.rerank import rerank, toy_lists, tune, write_candidates

    console.print("[bold]Reranking[/bold]: candidates with features in, weights out\n")
    file = output / "candidates.jsonl"
    write_candidates(toy_lists(120), file)
    tuned = tune(file, method="mert", metric="bleu", settings={"restarts": 8})
    tuned.write_weights(output / "weights.json")
    tuned.write_report(output / "report.html", command=f"rosewood tune {file} --set restarts=8")
    console.print(tuned.summary(), markup=False)
    table = Table("first", "chosen", "reference", title="\nOther sentences, reranked")
    for each in rerank(toy_lists(6, seed=1), tuned.weights):
        first, wanted = each.candidates.texts[0], each.candidates.references[0]
        table.add_row(first, each.best if each.best != first else "(the same)", wanted)
    console.print(table)
    console.print(f"All about it, with pictures: {output / 'report.html'}\n")


def _forest(console: Console, output: Path) -> None:
    """Translations of one sentence, packed: searched, measured, a step of minimum risk, drawn."""
    import numpy as np
    from rich.table import Table

    from rosewood.forest import (
        Distribution,
        format_forest,
        parse_forest,
        refine,
        risk_gradient,
    )
    from rosewood.output import whole_file

    forest = parse_forest(TOY)
    theta = forest.features.vector({"lm": 1.0, "translation": 1.0})
    weight = forest.score(theta)

    console.print("[bold]A forest[/bold]: translations of one sentence, packed\n")
    console.print(format_forest(forest).rstrip(), markup=False)
    p = Distribution(forest, weight)
    console.print(
        f"\n{forest.num_derivations()} derivations, log Z = {p.log_partition:.4f}, "
        f"entropy = {p.entropy():.4f} nats\n"
    )

    table = Table("log score", "probability", "translation", title="All derivations, best first")
    for derivation in forest.k_best(weight, 10):
        probability = np.exp(derivation.score - p.log_partition)
        table.add_row(f"{derivation.score:.2f}", f"{probability:.3f}", derivation.text)
    console.print(table)

    # The loss of a translation: n-grams of up to 4 words that the reference does not have.
    # A sum over n-grams is a sum over edges once nodes know their boundary words.
    refined = refine(forest, 4)
    wanted = REFERENCE.split()
    known = {tuple(wanted[i:j]) for i in range(5) for j in range(i + 1, min(i + 4, 5) + 1)}
    missing = np.array(
        [
            tuple(forest.word(w) for w in refined.ngrams.words(gram)) not in known
            for gram in range(len(refined.ngrams))
        ],
        dtype=float,
    )
    loss = refined.ngrams.edge_totals(missing)
    risk = risk_gradient(refined.forest, weight[refined.edge_map], loss)
    console.print(f'\nReference: "{REFERENCE}".  Expected n-grams it lacks: {risk.value:.4f}')
    table = Table("feature", "weight", "derivative of the risk")
    for name, value, slope in zip(forest.features.names, theta, risk.theta, strict=True):
        table.add_row(name, f"{value:g}", f"{slope:+.4f}")
    console.print(table)

    step = theta - 0.5 * risk.theta
    after = risk_gradient(refined.forest, refined.forest.score(step), loss).value
    console.print(f"One step against it: risk {risk.value:.4f} → {after:.4f}")

    picture = output / "forest.svg"
    with whole_file(picture) as stream:
        stream.write(forest.to_svg(weight=weight, highlight=forest.best(weight)).encode())
    console.print(f"\nThe forest with its best derivation: {picture}")

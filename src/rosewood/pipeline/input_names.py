"""Language codes of a training run: whether they exist, and fit the names of its files."""

from __future__ import annotations

from collections.abc import Iterator

from rosewood.corpus.language_codes import (
    codes_of_files,
    may_be_words,
    same_language,
    unknown_code,
)
from rosewood.pipeline.findings import Finding
from rosewood.pipeline.inputs import TrainingInputs


def check_names(inputs: TrainingInputs) -> Iterator[Finding]:
    """Codes that do not exist, and names of files that contradict them or each other."""
    yield from _unknown(inputs)
    given = inputs.languages
    if any(each and unknown_code(each) for each in given):
        return
    first: tuple[str, str] | None = None
    for argument, source, target in _pairs(inputs):
        codes = codes_of_files(source, target)
        if codes is None:
            continue
        if None not in given:
            wanted, why = (str(given[0]), str(given[1])), "the languages are"
        elif first is not None:
            wanted, why = first, "the first files are of"
        else:
            first = None if may_be_words(codes) else codes
            continue
        if all(map(same_language, codes, wanted)):
            continue
        is_swapped = all(map(same_language, codes, reversed(wanted)))
        if may_be_words(codes) and not is_swapped:
            continue
        hint = "are they in the wrong order?" if is_swapped else "are these the right files?"
        yield Finding(
            "input.language-names",
            f"{source} and {target}: their names say {codes[0]} and {codes[1]}, but {why} "
            f"{wanted[0]} and {wanted[1]}: {hint}",
            source, None, argument, ":".join(codes), ":".join(wanted),
        )  # fmt: skip


def _unknown(inputs: TrainingInputs) -> Iterator[Finding]:
    for code in dict.fromkeys(each for each in inputs.languages if each):
        problem = unknown_code(code)
        if problem is not None:
            yield Finding(
                "input.language-code", f"languages: {code!r} {problem}", None, None, "languages",
                code,
            )  # fmt: skip


def _pairs(inputs: TrainingInputs) -> Iterator[tuple[str, str, str]]:
    """Pairs of text files, with the argument that they were given as."""
    held_out = [("dev", inputs.dev), ("test", inputs.test)]
    every = [("source", inputs.train), *((name, each.corpus) for name, each in held_out if each)]
    for argument, corpus in every:
        for part in corpus.separately():
            if len(part.files) == 2:
                yield argument, part.files[0], part.files[1]
    for name, each in held_out:
        if each is not None and len(each.corpus.files) == 2:
            for reference in each.references:
                yield f"{name}_reference", each.corpus.files[0], reference

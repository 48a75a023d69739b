"""The features of decoders, each declared once: name, kind, where it is computed, help.

    feature("distortion").help
    feature("news", family="lm")          # a language model under a name of its own
    feature_table()                       # as docs/decoding.md has it

Decoders take names, starting weights and native layouts from here; explanations and documents take
the help.  Features written in Python declare themselves by the attributes of `decode/features.py`;
their `help` is shown where they have one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from rosewood.decode.plugins import FEATURES
from rosewood.errors import DecodingError


@dataclass(frozen=True)
class Feature:
    """What is known of a feature without its values.

    `computed` says what a value depends on: a column of the rule `table`, one translation
    `option` in its sentence, or the `hypothesis` it continues.  Sparse features have a template for
    a name; members of a family have names of their own (`lm`, `reorder`, table columns).
    """

    name: str
    help: str
    computed: Literal["table", "option", "hypothesis"]
    is_sparse: bool = False
    is_family: bool = False
    start: float = 0.2  # the weight from which tuning starts
    native: str | None = None  # how core/decode/feature_layout.hpp calls its kind


_DECLARED: dict[str, Feature] = {}


def declare(info: Feature) -> Feature:
    """Add a feature to the registry; a name is declared once."""
    if info.name in _DECLARED:
        reason = f"the feature {info.name!r} is declared already"
        raise DecodingError(reason, code="feature.duplicate", argument=info.name)
    _DECLARED[info.name] = info
    return info


def declared_features() -> tuple[Feature, ...]:
    """All declared features, in the order of their declarations."""
    return tuple(_DECLARED.values())


def feature(name: str, *, family: str | None = None) -> Feature:
    """The declaration of a feature, or of the member of a family under its own name."""
    known = _DECLARED.get(name)
    if family is None:
        if known is None:
            reason = f"there is no feature {name!r}"
            raise DecodingError(reason, code="argument.unknown", argument="feature", value=name)
        return known
    if known is not None and known.native == _DECLARED[family].native:
        return known  # a column, for instance, that has a help of its own
    return replace(_DECLARED[family], name=name)


def own_feature(name: str, made: object, *, family: str) -> Feature:
    """The declaration of a feature written in Python, with its own help where it has one."""
    declared = feature(name, family=family)
    own = getattr(made, "help", None)
    return replace(declared, help=own) if isinstance(own, str) and own else declared


def feature_table() -> str:
    """The declared features as a table in Markdown."""
    rows = ["| feature | computed from | value |", "| --- | --- | --- |"]
    for each in _DECLARED.values():
        help = each.help.replace("|", "\\|")
        rows.append(f"| `{each.name}` | {each.computed} | {help} |")
    for name, help in FEATURES.helps().items():
        rows.append(f"| `--feature {name}` | option | {help} |")
    return "\n".join(rows)


def _builtin(name: str, computed: Literal["table", "option", "hypothesis"], help: str,
             start: float = 0.2, **more: bool | str) -> None:  # fmt: skip
    declare(Feature(name, help, computed, start=start, **more))  # type: ignore[arg-type]


_builtin("phrase_ef", "table", "log p(e|f) of the rules, summed", native="table")
_builtin("phrase_fe", "table", "log p(f|e) of the rules, summed", native="table")
_builtin("lexical_ef", "table", "log lexical weight of the target given the source, summed",
         native="table")  # fmt: skip
_builtin("lexical_fe", "table", "log lexical weight of the source given the target, summed",
         native="table")  # fmt: skip
_builtin("column", "table", "any other column of the rule table, under its own name, summed; not "
         "`rule_penalty` and orientations", native="table", is_family=True)  # fmt: skip
_builtin("option", "option", "a feature written in Python, under its own name", 0.0,
         native="option", is_family=True)  # fmt: skip
_builtin("large", "option", "a column of the large feature set (`train --features large`), under "
         "its own name, summed", 0.0, native="large", is_family=True)  # fmt: skip
_builtin("word_penalty", "option", "−1 for each target word: a negative weight makes translations "
         "longer", -1.0, native="word_penalty")  # fmt: skip
_builtin("phrase_penalty", "option", "1 for each phrase, including copied and forced ones",
         native="phrase_penalty")  # fmt: skip
_builtin("unknown_penalty", "option", "−100 for each word that no rule translates", 1.0,
         native="unknown_penalty")  # fmt: skip
_builtin("glue", "hypothesis", "1 for each part of a sentence that is put behind the parts before "
         "it; hierarchical search only", 0.1, native="glue")  # fmt: skip
_builtin("distortion", "hypothesis", "for each phrase −|its first source word − the end of the "
         "phrase before|; the first phrase counts from 0, the end of the sentence not at all",
         0.3, native="distortion")  # fmt: skip
_builtin("lm", "hypothesis", "log probability of the language model, with `<s>` and `</s>`; other "
         "models under their own names", 0.5, native="lm", is_family=True)  # fmt: skip
_builtin("reorder", "hypothesis", "`reorder_backward_monotone`, `…_swap`, `…_left`, `…_right` and "
         "`reorder_forward_…`: log probabilities of the orientations that occur "
         "(`…_discontinuous` with three classes)", 0.3, native="orientation",
         is_family=True)  # fmt: skip
_builtin("boost", "hypothesis", "what boosted trees make of the other dense features of an edge",
         1.0, native="trees")  # fmt: skip
_builtin("second_stage", "hypothesis", "what the n-grams of the string add "
         "(`train --second-stage ngrams`)", 1.0)  # fmt: skip

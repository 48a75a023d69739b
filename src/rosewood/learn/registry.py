"""All learners by name: files of `learners/`, and entry points of other packages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rosewood.arguments import check_known
from rosewood.errors import TuningError
from rosewood.registry import Registry

if TYPE_CHECKING:
    from rosewood.learn.learner import Learner

LEARNERS: Registry[type[Learner]] = Registry(
    "rosewood.learn.learners",
    "rosewood.learners",
    "learner",
    TuningError,
    subclass_of="rosewood.learn.learner:Learner",
)
_OTHER_NAMES = {"minrisk": "mr"}


def learner_names() -> tuple[str, ...]:
    """All names that `make_learner` takes.  Nothing is imported."""
    return (*LEARNERS.names(), *_OTHER_NAMES)


def learner_class(name: str) -> type[Learner]:
    """The class of a learner, by any of its names."""
    check_known("learner", [name], learner_names(), error=TuningError)
    return LEARNERS[_OTHER_NAMES.get(name, name)]


def learner_help(name: str) -> str:
    """One line about a learner, by any of its names."""
    return LEARNERS.help(_OTHER_NAMES.get(name, name))


def make_learner(name: str, settings: Mapping[str, Any] | None = None) -> Learner:
    """A learner by name, with these settings (strings are read as what the setting is)."""
    return learner_class(name).from_values({} if settings is None else settings)

"""Verbs that are groups of several, such as `rosewood lm`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from rosewood.cli.help_page import CONTEXT, HelpCommand, HelpGroup
from rosewood.cli.options_from_settings import with_settings

Verb = Callable[..., None]


class VerbGroup(typer.Typer):
    """A group of verbs; their settings become options.

    app = VerbGroup("Look at forests, and convert them.")


    @app.command()
    def info(file: File, options: InfoOptions) -> None: ...
    """

    def __init__(self, help: str) -> None:
        super().__init__(
            cls=HelpGroup,
            help=help,
            no_args_is_help=True,
            rich_markup_mode=None,
            context_settings=CONTEXT,
        )

    def command(self, name: str | None = None, **more: Any) -> Callable[[Verb], Verb]:  # type: ignore[override]
        more = {"cls": HelpCommand, "context_settings": CONTEXT, **more}
        register = super().command(name, **more)

        def add(verb: Verb) -> Verb:
            register(with_settings(verb))
            return verb

        return add

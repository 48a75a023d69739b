"""Rule tables: show, filter, import, export and verify them."""

from __future__ import annotations

import typer

from rosewood.cli.rules_events import events
from rosewood.cli.rules_looking import info, show, verify
from rosewood.cli.rules_moving import export_rules, filter_rules, import_rules

__all__ = ["PLUGIN"]

app = typer.Typer(
    help="Tables of translation rules, phrases and rules with gaps: look into them, filter them, "
    "read and write those of Moses, cdec and Joshua.",
    no_args_is_help=True,
)
app.command()(show)
app.command("import")(import_rules)
app.command("export")(export_rules)
app.command("filter")(filter_rules)
app.command()(info)
app.command()(verify)
app.command()(events)


PLUGIN = app

"""Options of verbs made from the fields of settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
import typer
from tests.refusals import check
from typer.testing import CliRunner

from rosewood.cli.options import ConfigError
from rosewood.cli.options_from_settings import Typed, with_settings
from rosewood.cli.run_options import Config, Threads
from rosewood.errors import TuningError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName


@dataclass(frozen=True)
class Sample(Settings):
    error = TuningError

    rounds: int = setting(6, "Rounds.", low=1, high=99, group="Learning")
    limit: int | None = setting(100, "Limit.", low=1)
    jump: int | Literal["auto"] | None = setting("auto", "Jump.", low=0)
    name: str = setting("a", "A choice.", choices=lambda: ("a", "b"), short="n")
    is_fast: bool = setting(False, "A flag.")
    keeps: bool = setting(True, "Another flag.")
    words: tuple[str, ...] = setting((), "Words.", option="word")
    files: tuple[PathName, ...] = setting((), "Files.", option="file")
    pair: tuple[PathName, PathName] | None = setting(None, "Two files.")
    place: PathName | None = setting(None, "A file.")
    set: dict[str, Any] = setting({}, "Others.")
    ages: tuple[int, ...] = setting((), "Numbers.", low=0)
    shares: tuple[float, float] = setting((0.5, 1.0), "Two numbers.")


@pytest.fixture
def run(tmp_path):
    found: dict[str, Any] = {}

    def verb(
        sample: Sample,
        more: Annotated[int, typer.Option("--more")] = 3,
        threads: Threads = None,
        config: Config = None,
    ) -> None:
        found.update(sample=sample, more=more)

    def limits(
        typed: Annotated[dict[str, Any], Typed(Sample, ("limit", "is_fast"), "the model's")],
    ) -> None:
        found.update(typed=typed)

    def call(*words: object, verb=verb):
        app = typer.Typer()
        app.command()(with_settings(verb))
        found.clear()
        done = CliRunner().invoke(app, list(map(str, words)), env={"COLUMNS": "200"})
        return found, done

    call.limits = limits
    return call


def test_nothing_typed_gives_the_defaults(run):
    found, done = run()
    assert done.exit_code == 0, done.output
    assert found == {"sample": Sample(), "more": 3}


def test_everything_typed(run):
    found, done = run(
        "--rounds", 7, "--limit", "none", "--jump", 3, "-n", "b", "--is-fast", "--no-keeps",
        "--word", "x", "--word", "y", "--file", "f", "--pair", "g", "h", "--place", "i",
        "--set", "q=1", "--ages", "0,3", "--shares", "1,0.5", "--more", 4,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    want = Sample(
        7, None, 3, "b", True, False, ("x", "y"), ("f",), ("g", "h"), "i", {"q": "1"}, (0, 3),
        (1.0, 0.5),
    )  # fmt: skip
    assert found == {"sample": want, "more": 4}


@pytest.mark.parametrize(
    "words",
    [
        ("--rounds", 0), ("--rounds", "many"), ("--limit", 0), ("--jump", "far"), ("--name", "c"),
        ("--rounds", "1_0"), ("--threads", "1_0"), ("--threads", 0),
        ("--ages", "0,x"), ("--ages", "-1"), ("--shares", "1"),
    ],
)  # fmt: skip
def test_bad_values_are_errors_of_usage(run, words):
    found, done = run(*words)
    assert done.exit_code == 2
    assert not found
    assert str(words[0]) in done.output


def test_options_from_a_file(run, tmp_path):
    (tmp_path / "c.toml").write_text(
        'rounds = 9\nlimit = "none"\nis-fast = true\nkeeps = false\nword = ["x"]\n'
        "ages = [0, 1]\nshares = [0.5, 2]\n[set]\nq = 2\n"
    )
    found, done = run("--config", tmp_path / "c.toml", "--rounds", 8)
    assert done.exit_code == 0, done.output
    assert found["sample"] == Sample(
        8, None, is_fast=True, keeps=False, words=("x",), set={"q": 2}, ages=(0, 1),
        shares=(0.5, 2),
    )  # fmt: skip
    for text in ('ages = "0,1"', "ages = [0, -1]", "ages = 1", "shares = [1]"):
        (tmp_path / "c.toml").write_text(text)
        found, done = run("--config", tmp_path / "c.toml")
        assert not found
        assert done.exit_code, text


def test_values_of_a_table_have_their_types(run, tmp_path):
    file = tmp_path / "c.toml"
    file.write_text('[set]\na = 2\nb = 0.5\nc = true\nd = "x"\ne = [1, 2]\nf = "typed"\n')
    found, done = run("--config", file, "--set", "f=3")
    assert done.exit_code == 0, done.output
    made = found["sample"].set
    assert made == {"a": 2, "b": 0.5, "c": True, "d": "x", "e": [1, 2], "f": "3"}
    assert type(made["c"]) is bool


@pytest.mark.parametrize(
    ("text", "code", "name"),
    [
        ('rounds = "3"', "argument.type", "rounds"), ("rounds = 3.0", "argument.type", "rounds"),
        ("rounds = true", "argument.type", "rounds"), ("rounds = 0", "argument.range", "rounds"),
        ('rounds = "none"', "argument.type", "rounds"), ("is_fast = 1", "argument.type", "is_fast"),
        ('name = "c"', "argument.choice", "name"), ("ages = 1", "argument.type", "ages"),
        ("nothing = 1", "argument.unknown", "setting"),
    ],
)  # fmt: skip
def test_bad_values_of_a_table_name_the_file(run, tmp_path, text, code, name):
    file = tmp_path / "c.toml"
    file.write_text(f"[set]\n{text}\n")

    def verb(sample: Sample, config: Config = None) -> None:
        Sample.from_values(sample.set)

    error = run("--config", file, verb=verb)[1].exception
    check(error, ConfigError, code, file=str(file), argument=name)
    typed = run("--set", text.replace(" = ", "=").replace('"', ""), verb=verb)[1].exception
    assert not isinstance(typed, ConfigError)


def test_good_values_of_a_table(run, tmp_path):
    made = []

    def verb(sample: Sample, config: Config = None) -> None:
        made.append(Sample.from_values(sample.set))

    (tmp_path / "c.toml").write_text(
        '[set]\nrounds = 3\nlimit = "none"\njump = "auto"\nname = "b"\nis_fast = true\nages = [1]\n'
    )
    assert run("--config", tmp_path / "c.toml", verb=verb)[1].exit_code == 0
    assert made == [Sample(3, None, name="b", is_fast=True, ages=(1,))]
    assert type(made[0].name) is str


def test_only_what_was_typed(run):
    assert run(verb=run.limits)[0] == {"typed": {}}
    found, _ = run("--limit", "none", "--is-fast", verb=run.limits)
    assert found == {"typed": {"limit": None, "is_fast": True}}
    assert run("--rounds", 3, verb=run.limits)[1].exit_code == 2


def test_help_has_bounds_choices_and_defaults(run):
    _, done = run("--help")
    for words in (
        "Rounds.",
        "default: (6)",
        "Choices: a, b.",
        "N|auto|none",
        "--no-keeps",
        "Learning",
    ):
        assert words in " ".join(done.output.split()), words
    _, done = run("--help", verb=run.limits)
    assert "the model's" in done.output

"""Errors carry a code and fields beside their message, through copies and processes."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import check, refuses

from rosewood import errors
from rosewood.arguments import (
    check_choice,
    check_flag,
    check_known,
    check_number,
    check_text,
    check_type,
    check_whole,
)
from rosewood.errors import FormatError, RosewoodError, TuningError

KINDS = [getattr(errors, name) for name in errors.__all__]


@pytest.mark.parametrize("kind", KINDS)
def test_errors_can_be_sent_to_another_process(kind):
    error = kind("what", code="a.b", argument="n", value=3, expected="4", file=Path("f"), line=7)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    check(again, kind, "a.b", argument="n", value=3, expected="4", file="f", line=7)


@pytest.mark.parametrize("kind", KINDS)
def test_every_class_has_a_code_and_native_code_needs_no_more(kind):
    error = kind("what")
    assert error.code
    assert error.argument is error.value is error.expected is error.file is error.line is None


def test_a_place():
    assert str(FormatError("bad", file="a.txt", line=3)) == "a.txt:3: bad"
    assert str(FormatError("bad", file="a.txt")) == "a.txt: bad"
    assert str(FormatError("bad")) == "<text>: bad"


def test_restated():
    error = FormatError("bad", file="a", line=2, code="line.fields", value=3)
    again = error.restated("sentence 1: bad", TuningError)
    check(again, TuningError, "line.fields", file="a", line=2, value=3)
    assert str(again) == "sentence 1: bad"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: check_whole("x", 1.0, error=TuningError), "argument.type"),
        (lambda: check_whole("x", True, error=TuningError), "argument.type"),
        (lambda: check_whole("x", 0, low=1, error=TuningError), "argument.range"),
        (lambda: check_whole("x", 9, high=8, error=TuningError), "argument.range"),
        (lambda: check_number("x", "1", error=TuningError), "argument.type"),
        (lambda: check_number("x", float("nan"), error=TuningError), "argument.range"),
        (lambda: check_number("x", -0.1, low=0, error=TuningError), "argument.range"),
        (lambda: check_flag("x", 1, error=TuningError), "argument.type"),
        (lambda: check_text("x", b"a", error=TuningError), "argument.type"),
        (lambda: check_type("x", 1, str, "a path", error=TuningError), "argument.type"),
        (lambda: check_choice("x", "c", ("a", "b"), error=TuningError), "argument.choice"),
        (lambda: check_choice("x", True, (1, 2), error=TuningError), "argument.choice"),
    ],
)
def test_checks(call, code):
    with refuses(TuningError, code, argument="x") as refused:
        call()
    assert refused.value.expected
    assert "x is " in str(refused.value)


def test_good_arguments_come_back():
    assert check_whole("x", 1, low=1, high=1, error=TuningError) == 1
    assert type(check_whole("x", np.int64(1), error=TuningError)) is int
    assert check_number("x", 1, low=0.5, error=TuningError) == 1
    assert check_choice("x", "a", ("a",), error=TuningError) == "a"


def test_unknown_names():
    with refuses(RosewoodError, "argument.unknown", argument="setting", value="c"):
        check_known("setting", ["a", "c"], ("a", "b"), error=RosewoodError)

"""Declared stages: their order, side by side, in other processes, and how they stop."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import pickle
import signal
import threading
from dataclasses import replace

import pytest
from tests.processes import LONGEST
from tests.refusals import refuses
from tests.training import QUICK, contents, stage_folder, write_book

from rosewood.errors import TrainingError
from rosewood.pipeline import TrainingInputs, TrainingSettings, train
from rosewood.pipeline.stage import Done, Needs, Stage, Task, beside, in_order, that_apply
from rosewood.pipeline.stage_runner import StageRunner
from rosewood.pipeline.stages import STAGE_NAMES, STAGES, run_task
from rosewood.pipeline.work_store import StageStore


def write(task, told):
    (task.folder / "file").write_text(task.stage)
    return {"stage": task.stage}


def stage(name, *needs, run=write, **more):
    return Stage(name, 1, run, {each: Needs(("file",)) for each in needs}, **more)


@pytest.fixture
def place(tmp_path):
    return write_book(tmp_path / "book", train=30, dev=10)


@pytest.fixture
def go(place):
    """Runs stages in a store."""

    def run(*stages, threads=2, told=None, max_memory=1 << 30):
        inputs = TrainingInputs(place / "train.en", place / "train.de")
        with StageStore(place / "work") as store:
            return StageRunner(
                stages, inputs, TrainingSettings(), store, threads=threads,
                max_memory=max_memory, told=told,
            ).run()  # fmt: skip

    return run


# -- declarations ----------------------------------------------------------------------------------


def test_the_order_is_derived():
    stages = [stage("c", "b"), stage("b", "a"), stage("d"), stage("a")]
    assert [each.name for each in in_order(stages)] == ["d", "a", "b", "c"]
    assert [each.name for each in beside(stages[0], stages)] == ["d"]
    assert [each.name for each in beside(stages[2], stages)] == ["c", "b", "a"]
    with refuses(TrainingError, "argument.unknown", argument="a", value="x"):
        in_order([stage("a", "x")])
    with refuses(TrainingError, "training.cycle", value="a, b"):
        in_order([stage("a", "b"), stage("b", "a")])


def test_the_stages_of_a_run():
    assert STAGE_NAMES == (
        "clean", "tokenise", "align", "lm", "extract", "reordering", "features", "tune", "boost",
        "second", "memory", "report",
    )  # fmt: skip
    plain = that_apply(STAGES, TrainingSettings())
    more = {"features", "boost", "second", "memory"}
    assert [each.name for each in plain] == [name for name in STAGE_NAMES if name not in more]
    assert {"boost", "second"} < set(STAGES[-1].needs)
    assert not {"boost", "second"} & set(plain[-1].needs)
    every = TrainingSettings(boost=True, feature_set="large", second_stage="ngrams", memory="on")
    assert that_apply(STAGES, every) == list(STAGES)
    lm = STAGES[STAGE_NAMES.index("lm")]
    assert [each.name for each in beside(lm, STAGES)] == [
        "align", "extract", "reordering", "features", "memory",
    ]  # fmt: skip
    for each in STAGES:
        assert pickle.loads(pickle.dumps(each.run)) is each.run


def test_a_version_is_part_of_the_key(go):
    first = go(stage("a"), stage("b", "a"))
    second = go(replace(stage("a"), version=2), stage("b", "a"))
    assert second["a"].key != first["a"].key
    assert not second["a"].was_done
    assert second["b"].was_done  # it reads the same bytes


def test_facts_are_read_by_declaration(go):
    def reads(task, told):
        return {"sum": sum(task.needs["a"].facts.values())}

    def gives(task, told):
        return {"x": 1, "y": 2}

    a = Stage("a", 1, gives)
    assert go(a, Stage("b", 1, reads, {"a": Needs(facts=("x",))}))["b"].facts == {"sum": 1}
    both = go(a, Stage("b", 1, reads, {"a": Needs(facts=("x", "y"))}))
    assert both["b"].facts == {"sum": 3}


# -- side by side ----------------------------------------------------------------------------------


def meeting(count):
    """Work that ends when so many stages are at it at the same time."""
    barrier = threading.Barrier(count)

    def work(task, told):
        barrier.wait(LONGEST)
        return write(task, told)

    return work


def test_independent_stages_meet(go):
    work = meeting(2)
    done = go(
        stage("a"), stage("b", "a", run=work), stage("c", "a", run=work), stage("d", "b", "c")
    )
    assert list(done) == ["a", "b", "c", "d"]


def test_a_chain_beside_a_long_stage(go):
    ended = threading.Event()

    def long(task, told):
        assert ended.wait(LONGEST)
        return write(task, told)

    def last(task, told):
        ended.set()
        return write(task, told)

    for first in (long, write):
        stages = [stage("a", run=first), stage("b"), stage("c", "b"), stage("d", "c", run=last)]
        go(*stages, stage("e", "a", "d"))


def test_one_thread_runs_one_stage_at_a_time(go):
    running = []

    def alone(task, told):
        running.append(task.stage)
        assert threading.current_thread() is threading.main_thread()
        assert running == [task.stage]
        running.clear()
        return write(task, told)

    go(*(stage(name, run=alone) for name in "abcd"), threads=1)


def test_memory_is_divided_among_those_that_may_run_together(go):
    def memory(task, told):
        return {"memory": task.max_memory}

    stages = [stage("a", run=memory, uses_memory=True), stage("b", run=memory, uses_memory=True),
              Stage("c", 1, memory, {"a": Needs(facts=("memory",)), "b": Needs()})]  # fmt: skip
    found = go(*stages, max_memory=1 << 30)
    assert [each.facts["memory"] for each in found.values()] == [1 << 29, 1 << 29, 1 << 30]
    alone = [replace(each, version=2) for each in stages]
    assert {each.facts["memory"] for each in go(*alone, threads=1).values()} == {1 << 30}
    little = [replace(each, version=3) for each in stages]
    assert {e.facts["memory"] for e in go(*little, max_memory=1 << 20).values()} == {1 << 20}


def test_progress_is_of_one_stage_at_a_time(go):
    rows, barrier = [], threading.Barrier(2)

    def tells(task, told):
        barrier.wait(LONGEST)
        for number in range(100):
            told("steps", number, 100)
        barrier.wait(LONGEST)
        return write(task, told)

    go(stage("a", run=tells), stage("b", run=tells), told=lambda what, *_: rows.append(what))
    assert set(rows) == {"1/2 a: steps"}
    assert len(rows) == 100


# -- how they stop ---------------------------------------------------------------------------------


class OwnError(Exception):
    pass


def endless(begun):
    def work(task, told):
        begun.set()
        for number in range(1 << 62):
            told("steps", number, None)
        return {}

    return work


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_an_error_of_one_stops_the_others(go, order):
    """Whichever of them the calling thread runs."""
    begun = threading.Event()

    def fails(task, told):
        assert begun.wait(LONGEST)
        raise OwnError(task.stage)

    stages = {"a": stage("a", run=endless(begun)), "b": stage("b", run=fails)}
    with pytest.raises(OwnError, match="b"):
        go(*(stages[name] for name in order))
    assert threading.active_count() == 1


def test_an_error_of_the_callback(go):
    def told(what, done, total):
        if done == 1000:
            raise OwnError("enough")

    with pytest.raises(OwnError, match="enough"):
        go(stage("a", run=endless(threading.Event())), stage("b", run=endless(threading.Event())),
           told=told)  # fmt: skip


@pytest.mark.parametrize("busy", [True, False], ids=["running a stage", "waiting for one"])
def test_ctrl_c_is_the_callers_exception(go, busy):
    """Whether the calling thread runs a stage or waits for another one."""
    begun, both = threading.Event(), threading.Barrier(2)

    def interrupts(task, told):
        both.wait(LONGEST)
        os.kill(os.getpid(), signal.SIGINT)
        return endless(begun)(task, told)

    def first(task, told):
        both.wait(LONGEST)
        return endless(begun)(task, told) if busy else write(task, told)

    def handler(*_):
        raise OwnError("interrupted")

    before = signal.signal(signal.SIGINT, handler)
    gc.disable()  # callbacks of the collector, as Hypothesis has one, would swallow the exception
    try:
        with pytest.raises(OwnError, match="interrupted"):
            go(stage("a", run=first), stage("b", run=interrupts))
    finally:
        gc.enable()
        signal.signal(signal.SIGINT, before)
    assert threading.active_count() == 1
    assert list(go(stage("a"), stage("b"))) == ["a", "b"]  # the lock is free


# -- the same bytes --------------------------------------------------------------------------------


# All stages, as quickly as possible.
WHOLE = {
    **QUICK,
    "feature_set": "large",
    "boost_set": {"rounds": 3, "k": 20, "samples": 100},
    "second_stage": "ngrams",
    "memory": "on",
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    place = write_book(tmp_path_factory.mktemp("runs"), train=120, dev=45, test=10)
    inputs = TrainingInputs(
        place / "train.en", place / "train.de", dev=(place / "dev.en", place / "dev.de")
    )
    return inputs, train(inputs, place / "model", TrainingSettings(**WHOLE), threads=1)


@pytest.mark.slow
def test_side_by_side_gives_the_same_bytes(trained, tmp_path):
    inputs, made = trained
    again = train(inputs, tmp_path / "model", TrainingSettings(**WHOLE), threads=3)
    assert contents(again.folder) == contents(made.folder)
    assert [(each.key, each.files) for each in again.stages] == [
        (each.key, each.files) for each in made.stages
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", STAGE_NAMES)
def test_a_stage_runs_elsewhere_from_what_it_declares(trained, tmp_path, name):
    """In another process, with copies of only those files and facts that it declares to read."""
    inputs, made = trained
    of = {each.name: each for each in made.stages}
    (declared,) = (each for each in STAGES if each.name == name)
    needs = {}
    for other, read in declared.needs.items():
        for file in of[other].files:
            if read.files and file.startswith(read.files):
                copy = tmp_path / other / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes((of[other].folder / file).read_bytes())
        (tmp_path / other).mkdir(exist_ok=True)
        needs[other] = Done(tmp_path / other, {each: of[other].facts[each] for each in read.facts})
    (tmp_path / "output").mkdir()
    task = Task(
        name, TrainingSettings(**WHOLE), inputs if declared.reads_inputs else None, needs,
        tmp_path / "output", tmp_path / "going", 2, 1 << 30,
    )  # fmt: skip
    with fresh_processes().Pool(1) as pool:
        facts = pool.apply(run_task, (task, print_nothing))
    assert json.loads(json.dumps(facts)) == of[name].facts
    wanted = contents(stage_folder(made.work, name))
    del wanted["stage.json"]
    assert contents(tmp_path / "output") == wanted


def fresh_processes():
    """Processes that have run no stage, forked where that is possible from one with imports."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["rosewood.pipeline.stages", "scipy.optimize", "scipy.sparse"])
    return context


def print_nothing(what, done, total):
    pass

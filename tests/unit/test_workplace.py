"""Work folders: whenever their process is killed, the same work goes on or begins anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.processes import LONGEST

from rosewood.errors import RosewoodError
from rosewood.work_folder import Workplace

# Killed before the so many-th deletion or opening of a file, in a process for each moment.
KILLED = """
import json, os, signal, sys
from rosewood.errors import RosewoodError
from rosewood.work_folder import Workplace

EVENTS = {"os.remove", "os.rmdir", "shutil.rmtree", "open"}

def work(folder, moment):
    place = Workplace(folder, None, ["facts"], task="rules", error=RosewoodError)
    for name in ("a", "rules-before", "rules.z", "zz"):  # folders list them in any order
        with open(f"{folder}/{name}", "w") as file:
            file.write(name)
        place.note(name, {})
    os.mkdir(f"{folder}/inner")
    left = moment

    def hook(event, told):
        nonlocal left
        if event in EVENTS:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    place.remove()

codes = []
while not codes or codes[-1] != 0:
    child = os.fork()
    if child == 0:
        work(f"work-{len(codes) + 1}", len(codes) + 1)
        os._exit(0)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(codes))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked")
def test_killed_at_every_step_of_the_removal(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=tmp_path, text=True, capture_output=True, check=True,
        timeout=LONGEST,
    )  # fmt: skip
    codes = json.loads(done.stdout)
    assert codes == [-9] * (len(codes) - 1) + [0]
    assert len(codes) > 8
    assert not (tmp_path / f"work-{len(codes)}").exists()
    for moment in range(1, len(codes)):
        folder = tmp_path / f"work-{moment}"
        place = Workplace(folder, None, ["facts"], task="rules", error=RosewoodError)
        for name in ("a", "rules-before", "rules.z", "zz"):  # what is noted is there
            assert place.result(name) is None or (folder / name).read_text() == name
        place.remove()
        left = list(folder.iterdir()) if folder.exists() else []  # an empty one may be a user's
        assert left == []

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python module against the program itself, and the cells of its notebook: python_test.py ECUBE FOLDER"""

import json
import os
import subprocess
import sys
import tempfile

program, folder = map(os.path.realpath, sys.argv[1:3])
os.environ["ECUBE"] = program
sys.path.insert(0, folder)
import ecube  # noqa: E402 pylint: disable=wrong-import-position


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    ours = ecube.run("exchange", dim=3, bytes=32, partition=[2, 1], set={"library.send": "200 cycles"}, output="run", circuits=True)
    theirs = json.loads(subprocess.check_output([program, *"run exchange --dim 3 --bytes 32 --partition 2,1 --set".split(),
                                                 "library.send=200 cycles", "--json"], stderr=subprocess.DEVNULL))
    check(ours["measured"] == theirs["measured"], "a run is not the program's")
    other = ecube.run("exchange", dim=3, bytes=32, partition=[2, 1])
    check(ours["measured"] != other["measured"], "set has no effect")
    files = ecube.run_directory("run")
    check(files["summary"]["measured"] == ours["measured"], "summary.json")
    # 8 nodes exchange with 3 and then with 1 other: 32 circuits, and 24 directed links.
    check(len(files["circuits"]) == 32 and len(files["links"]) == 24, "tables of the run directory")
    for spoil, sentence in ((lambda: os.truncate("run/links.csv", 9), "run/links.csv is not as its run left it"),
                            (lambda: (os.rename("run/links.csv", "links"), os.symlink("../links", "run/links.csv")),
                             "run/links.csv is not as its run left it"),
                            (lambda: (os.remove("run/links.csv"), os.mkfifo("run/links.csv")), "run/links.csv is not"),
                            (lambda: (os.rename("run", "away"), os.mkdir("run")), "run is no run directory")):
        spoil()
        try:
            ecube.run_directory("run")
            check(False, sentence)
        except ecube.EcubeError as error:
            check(error.status == 2 and sentence in str(error), f"{error} in place of {sentence}")
    # A reader beside runs that replace each other: all of its files are of one of them.
    loop = "for bytes in 1 2 3 4 5 6 7 8 9 10; do \"$0\" run exchange --dim 2 --quiet --circuits -o both --bytes $bytes; done"
    ecube.run("exchange", dim=2, bytes=11, output="both", circuits=True)
    with subprocess.Popen(["sh", "-c", loop, program], stdout=subprocess.DEVNULL) as writer:
        seen = set()
        while writer.poll() is None:
            files = ecube.run_directory("both")
            block = files["summary"]["workload"]["bytes"]
            check(sum(row["bytes"] for row in files["circuits"]) == 12 * block, f"files of two runs, {block}")
            seen.add(block)
    check(writer.returncode == 0 and len(seen) > 3, f"a writer beside a reader: {writer.returncode}, {seen}")
    with open("study.toml", "w", encoding="utf-8") as study:
        study.write('run = "barrier"\n[[axis]]\nkey = "dim"\nvalues = [1, 2, 3]\n')
    rows = ecube.sweep("study.toml", "results")
    check([row["dim"] for row in rows] == [1, 2, 3], "rows of a sweep")
    check(rows[2]["measured_cycles"] == ecube.run("barrier", dim=3)["measured"]["cycles"], "a point of a sweep")
    for status, words in ((2, {"dim": 99}), (3, {"dim": 2, "program": "deadlock"})):
        try:
            ecube.run("program" if status == 3 else "barrier", **words)
            check(False, f"no error {status}")
        except ecube.EcubeError as error:
            check(error.status == status and str(error), f"error {error.status} in place of {status}")
    for words, sentence in (({"output": True}, "--output needs a value, not the option '--quiet'"),
                            ({"dim": True}, "--dim takes a whole number, not '--quiet'"),
                            ({"set": {"link.phit": True}}, "link.phit = 'True' is not a number"),
                            ({"bytes": "1_000"}, "--bytes '1_000' is not a number"),
                            ({"dim": "1_000"}, "--dim takes a whole number, not '1_000'"),
                            ({"machine": "--help"}, "--machine needs a value, not the option '--help'"),
                            ({"help": True}, "gives no result but a text: ")):
        try:
            ecube.run("exchange", **words)
            check(False, f"{words} is taken")
        except ecube.EcubeError as error:
            check(error.status == 2 and sentence in str(error), f"{words}: {error.status} {error}")
    # Programs that say nothing on standard error, or nothing at all.
    for script, sentence in (("seq 20; exit 1", "11\n12\n"), ("exit 3", "exit status 3"), ("kill -9 $$", "ended by signal 9")):
        with open("silent", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod("silent", 0o755)
        os.environ["ECUBE"] = os.path.realpath("silent")
        try:
            ecube.run("exchange")
            check(False, f"{script} is no error")
        except ecube.EcubeError as error:
            check(sentence in str(error), f"{script}: {error}")
    os.environ["ECUBE"] = program
    with open(os.path.join(folder, "exchange.ipynb"), encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    known = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), known)  # pylint: disable=exec-used
    # Nicol & Bokhari 1994: small blocks go in phases, large ones direct.
    check(known["best"][8] != "4" and known["best"][512] == "4", f"best partitions {known['best']}")
print("passed")

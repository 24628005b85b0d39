#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes point down only (README.md of every folder): what a folder may include, for the tree given; and this check finds each kind of
include that is not allowed."""

import re
import sys
import tempfile
from pathlib import Path

# The rooms of its own folder that a room may include, besides itself.
ROOMS = """
models/machine
models/contract machine
models/node machine contract
models/static_check machine
models/uncontended machine contract
models/exchange machine uncontended
models/combine machine uncontended
models/shuffle machine uncontended static_check
models/family machine combine uncontended
models/broadcast family combine
models/scatter family combine
models/presets machine node exchange combine
models/gather family combine
models/all_gather family combine
models/reduce_scatter family combine
models/scan family combine
models/collectives family broadcast scatter gather all_gather reduce_scatter scan
models/fit machine shuffle
models/ideal machine contract node exchange uncontended
sw/api
sw/exchange api
sw/combine api exchange
sw/family api combine
sw/shuffle api
sw/traffic api
sw/micro_benchmarks api
sw/examples api exchange program
sw/program api
sw/goal api
testbench/system
testbench/text system
testbench/publication text system
testbench/command_line text
testbench/machine text system
testbench/trace text system machine
testbench/run text system publication command_line machine trace
testbench/collective text system run
testbench/exchange text system machine run collective
testbench/combine text system machine run collective
testbench/shuffle text system machine run collective
testbench/traffic text system machine run
testbench/report text system publication machine trace run exchange sweep
testbench/lesson text system run workloads report
testbench/program text system command_line machine run
testbench/goal text system machine run
testbench/router text system command_line machine run
testbench/workloads run exchange combine shuffle traffic program goal family
testbench/sweep text system command_line machine run goal program workloads
testbench/family text system machine run collective combine
testbench/figure text machine
testbench/validation text system machine run collective exchange combine shuffle family report figure
testbench/reproduction text system machine run collective exchange combine shuffle report figure
testbench/commands text system publication command_line machine trace run collective exchange combine shuffle traffic program workloads sweep \
report lesson validation reproduction family router
"""
# The other folders that a room may include.
BELOW = {"models": "", "sw": "models/", "testbench": "models/ sw/ hw/ testbench/version.h"}
HARDWARE = {
    "hw/observed": "models/",
    "hw/program": "models/",
    "hw/clocked": "models/ hw/observed/ hw/program/",
    "hw/rtl": "models/ hw/clocked/",
    "hw/event": "models/ hw/observed/",
    "hw/folded": "models/ hw/observed/ hw/event/",
}
HARDWARE_ITSELF = re.compile(r"models/|hw/observed/|hw/program/|hw/event/|hw/[a-z_]*\.h$")
NO_ROOM = {"testbench/examples", "testbench/studies", "testbench/pictures"}
WITHOUT_SYSTEMC = ("models/", "sw/", "hw/event/", "hw/folded/", "hw/observed/")


def rooms():
    allowed = {room: (*below.split(), room + "/") for room, below in HARDWARE.items()}
    for line in ROOMS.strip().splitlines():
        room, *others = line.split()
        top = room.split("/")[0]
        allowed[room] = (room + "/", *BELOW[top].split(), *(f"{top}/{other}/" for other in others))
    return allowed


def check(root):
    """What is against the arrows."""
    allowed = rooms()
    found = []
    for path in sorted(path for top in ("models", "sw", "hw", "testbench") for path in (root / top).rglob("*") if path.suffix in (".h", ".cpp")):
        name = path.relative_to(root).as_posix()
        room = "/".join(name.split("/")[:2])
        text = path.read_text()
        if re.search(r"^#include <(systemc|sysc/)", text, re.MULTILINE) and name.startswith(WITHOUT_SYSTEMC):
            found.append(f"{name}: SystemC")
        if room not in allowed and room not in NO_ROOM and not name.startswith("hw/"):
            found.append(f"{name}: of no known room")
        for included in re.findall(r'^#include "([^"]*)"', text, re.MULTILINE):
            if room in allowed and not included.startswith(allowed[room]) or room == name and name.startswith("hw/") and not HARDWARE_ITSELF.match(included):
                found.append(f"{name}: {included}")
    return found


# A file, and what it must not include.
PLANTED = """
models/machine/a.h hw/a.h
models/machine/a.h sw/api/a.h
models/machine/a.h models/fit/a.h
sw/api/a.cpp hw/a.h
sw/api/a.h sw/shuffle/a.h
hw/a.h sw/a.h
hw/a.cpp hw/clocked/a.h
hw/clocked/a.h hw/a.h
hw/observed/a.h hw/clocked/a.h
hw/rtl/a.h hw/event/a.h
hw/program/a.h hw/event/a.h
hw/event/a.h hw/clocked/a.h
hw/event/a.h hw/a.h
hw/event/a.h hw/folded/a.h
hw/folded/a.h hw/clocked/a.h
testbench/text/a.h testbench/run/a.h
testbench/run/a.h tests/a.h
"""


def check_itself():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)

        def finds(file, text):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
            found = check(root)
            (root / file).unlink()
            if not found:
                sys.exit(f"not found: {text.strip()} in {file}")

        for line in PLANTED.strip().splitlines():
            file, included = line.split()
            finds(file, f'#include "{included}"\n')
        finds("testbench/new/a.cpp", "// of no room\n")
        finds("sw/a.h", "// of no room\n")
        finds("hw/event/a.h", "#include <systemc>\n")
        (root / "hw/a.h").write_text('#include "hw/event/a.h"\n')
        (root / "sw/api/a.h").write_text('#include "models/fit/a.h"\n#include "sw/api/b.h"\n')
        if check(root):
            sys.exit(f"found, though it is allowed: {check(root)}")


against = check(Path(sys.argv[1]))
if against:
    sys.exit("against the arrows:\n" + "\n".join(against))
check_itself()

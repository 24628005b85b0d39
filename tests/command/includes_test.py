#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes point down only (README.md of every folder): what a folder may include, for the tree given, and every page begins with a
heading; and this check finds each kind of include that is not allowed."""

import re
import sys
import tempfile
from pathlib import Path

ROOMS, PLANTED = ([line for line in part.splitlines() if not line.startswith("#")]
                  for part in Path(__file__).with_name("arrows.txt").read_text().split("\n\n"))
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
    for line in ROOMS:
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
    for page in sorted(page for top in ("models", "sw", "hw", "testbench") for page in (root / top).rglob("README.md")):
        if not re.match(r"# [^\n]*\n\n", page.read_text()):
            found.append(f"{page.relative_to(root)}: no heading, as a formatter of C++ leaves a page")
    return found


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

        for line in PLANTED:
            file, included = line.split()
            finds(file, f'#include "{included}"\n')
        finds("testbench/new/a.cpp", "// of no room\n")
        finds("sw/a.h", "// of no room\n")
        finds("hw/event/a.h", "#include <systemc>\n")
        finds("sw/goal/README.md", "#sw / goal : schedules\n\nText.\n")
        (root / "hw/a.h").write_text('#include "hw/event/a.h"\n')
        (root / "sw/api/a.h").write_text('#include "models/fit/a.h"\n#include "sw/api/b.h"\n')
        (root / "sw/README.md").write_text("# sw: firmware\n\nText.\n")
        if check(root):
            sys.exit(f"found, though it is allowed: {check(root)}")


against = check(Path(sys.argv[1]))
if against:
    sys.exit("against the arrows:\n" + "\n".join(against))
check_itself()

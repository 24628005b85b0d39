#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A page shows what happens: types every line that begins with "$ " in its code blocks (lines that begin with "> " go on), in one new
folder with ./ecube, and compares what is printed with the lines below. A line "..." stands for any lines. A picture of the page that
the commands make anew has to be the same file. With ECUBE_UPDATE_GOLDEN=1 the page gets what is printed.
  pages_test.py PROGRAM ROOT PAGE..."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def commands(text):
    """The commands of a page with the output that is shown, and where that stands among the lines."""
    lines = text.split("\n")
    block, at = False, 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("```"):
            block = not block
        if not block or not line.startswith("$ "):
            continue
        typed = [line[2:]]
        while lines[at].startswith(">"):
            typed.append(lines[at][2:])
            at += 1
        begin = at
        while not lines[at].startswith(("$ ", "```")):
            at += 1
        yield "\n".join(typed), begin, at


def agrees(shown, printed):
    pattern = "".join(r"(.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def check(page, program, root, update=False):
    """What is wrong with a page."""
    found = []
    lines = page.read_text().split("\n")
    made = list(lines)
    moved = 0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for room in ("hw", "testbench"):
            (work / room).symlink_to(root / room)
        (work / "ecube").write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
        (work / "ecube").chmod(0o755)
        for command, begin, end in commands(page.read_text()):
            shown = lines[begin:end]
            outcome = subprocess.run(["bash", "-c", command], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                     env={**os.environ, "LC_ALL": "C.UTF-8", "XDG_CACHE_HOME": str(work / "cache")}, text=True, check=False)
            printed = [line.rstrip() for line in outcome.stdout.rstrip("\n").split("\n")] if outcome.stdout else []
            if agrees(shown, printed):
                continue
            found.append(f"{page.name}: {command.splitlines()[0]} (status {outcome.returncode})\n--- shown\n" + "\n".join(shown) + "\n--- printed\n" + "\n".join(printed))
            made[begin + moved:end + moved] = printed
            moved += len(printed) - len(shown)
        for picture in re.findall(r"!\[[^]]*\]\(([^)]*)\)", page.read_text()):
            new, kept = work / Path(picture).name, page.parent / picture
            if not new.exists() or kept.exists() and new.read_bytes() == kept.read_bytes():
                continue
            found.append(f"{page.name}: {picture} is not what the commands make")
            if update:
                kept.write_bytes(new.read_bytes())
    if update:
        page.write_text("\n".join(made))
    return found


def check_itself():
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.md"
        (Path(folder) / "drawn.svg").write_text("old")
        right = "```\n$ echo one; echo two\none\ntwo\n$ echo 1 > n; cat n\n1\n$ seq 9\n1\n...\n9\n$ cat <<E\n> text\n> E\ntext\n```\n"
        for text, wrong in ((right, 0), (right.replace("two\n$", "three\n$"), 1), (right.replace("...\n9", "...\n8"), 1),
                            ("```\n$ true\nmore than is printed\n```\n", 1), ("```\n$ false; echo less is shown\n```\n", 1),
                            ("```\n$ printf new > drawn.svg\n```\n![a picture](drawn.svg)\n", 1)):
            page.write_text(text)
            if len(check(page, "/bin/true", Path(folder))) != wrong:
                sys.exit(f"this test does not judge rightly:\n{text}")


def main():
    check_itself()
    program, root, *pages = sys.argv[1:]
    update = os.environ.get("ECUBE_UPDATE_GOLDEN") == "1"
    found = [wrong for page in pages for wrong in check(Path(page).resolve(), Path(program).resolve(), Path(root).resolve(), update)]
    print("\n".join(found) or "passed")
    sys.exit(1 if found and not update else 0)


main()

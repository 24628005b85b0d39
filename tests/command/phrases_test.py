#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plain English: no phrase of phrases.txt is in a page (but for its blocks of code and output), in a comment of hw, sw or models, or in the
help of a command; and this check finds one that is planted in each, with its file and line.
  phrases_test.py PROGRAM ROOT"""

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PLAIN = dict(line.split(" | ") for line in Path(__file__).with_name("phrases.txt").read_text().splitlines() if not line.startswith("#"))
PHRASES = re.compile(r"\b(?:" + "|".join(r"\s+".join(map(re.escape, phrase.split())) for phrase in PLAIN) + r")\b", re.IGNORECASE)


def page_lines(text):
    """The lines of a page, empty in its blocks."""
    block = False
    for line in text.split("\n"):
        block ^= line.startswith("```")
        yield "" if block or line.startswith("    ") else line


def comment_lines(text):
    """The comments of a source, a line each; a full stop where there is none, so that no phrase goes across code."""
    for line in text.split("\n"):
        comment = re.search(r"//[/!]?<?(.*)", line)
        yield comment[1] if comment else "."


def found_in(lines, name):
    text = "\n".join(lines)
    for match in PHRASES.finditer(text):
        phrase = " ".join(match[0].lower().split())
        yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {phrase}: better {PLAIN[phrase]}"


def found_in_files(root):
    for page in sorted(root.rglob("*.md")):
        name = page.relative_to(root)
        if name.parts[0] != "build" and "node_modules" not in name.parts and name.name != "CHANGELOG.md":
            yield from found_in(page_lines(page.read_text()), name)
    for source in sorted(source for top in ("hw", "sw", "models") for source in (root / top).rglob("*") if source.suffix in (".h", ".cpp", ".sv")):
        yield from found_in(comment_lines(source.read_text()), source.relative_to(root))


def found_in_help(program):
    """The help of the program and of every command below it."""
    def help_of(words):
        return subprocess.run([program, *words, "--help", "all"], capture_output=True, text=True, check=True).stdout

    found, commands = [], [[]]
    with ThreadPoolExecutor() as several:
        while commands:
            below = []
            for words, text in zip(commands, several.map(help_of, commands)):
                found += found_in(text.split("\n"), " ".join(["ecube", *words, "--help all"]))
                if re.search(r"^Usage:.* SUBCOMMAND", text, re.MULTILINE):
                    below += [[*words, name] for name in re.findall(r"^  ([a-z][a-z-]*)  +\S", text, re.MULTILINE)]
            commands = below
    return found


def check_itself():
    phrase = next(iter(PLAIN))
    first, rest = phrase.split(" ", 1)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "sw").mkdir()
        (root / "sw/README.md").write_text(f"# sw\n\nA router of\n{first}\n{rest}.\n\n    {phrase}\n\n```\n{phrase}\n```\n")
        (root / "sw/a.h").write_text(f"int a;  // {first}\n// {rest}\nint {phrase.replace(' ', '_')};\n// {first}\nint b;\n// {rest}\n")
        program = root / "program"
        program.write_text(f'#!/bin/sh\n[ $1 = run ] && echo "{phrase}" || echo "Usage: ecube SUBCOMMAND\n  run   One"\n')
        program.chmod(0o755)
        found = [line.split(": ")[0] for line in (*found_in_files(root), *found_in_help(program))]
        if found != ["sw/README.md:4", "sw/a.h:1", "ecube run --help all:1"]:
            sys.exit(f"planted, and found is {found}")


check_itself()
found = [*found_in_files(Path(sys.argv[2])), *found_in_help(sys.argv[1])]
if found:
    sys.exit("needs a second reading:\n" + "\n".join(found))

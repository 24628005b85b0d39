# SPDX-License-Identifier: Apache-2.0
"""Test programs of a build as CMake, Ninja and CTest know them: how they are linked, which tests they have, how their sources are compiled."""

import collections
import dataclasses
import json
import re
import shlex
import subprocess
from pathlib import Path


@dataclasses.dataclass
class Unit:
    """What becomes one object: a source, or several that are compiled at once."""
    object: str
    sources: list
    options: list = dataclasses.field(default_factory=list)  # -D, -isystem and -I


@dataclasses.dataclass
class Program:
    name: str
    units: list  # of its tests
    libraries: list = dataclasses.field(default_factory=list)  # behind them, without those that are mutated
    mutated: set = dataclasses.field(default_factory=set)  # folders of the mutated libraries that it is linked with
    tests: list = None  # None: all that it lists
    alone: bool = False  # a process for each test, because SystemC elaborates once


class TestBuild:
    """A build with tests, and those of its programs that are linked with libraries of the folders `mutated`."""

    def __init__(self, build, root, mutated):
        self.build, self.root, self.mutated = build, root, mutated
        self.units = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            self.units[words[words.index("-o") + 1]] = Unit(words[words.index("-o") + 1], self.sources(Path(entry["file"])), self.options(words))

    def sources(self, file):
        """A source, or those that CMake has put together in one: those of the tree from its root, those made by the build in full."""
        files = map(Path, re.findall(r'#include "(/.*)"', file.read_text())) if "Unity" in file.parts and file.exists() else [file]
        return [(one if one.is_relative_to(self.build) else one.relative_to(self.root)).as_posix() for one in files if one.is_relative_to(self.root)]

    def options(self, words):
        kept = []
        for word, after in zip(words, words[1:] + [""]):
            if word == "-isystem":
                kept += [word, after]
            elif word.startswith("-D") or word.startswith("-I") and word != f"-I{self.root}":
                kept.append(word)
        return kept

    def mutated_folders(self, words):
        return {word.removeprefix(f"{self.build}/").split("/")[0] for word in words if word.endswith(".a")}.intersection(self.mutated)

    def libraries(self):
        """Units of the libraries that are mutated, and of what is archived with them (ecube_models_node)."""
        return [unit for name, unit in self.units.items() for folder in self.mutated if name.startswith(f"{folder}/CMakeFiles/ecube_{folder}")]

    def programs(self):
        listed = subprocess.run(["ctest", "--show-only=json-v1", "--test-dir", self.build, "-L", "default"], check=True, capture_output=True, text=True)
        tests = collections.defaultdict(list)
        for test in json.loads(listed.stdout)["tests"]:
            program, *words = test.get("command", [""])
            names = [word.split("=", 1)[1] for word in words if word.startswith("--gtest_filter=")]
            if names and Path(program).is_relative_to(self.build):
                tests[Path(program).relative_to(self.build).as_posix()] += names
        return [program for path, names in sorted(tests.items()) if (program := self.program(path, names))]

    def program(self, path, names):
        commands = subprocess.run(["ninja", "-C", self.build, "-t", "commands", path], check=True, capture_output=True, text=True).stdout
        link = shlex.split(commands.splitlines()[-1].split(" && ")[1])
        words = link[1:link.index("-o")] + link[link.index("-o") + 2:]
        units = [self.units[word] for word in words if word in self.units]
        # A program that is not made of the libraries, or has sources of theirs, or copies of these with faults (tests/hw/planted), of
        # its own, runs no mutant.
        own = [source for unit in units for source in unit.sources]
        mutated = self.mutated_folders(words)
        if not mutated or any(source.split("/")[0] in self.mutated or "/hw/planted/" in source for source in own):
            return None
        libraries = [str(self.build / word) if (self.build / word).exists() else word
                     for word in words if re.search(r"\.(a|so[.0-9]*)$|^-l", word) and not self.mutated_folders([word])]
        return Program(Path(path).name, units, libraries, mutated, names, any("systemc" in word for word in libraries))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches schedules of concurrent AAPC with the SAT solver CaDiCaL (models/shuffle/README.md, "Concurrent AAPC of three
constituents"): aapc_search.py BETA SIGMA ROWS STEPS SETS [WINDOW [SECONDS]]

SETS says which constituents start elsewhere in each set, and in which dimension: a3,b3/c2 is a set of 4 rows, in which a
and b start in dimension 3, and one of 2 rows, in which c starts in dimension 2; - is no set. The other of the ROWS are
plain. WINDOW, if not 0, is the first of BETA steps in which the first BETA SIGMA plain rows use every dimension. Prints
the solver's version, its time and the answer, and for each row who is served at each step, as in aapc_of_three.txt. Exit 0: there is a
schedule; 1: there is none; 2: bad input, no solver, or no answer within SECONDS (600).
"""
import itertools
import shutil
import subprocess
import sys
import time


class Clauses:
    """A formula in conjunctive normal form; literals as in DIMACS."""

    def __init__(self):
        self.variables = 0
        self.clauses = []

    def new(self, count):
        self.variables += count
        return list(range(self.variables - count + 1, self.variables + 1))

    def add(self, *literals):
        self.clauses.append(literals)

    def at_most_one(self, literals):
        if len(literals) <= 5:
            for a, b in itertools.combinations(literals, 2):
                self.add(-a, -b)
            return
        seen = self.new(len(literals))  # one of the literals up to here
        for at, literal in enumerate(literals):
            self.add(-literal, seen[at])
            if at > 0:
                self.add(-seen[at - 1], seen[at])
                self.add(-seen[at - 1], -literal)

    def rising(self, literals):
        """Once true, true ever after."""
        for a, b in itertools.pairwise(literals):
            self.add(-a, b)

    def dimacs(self):
        lines = [f"p cnf {self.variables} {len(self.clauses)}"]
        return "\n".join(lines + [" ".join(map(str, clause)) + " 0" for clause in self.clauses]) + "\n"


def chain_of(start, sigma):
    """Dimensions of a constituent in the order of a row, each with whether v is the control."""
    if start is None:
        return [(i, False) for i in range(1, sigma + 1)]
    return [(i, True) for i in range(start, sigma + 1)] + [(i, False) for i in range(1, start + 1)]


class Search:
    def __init__(self, beta, sigma, rows, steps, sets):
        self.cnf, self.beta, self.sigma, self.steps = Clauses(), beta, sigma, steps
        self.set_of = [n for n, starts in enumerate(sets) for _ in range(2 ** len(starts))]
        if len(self.set_of) > rows:
            sys.exit(f"aapc_search: the sets have {len(self.set_of)} rows, more than {rows}")
        self.set_of += [None] * (rows - len(self.set_of))
        self.sets = sets
        self.at = {}  # (row, constituent, how many before it): a variable for each step
        self.side = {}  # (set, constituent, how many before it): after the synchronisation point, in all rows
        self.synchronised = [self.cnf.new(steps) for _ in sets]
        for literals in self.synchronised:
            self.cnf.rising(literals)
        used = {}  # (constituent, dimension, step)
        for row in range(rows):
            self.add_row(row, used)
        for literals in used.values():
            self.cnf.at_most_one(literals)

    def add_row(self, row, used):
        cnf, number = self.cnf, self.set_of[row]
        starts = {} if number is None else self.sets[number]
        chains = [chain_of(starts.get(j), self.sigma) for j in range(self.beta)]
        aapcs = max(map(len, chains))
        begun = [cnf.new(self.steps) for _ in range(aapcs)]  # [AAPC][step]
        for n, literals in enumerate(begun):
            cnf.rising(literals)
            for step in range(self.steps if n > 0 else 0):
                cnf.add(-literals[step], begun[n - 1][step])
        busy = [[] for _ in range(self.steps)]
        for j, chain in enumerate(chains):
            late = cnf.new(len(chain))  # after the AAPC from which this constituent is absent
            if len(chain) == aapcs:
                for literal in late:
                    cnf.add(-literal)
            cnf.rising(late)
            for k, (dimension, with_v) in enumerate(chain):
                at = self.at[row, j, k] = cnf.new(self.steps)
                cnf.add(*at)
                cnf.at_most_one(at)
                for step, literal in enumerate(at):
                    busy[step].append(literal)
                    used.setdefault((j, dimension, step), []).append(literal)
                    for aapc, otherwise in ((k, late[k]), (k + 1, -late[k])):
                        if aapc < aapcs:
                            cnf.add(-literal, otherwise, begun[aapc][step])
                        if aapc + 1 < aapcs:
                            cnf.add(-literal, otherwise, -begun[aapc + 1][step])
                    if number is not None:
                        self.add_synchronisation(number, j, k, step, literal, with_v if j in starts else None)
        for literals in busy:
            cnf.at_most_one(literals)

    def add_synchronisation(self, number, j, k, step, literal, with_v):
        """with_v: whether the exchange is with v, None if the constituent does not start elsewhere."""
        after = self.synchronised[number][step]
        if with_v is not None:
            self.cnf.add(-literal, -after if with_v else after)
            return
        if (number, j, k) not in self.side:
            self.side[number, j, k] = self.cnf.new(1)[0]
        side = self.side[number, j, k]
        self.cnf.add(-literal, -side, after)
        self.cnf.add(-literal, side, -after)

    def add_window(self, first):
        plain = [row for row, number in enumerate(self.set_of) if number is None]
        for at, row in enumerate(plain[: self.beta * self.sigma]):
            block, lane = divmod(at, self.beta)
            for j in range(self.beta):
                self.cnf.add(self.at[row, j, self.sigma - 1 - block][first - 1 + (j - lane) % self.beta])

    def rows(self, true):
        for row in range(len(self.set_of)):
            text = ["."] * self.steps
            for (of, j, _), at in self.at.items():
                for step, literal in enumerate(at):
                    if of == row and literal in true:
                        text[step] = chr(ord("a") + j)
            yield "".join(text)


def main(arguments):
    if not 5 <= len(arguments) <= 7:
        sys.stderr.write(__doc__)
        return 2
    if shutil.which("cadical") is None:
        sys.stderr.write("aapc_search: cadical is missing: cmake/packages/install extra\n")
        return 2
    beta, sigma, rows, steps = map(int, arguments[:4])
    sets = [] if arguments[4] == "-" else [
        {ord(word[0]) - ord("a"): int(word[1:]) for word in one.split(",")} for one in arguments[4].split("/")]
    search = Search(beta, sigma, rows, steps, sets)
    if len(arguments) > 5 and int(arguments[5]) > 0:
        search.add_window(int(arguments[5]))
    seconds = arguments[6] if len(arguments) > 6 else "600"
    version = subprocess.run(["cadical", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    package = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "cadical"], capture_output=True, text=True, check=False)
    started = time.monotonic()
    mode = ["--sat"] if sets else []  # looks for a schedule rather than for a proof
    solver = subprocess.run(["cadical", "-q", *mode, "-t", seconds], input=search.cnf.dimacs(), capture_output=True,
                            text=True, check=False)
    answer = {10: "a schedule", 20: "no schedule"}.get(solver.returncode, "no answer")
    print(f"{' '.join(arguments[:5])}: {answer}; {search.cnf.variables} variables, {len(search.cnf.clauses)} clauses, "
          f"cadical {version} (Debian {package.stdout or 'none'}), {time.monotonic() - started:.1f} s")
    if solver.returncode == 10:
        true = {int(word) for line in solver.stdout.splitlines() if line.startswith("v") for word in line.split()[1:]}
        print("\n".join(search.rows(true)))
    return {10: 0, 20: 1}.get(solver.returncode, 2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

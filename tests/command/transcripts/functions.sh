# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the rows of transcripts may call.

# Names of everything in a folder, and contents of its files.
contents() { (cd -- "$1" && find . -mindepth 1 -printf '%P %y\n' && find . -type f -exec sha256sum {} +) | sort; }

# The bytes of the blocks of the run whose files these are, direct on d = 3, where each of the 24 links is on the way of 4
# blocks; fails when the files are of different runs.
bytes_of_whole_run() {
  python3 - "$1" <<'PYTHON'
import csv, json, sys
size = json.load(open(sys.argv[1] + "/summary.json"))["workload"]["bytes"]
words = json.load(open(sys.argv[1] + "/provenance.json"))["arguments"]
links = list(csv.DictReader(open(sys.argv[1] + "/links.csv")))
given = words[words.index("--bytes") + 1] if "--bytes" in words else str(size)
if given != str(size) or len(links) != 24 or {link["bytes"] for link in links} != {str(4 * size)}:
    sys.exit("the files are of different runs")
print(size, "bytes")
PYTHON
}

# Starts a command, sends it a signal when there is a file of the pattern, and ends as it does.
signalled() { # SIGNAL PATTERN COMMAND...
  local signal=$1 sign=$2
  shift 2
  "$@" &
  while ! compgen -G "$sign" >/dev/null && kill -0 $! 2>/dev/null; do sleep 0.01; done
  kill "-$signal" $!
  wait $!
}

# The lines with these words of what a terminal shows of a command, at the first of the sizes that takes long enough for them.
shows() { # WORDS COMMAND_WITH_SIZE SIZE...
  local words=$1 command=$2 size
  for size in "${@:3}"; do
    { script -qec "ecube ${command//SIZE/$size}" /dev/null </dev/null || true; } | grep -F -- "$words" && return
  done
  return 1
}

# A limit as ulimit has it; none under sanitizers, whose shadow of the memory is larger than all limits.
limit() { [[ -n $sanitized ]] || ulimit "$@"; }

# The program with at most 4 GB and five minutes.
bounded() {
  limit -v 4000000
  timeout 300 ecube "$@"
}

# A command that ends in a moment; sanitizers make it ten times as long.
soon() { timeout "$((${#sanitized} ? 20 : 2))" "$@"; }

# The program is refused in a moment, with an error first, and nothing in the folder has changed.
refused() {
  local before status=0 said
  before=$(contents .)
  said=$(soon ecube "$@" 2>&1) || status=$?
  [[ $(contents .) == "$before" ]] || said="something has changed: $said"
  printf '%s\n' "$said"
  [[ $status == 2 && $said == 'error: '* ]]
}
# The same of every line of a file of arguments.
all_refused() {
  local line words
  while read -r line; do
    eval "words=($line)"
    refused "${words[@]}" || { printf 'ecube %s\n' "$line" && return 1; }
  done <"$1"
}

# Whether the last 64 characters of a file are the SHA-256 of all before.
is_whole() { [[ $(head -c -64 "$1" | sha256sum | head -c 64) == "$(tail -c 64 "$1")" ]]; }

# A file with one text in the place of another, which is there.
replaced() { # FILE FROM TO
  local text
  text=$(<"$1")
  [[ $text == *"$2"* ]] && printf '%s\n' "${text/"$2"/"$3"}"
}
# The same of our router.
router() { replaced "${root:?}/hw/rtl/ecube_router.sv" "$@"; }

# Of each row of a shuffle's first schedule, which is read: "v5@1 0'1@5 01@11", where its chains begin: control, primes of the
# constituent, dimension and step.
chains() {
  python3 -c '
import json, sys
rows = []
for row in json.load(sys.stdin)["schedules"][0]["rows"]:
    text, before, following = [], None, 0
    for entry in row["entries"]:
        chain = ("v" if entry["control"] == "v" else "0") + "\x27" * entry["constituent"]
        if chain != before or entry["step"] != following or entry["dimension"] == 1:
            text.append("%s%d@%d" % (chain, entry["dimension"], entry["step"]))
        before, following = chain, entry["step"] + 1
    rows.append(" ".join(text))
print("\n".join(sorted(rows)))'
}

# Whether the explanations of the eight nodes of an exchange, explained0 to explained7, are the messages of run/circuits.csv, by place in
# the phase, or in any order within a stage.
explained_is_sent() { # phases|stages
  python3 - "$1" <<'PYTHON'
import csv, json, sys
sent = [[] for node in range(8)]
for line in csv.DictReader(open("run/circuits.csv")):
    source, destination, phase, kind, size = map(int, list(line.values())[:5])
    if size > 0: sent[source].append((phase, destination, size))
staged = sys.argv[1] == "stages"
for node in range(8):
    plan = json.load(open("explained%d" % node))
    assert ("stages" in plan) == staged
    explained = []
    for number, part in enumerate(plan[sys.argv[1]]):
        for step in part["steps"]:
            partner, source = step["partner"], step["receives_from"]
            explained.append((number, partner, step["bytes"]))
            assert step["mask"] == partner ^ node and step["hops"] == bin(partner ^ node).count("1")
            if source is None: continue
            # The node that this node receives from sends to it, and the bytes are equal; in a phase at the same step.
            received = (number, node, step["bytes"])
            assert sent[source].count(received) == 1
            assert staged or sent[source][len(explained) - 1] == received
    order = sorted if staged else list
    assert explained and order(explained) == order(sent[node]), node
PYTHON
}

# What a node sends, in the order of the machine and of the steps that are explained, is the same and has no mask.
explained_as_sent() { # NODE CIRCUITS.csv EXPLAINED.json
  python3 - "$@" <<'PYTHON'
import csv, json, sys
node, circuits, explained = sys.argv[1:]
sent = [int(row["destination"]) for row in csv.DictReader(open(circuits)) if row["source"] == node]
steps = [step for phase in json.load(open(explained))["phases"] for step in phase["steps"]]
if [step["partner"] for step in steps] != sent or not sent or any(step["mask"] is not None for step in steps):
    sys.exit(f"sent to {sent}, explained as {steps}")
PYTHON
}
# on_planes PLANES WORDS...: a command of a machine whose nodes tune so many planes, in 1,000 cycles.
on_planes() {
  ecube "${@:2}" --set node.ports=n --set plane.retune=1000cycles --set network.planes="$1"
}
# swot WORDS...: an all-reduce by halving and doubling on 8 nodes with two planes of 50 GB/s.
swot() {
  ecube run program "$root/sw/examples/halving_doubling.cpp" --dim 3 --set node.ports=n --set network.planes=2 --set clock=1GHz \
    --set link.phit=50B --set link.cycles_per_phit=1cycles --set node.startups=overlapped "$@" --json
}

# SQL on the node_times.csv of a run in `run`: its lines are `times`; `wholes` are each node's cycles and lines whose parts are others.
node_times() {
  local columns parts
  columns=$(head -1 run/node_times.csv)
  parts=${columns#phase,node,cycles,}
  sqlite3 :memory: "CREATE TABLE times(${columns//,/ INTEGER, } INTEGER); CREATE VIEW wholes AS
    SELECT sum(${parts//,/ + }) AS whole, sum(cycles != ${parts//,/ + }) AS wrong FROM times GROUP BY node" \
    '.import --csv --skip 1 run/node_times.csv times' "$1"
}

# What a run prints, without its engine and the figures of the host.
without_host() {
  python3 -c '
import json, sys
run = json.load(sys.stdin)
del run["host"], run["simulation"], run["machine"]["engine"]
json.dump(run, sys.stdout, indent=1)'
}
# Whether two runs in the folders `event` and `clocked` are the same.
same_files() {
  cmp event/circuits.csv clocked/circuits.csv && cmp event/links.csv clocked/links.csv && diff event.json clocked.json >&2
}
# Runs on the event engine and on modules, which have to be the same; prints what is measured.
same_on_modules() {
  local engine
  for engine in event clocked; do
    ecube run "$@" --engine "$engine" --circuits --quiet --json -o "$engine" | without_host >"$engine.json" || return
  done
  same_files && cat event.json && rm -r event clocked
}

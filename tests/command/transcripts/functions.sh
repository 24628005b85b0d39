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

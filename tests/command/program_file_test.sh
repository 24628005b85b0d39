#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs in files of the user: run, traced, swept, and each of their mistakes told by name, node and cycle.
#   program_file_test.sh ECUBE EXAMPLES
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh" "$1"
examples=$(realpath -- "$2")
cd -- "$work"

# The same for a program that is stopped by force, which gives nothing back: leaks are not looked for.
stopped() { ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 expect "$@"; }
silent() { ! grep -qF -- "$1" "$work/out" || fail "'$1' in: $(cat "$work/out")"; }

# The ring: 8 messages of 1 KB, one after the other, each alone in the network; the tokens of all nodes added up.
cp -- "$examples"/*.cpp .
expect 0 run program ./ring.cpp --dim 3 --param bytes=1KB
says 'compiling ring.cpp' 'verified by the program' 'tokens  8' '0.000%'
# By hand from hw/README.md on `ideal`: every message has a start-up, its hops, and its phits; a ring of 8 has hops
# 1 2 1 3 1 2 1 3 = 14. A second round takes exactly as long as the first.
one=$(cycles program ./ring.cpp --dim 3)
two=$(cycles program ./ring.cpp --dim 3 --param rounds=2)
((one > 0 && two == 2 * one)) || fail "one round $one, two $two cycles"
# The same contents elsewhere are the same program.
hash_of() { "$program" run program "$1" --dim 1 --json 2>/dev/null | grep source_hash; }
mkdir elsewhere
cp ring.cpp elsewhere
[[ -n $(hash_of ./ring.cpp) ]] || fail "a program has no hash"
[[ $(hash_of ./ring.cpp) == "$(hash_of elsewhere/ring.cpp)" ]] || fail "a path is in the hash of a program"
# Parameters compile nothing, and the engines agree.
expect 0 run program ./ring.cpp --dim 3 --param rounds=2 --engine clocked
silent compiling
clocked=$(cycles program ./ring.cpp --dim 3 --param rounds=2 --engine clocked)
((clocked == two)) || fail "clocked $clocked, event $two cycles"
expect 0 run program ./ring.cpp --dim 3 --engine ideal
says '0.000%'
# One copy of sw in the process: the object takes it from the program.
object=$(find "${program%/*}/../programs" -name '*.so' -newer ring.cpp -print -quit)
nm -DC "$object" >symbols
grep -q ' U ecube::Node::fill' symbols || fail "the object does not ask for sw"
! grep -qE '^[0-9a-f]+ . ecube::Node::fill' symbols || fail "the object has sw"
# A run directory, a trace, contention.
expect 0 run program ./broadcast.cpp --dim 3 -o run --trace waves.fst --circuits --contention
says 'contention' 'verified by the program'
for file in summary.json links.csv circuits.csv provenance.json resolved.toml waves.fst; do [[ -s run/$file ]]; done
# d = 3: 7 messages of a tree, over one link each.
(($(wc -l <run/circuits.csv) == 8))

# Keys from a file, a slice on every node.
for key in 31 7 9 -4 100 22 5 5 17 2 90 41 63 8 11 0; do echo $key; done >keys.txt
expect 0 run program ./bitonic_sort.cpp --name sort --dim 3
says 'verified by the program' 'keys sent  96'
# The bug: node 5 and its partner 1 do not meet, and everything behind them waits.
expect 3 run program ./bitonic_sort.cpp --name stalling-sort --dim 3
says 'stalled at cycle' 'node 5 waits for the other half of an exchange with node 4' 'node 1 waits for the other half of an exchange with node 5'

# Bad input: exit 2, and what is allowed.
expect 2 run program ./bitonic_sort.cpp --dim 3
says 'has several programs' 'sort | stalling-sort'
expect 2 run program ./bitonic_sort.cpp --name srt --dim 3
says "did you mean 'sort'?"
expect 2 run program ./bitonic_sort.cpp --name sort --dim 5
says '16 keys cannot be dealt evenly'
expect 2 run program ./ring.cpp --param round=2
says "no parameter 'round'" "did you mean 'rounds'?"
expect 2 run program ./ring.cpp --param rounds=0
says 'out of range' '1 or more'
expect 2 run program ./ring.cpp --param bytes=1KX
says 'valid: a size'
expect 2 run program ./ring.cpp --param rounds=1 --param rounds=2
says 'given twice'
expect 2 run program ring --param rounds=2
expect 2 run program ./none.cpp
expect 0 explain program ./ring.cpp
says 'times around the ring (rounds); whole number, 1 when not given'

# One file of mistakes.
cat >broken.cpp <<'CPP'
#include <stdexcept>
#include <cstdlib>
#include "kind.h"
#include "sw/program/program.h"
using namespace ecube;
volatile int zero = 0;
int deeper(int n) {
  volatile char room[4096];
  room[0] = static_cast<char>(n);
  return n < 0 ? n : deeper(n + 1) + room[0];
}
volatile int result;
void stick(const char* where) {
  const char* const wanted = std::getenv("STUCK");
  if (wanted != nullptr && std::string_view(wanted) == where) for (;;) result = result + 1;
}
const int initial = (stick("initialiser"), 1);
struct Broken {
  static constexpr std::string_view name = "broken", help = "mistakes";
  static std::vector<Parameter> parameters() {
    stick("parameters");
    return {{.name = "how", .type = ParameterType::text, .initial = "well", .help = "which mistake"},
            {.name = "part", .type = ParameterType::real, .initial = "0.5", .help = "a share", .least_real = 0, .most_real = 1}};
  }
  explicit Broken(const Job& job) : how(job.text("how")) {
    stick("constructor");
    if (how == "constructor") throw std::runtime_error("not like this");
  }
  Task<> run(Node& node) {
    co_await node.compute(100);
    if (node.id() == 2) {
      if (how == "throw") throw std::runtime_error(KIND);
      if (how == "null") *static_cast<volatile int*>(nullptr) = 1;
      if (how == "divide") result = 7 / zero;
      if (how == "abort") std::abort();
      if (how == "recurse") result = deeper(0);
      if (how == "astray") co_await node.send({.to = 77});
      if (how == "loop") for (;;) result = result + 1;
      if (how == "no time") for (;;) co_await node.compute(0);
    }
    co_await barrier(node);
  }
  static std::string check(const NodesOf<Broken>& nodes) { return nodes[0].how == "check" ? "node 0 is not right" : ""; }
  std::string how;
};
ECUBE_PROGRAMS(Broken)
CPP
echo '#define KIND "a word of my own"' >kind.h
expect 0 run program ./broken.cpp --dim 2
says compiling
expect 1 run program ./broken.cpp --dim 2 --param how=throw -o left
says 'program broken' 'node 2' 'cycle 100' 'a word of my own'
[[ ! -e left ]]
for how in null divide abort recurse; do
  stopped 1 run program ./broken.cpp --dim 2 --param how=$how -o left
  says 'program broken crashed on node 2 at cycle 100'
  [[ ! -e left ]]
done
says 'not its memory'
stopped 1 run program ./broken.cpp --dim 2 --param how=null --engine clocked
says 'program broken crashed on node 2 at cycle 100'
for how in loop 'no time'; do
  stopped 1 run program ./broken.cpp --dim 2 --param "how=$how" --step-limit 0.5
  says 'program broken runs on node 2 at cycle 100 for more than 0.5 s without waiting'
done
for where in initialiser parameters constructor; do
  STUCK=$where stopped 1 run program ./broken.cpp --dim 2 --step-limit 0.5
  says 'runs before its first node started for more than 0.5 s: a loop that does not end?'
done
expect 2 run program ./broken.cpp --dim 2 --param part=1.5
says '--param part=1.5 is out of range' '0 .. 1'
expect 2 run program ring --dim 2 --step-limit 5
says '--step-limit is for programs from files'
expect 2 run program ./broken.cpp --dim 2 --param how=constructor
says 'program broken cannot begin: not like this'
expect 1 run program ./broken.cpp --dim 2 --param how=astray
says 'program broken' 'node 2' '77'
expect 1 run program ./broken.cpp --dim 2 --param how=check
says 'wrong results' 'node 0 is not right'
silent compiling
# A file that it includes counts too, and an object that is damaged or of another version is made again.
echo '#define KIND "another word"' >kind.h
expect 1 run program ./broken.cpp --dim 2 --param how=throw
says compiling 'another word'

cat >wrong.cpp <<'CPP'
#include "sw/program/program.h"
struct Wrong {
  static constexpr std::string_view name = "wrong", help = "does not compile";
  ecube::Task<> run(ecube::Node& node) {
    co_await node.sned({.to = 1});
  }
};
ECUBE_PROGRAMS(Wrong)
CPP
expect 2 run program ./wrong.cpp --dim 2
says "does not compile" "sned" "wrong.cpp:5:" '    co_await node.sned({.to = 1});'
sed 's/co_await node.sned.*/co_return;/; s/Wrong)/Other)/' wrong.cpp >other.cpp
expect 2 run program ./other.cpp --dim 2
says 'other.cpp:8:'
# An error within ecube's header is told at the line that led there.
sed '/run(/,/  }/d' wrong.cpp >no_run.cpp
expect 2 run program ./no_run.cpp --dim 2
says 'no_run.cpp:5:' 'ECUBE_PROGRAMS(Wrong)' 'a program has a function Task<> run(Node& node)' 'program.h:'
sed '/ECUBE_PROGRAMS/d' other.cpp >none_named.cpp
expect 2 run program ./none_named.cpp --dim 2
says 'it ends without ECUBE_PROGRAMS'

# What goes wrong without a crash: an exchange with oneself, a message that is too long, and a write behind the end of an array, which
# only the sanitizers see, at its line.
cat >careless.cpp <<'CPP'
#include "sw/program/program.h"
using namespace ecube;
struct Itself {
  static constexpr std::string_view name = "itself", help = "exchanges with itself";
  Task<> run(Node& node) { co_await node.exchange({.with = node.id(), .bytes = 8}); }
};
struct Long {
  static constexpr std::string_view name = "long", help = "sends more than is received";
  Task<> run(Node& node) {
    if (node.id() == 0) co_await node.send({.to = 1, .bytes = 80});
    if (node.id() == 1) co_await node.receive({.from = 0, .bytes = 8});
  }
};
struct Beyond {
  static constexpr std::string_view name = "beyond", help = "writes behind an array";
  Task<> run(Node& node) {
    std::vector<int> four(4);
    const std::size_t last = 4 + node.id();
    four.data()[last] = 1;
    co_return;
  }
};
ECUBE_PROGRAMS(Itself, Long, Beyond)
CPP
expect 1 run program ./careless.cpp --name itself --dim 1
says 'node 0 exchanges with itself'
expect 3 run program ./careless.cpp --name long --dim 1
says 'stopped: message of 80 bytes from node 0 is longer than the receive of 8 bytes at node 1, at cycle'
if [[ ${ASAN_OPTIONS:-} == '' ]]; then # the sanitizers' build finds it in any case
  expect 0 run program ./careless.cpp --name beyond --dim 1
  expect 1 run program ./careless.cpp --name beyond --dim 1 --sanitize
  says 'careless.cpp:19'
  expect 0 run program ./ring.cpp --dim 3 --sanitize
  says 'verified by the program'
fi

# A study compiles nothing unless that is allowed; the refusal names file and line.
cat >study.toml <<'TOML'
run = "program"
[workload]
program = "ring.cpp"
dim = 3
[[axis]]
key = "param.rounds"
values = [1, 2]
TOML
expect 2 sweep study.toml
says "this study compiles and runs the program 'ring.cpp'" 'study.toml:3:' '--allow-code'
[[ ! -e sweeps ]]
expect 2 sweep plan study.toml
says '--allow-code'
expect 0 sweep study.toml --allow-code
expect 0 sweep export sweeps/study -o study.csv
grep -q "param.rounds" study.csv
for cycles in "$one" "$two"; do grep -q ",$cycles," study.csv || { cat study.csv && exit 1; }; done
# A crash in a study is a failed point that says where.
sed -i 's/ring.cpp/broken.cpp/; s/param.rounds/param.how/; s/\[1, 2\]/["null", "well", "divide", "check"]/' study.toml
stopped 1 sweep study.toml --allow-code -o crashed
sqlite3 crashed/results.sqlite "SELECT status, error FROM points ORDER BY number" >out
says 'done|' 'program broken crashed on node 2 at cycle 100: it divided'
(($(grep -c '^failed' out) == 3))
# An object that is damaged, or of another version of ecube, is made again.
# shellcheck disable=SC2016 # the inner shell expands
objects() { find "${program%/*}/../programs" -name "*.so" -newer kind.h -exec bash -c "$1" _ {} \;; }
# shellcheck disable=SC2016
objects 'rm -- "$1"; echo damaged >"$1"'
expect 1 run program ./broken.cpp --dim 2 --param how=check
says compiling 'wrong results'
# shellcheck disable=SC2016
objects 'LC_ALL=C sed -i -E "s/[0-9a-f]{32}/ffffffffffffffffffffffffffffffff/g" "$1"'
expect 1 run program ./broken.cpp --dim 2 --param how=check
says compiling 'wrong results'
expect 1 run program ./broken.cpp --dim 2 --param how=check
silent compiling
# A project of one's own runs at once.
expect 0 init mine
cd mine
expect 0 run program ./program.cpp --machine machine.toml -d 3
says 'mine  d=3' 'verified by the program'
expect 0 sweep study.toml --allow-code
says '18 points'
cd ..
expect 2 init mine
says 'nothing was written'
echo passed

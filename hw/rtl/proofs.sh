# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # `sources`, `work` and `list` are set by the files that source this one.
# Proofs and mutants of `verify`, which sources this file in the folder of the RTL. `work` is a directory to write in.

# properties/list.txt: every assertion of a proof and how many there are, as `PROOF FILE.NAME COUNT`.
list=properties/list.txt

bad_input() {
  printf 'verify: %s\n' "$1" >&2
  exit 2
}

need() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || bad_input "$tool is missing; Debian's packages yosys and z3 have what proofs need"
  done
}

# need_of SET TOOL...: the packages of cmake/packages/SET.txt have these.
need_of() {
  local set=$1 tool
  shift
  for tool in "$@"; do
    command -v "$tool" >/dev/null || bad_input "$tool is missing: cmake/packages/install $set"
  done
}

# The word of the standard input that is nearest to $1, by the fewest letters to insert, delete or replace, whatever
# their case.
nearest() {
  awk -v word="$1" '
    function distance(a, b, i, j, row, above, left, best) {
      a = tolower(a)
      b = tolower(b)
      for (j = 0; j <= length(b); j++) row[j] = j
      for (i = 1; i <= length(a); i++) {
        above = row[0]
        row[0] = i
        for (j = 1; j <= length(b); j++) {
          left = row[j]
          best = above + (substr(a, i, 1) != substr(b, j, 1))
          if (row[j] + 1 < best) best = row[j] + 1
          if (row[j - 1] + 1 < best) best = row[j - 1] + 1
          row[j] = best
          above = left
        }
      }
      return row[length(b)]
    }
    { d = distance(word, $1); if (NR == 1 || d < least) { least = d; found = $1 } }
    END { print found }'
}

# `FILE.NAME` for each assertion that yosys or yosys-smtbmc names on the standard input, by the place in the sources:
# yosys gives the place from the end of the statement before to the condition of this one, so the last name up to the last
# line counts. A router that is elsewhere, which is a file of the user, has the name of its module.
names_of_assertions() {
  awk -v router="${module:-}" '
    match($0, /\$assert\$[^:]*:/) {
      file = substr($0, RSTART + 8, RLENGTH - 9)
      count = split($0, parts, /[| ]/)
      for (i = 1; i <= count; i++) if (index(parts[i], file ":") == 1 && parts[i] ~ /-[0-9]+\.[0-9]+$/) {
        line = parts[i]
        sub(/.*-/, "", line)
        sub(/\..*/, "", line)
      }
      if (!(file in read)) {
        read[file] = 1
        for (n = 1; (getline text < file) > 0; n++)
          if (match(text, /`ECUBE_(RULE|ASSERT|REGISTER|NEIGHBOUR|ENVIRONMENT)\(([a-z_0-9]+\))?/)) {
            text = substr(text, RSTART, RLENGTH - 1)
            sub(/.*\(|.*ENVIRONMENT/, "", text)
            name[file, n] = text == "" ? "environment" : text
          }
      }
      short = file ~ /^\// ? router : file
      sub(/.*\//, "", short)
      sub(/\.sv$/, "", short)
      while (line > 0 && !((file, line) in name)) line--
      print short "." name[file, line]
    }'
}

# read_module MODULE DEFINITIONS KEY VALUE...: sets `read_it` to the commands of yosys that read this module.
read_module() {
  local module=$1 definitions=$2 parameters='' top=$1
  shift 2
  while (($# > 1)); do
    parameters+=" -set $1 $2"
    shift 2
  done
  if [[ $module == ecube_end_to_end ]]; then definitions+=' -DECUBE_FABRIC'; fi
  local files='properties/*.sv'
  if [[ $module == ecube_own_* ]]; then
    definitions+=' -DECUBE_PINS_ONLY'
    files+=' own/*.sv'
  elif [[ $definitions == *-DSYNTHESIS* ]]; then
    files=''
  elif [[ -f properties/${module}_checked.sv ]]; then
    top=${module}_checked
  fi
  read_it="read_verilog -formal -sv $definitions ${sources[*]} $files
    ${parameters:+chparam $parameters $top}
    hierarchy -top $top"
}

# model MODULE DEFINITIONS KEY VALUE...: writes $work/model.smt2, with all assertions or, if `only` is the place of one
# (FILE:LINE), with that one. If `bits` is set, writes $work/model.aig instead, and $work/outputs with a line for each of
# its outputs; that model begins with the registers as the reset leaves them, and is never reset. Writes $work/asserts with every assertion as it was before yosys leaves out those that are constant or there
# twice.
model() {
  local module=$1 leave='' besides='' read_it
  read_module "$@"
  # What a router of the user's asserts or assumes itself is left out: nothing of it shows at the pins. `flatten` then puts
  # the place of its instance before its own.
  if [[ $module == ecube_own_* ]]; then besides="delete t:\$assert t:\$assume %u a:src=properties/* a:src=own/* %u %d"; fi
  local write="dffunmap; write_smt2 -wires $work/model.smt2"
  if [[ -n ${bits:-} ]]; then
    # With the reset as an input solvers find few registers that never change.
    write="sim -clock clk_i -reset rst_i -n 1 -rstlen 2 -zinit -w; delete -input w:rst_i; connect -set rst_i 1'0; opt -full; techmap; opt -fast; dffunmap; abc -g AND -fast; opt_clean; write_aiger -zinit $work/model.aig; dump -o $work/kept t:\$assert"
  fi
  if [[ -n ${only:-} ]]; then leave="delete t:\$assert a:src=*${only%:*}:*-${only#*:}.* %d"; fi
  yosys -q -p "$read_it
    proc
    $besides
    flatten
    dump -o $work/asserts t:\$assert
    $leave
    prep
    async2sync
    opt -full
    $write" >"$work/yosys" 2>&1 || { tail -n 3 "$work/yosys" >&2; bad_input "yosys cannot read $module with these parameters"; }
  if [[ -n ${bits:-} ]]; then assertions_of "$work/kept" >"$work/outputs"; fi
}

# Writes $work/solver/z3, a z3 that reads constants and what they are where definitions stand before its first question.
# It takes a definition for a macro, and 0.3 ms for each place where its name is: up to four fifths of a proof's time.
write_solver() {
  mkdir -p "$work/solver"
  cat >"$work/solver/z3" <<END
#!/bin/sh
sed -u -E '1,/^\(check-sat/s/^\(define-fun (\|[^|]*\|) \(\) (Bool|\(_ BitVec [0-9]+\)) (.*)\)\$/(declare-fun \1 () \2)\n(assert (= \1 \3))/' | '$(command -v z3)' "\$@"
END
  chmod +x "$work/solver/z3"
}

# solve STEPS OPTION...: yosys-smtbmc, output in $work/proof; status 0 proved, 1 an assertion can be broken. With
# --unroll every signal has its own symbol; with --noincr z3 simplifies the whole formula before it begins.
solve() {
  local steps=$1 status=0
  shift
  write_solver
  PATH=$work/solver:$PATH yosys-smtbmc --noprogress --unroll --noincr -s z3 -t "$steps" "$@" "$work/model.smt2" >"$work/proof" 2>&1 || status=$?
  grep -q 'Status: ' "$work/proof" || { tail -n 3 "$work/proof" >&2; bad_input 'yosys-smtbmc did not come to an end'; }
  return "$status"
}

# induct: like `solve 2 -i`, a question at a time: whether an edge can break an assertion of a count and its rest, for each
# of these alone, and whether it can break another one. Of sums of 32 bits that are asked for together z3
# has not had an answer in 400 s; few bits are quicker together.
induct() {
  # smtbmc writes the formula, as long as its solver finds that every shorter one can be true.
  printf 'sat\n%.0s' 1 2 3 >"$work/sat"
  yosys-smtbmc --noprogress --unroll --noincr -s dummy --dummy "$work/sat" --dump-smt2 "$work/formula" -t 2 -i \
    "$work/model.smt2" >"$work/proof" 2>&1 || true
  grep '^; yosys-smt2-assert ' "$work/model.smt2" | names_of_assertions >"$work/names"
  local questions question
  questions=$(awk -v work="$work" '
    FILENAME ~ /names$/ { name[++assertions] = $1; next }
    /^\((check-sat|set-info|get-value)/ { next }
    { text[++lines] = $0 }
    /^\(assert \(not \(and / { broken = lines; all = $4 }
    END {
      for (i = 1; i <= lines; i++) if (index(text[i], "(define-fun " all " () Bool (and ") == 1) count = split(text[i], part, " ")
      if (!broken || count != 6 + assertions) exit 1
      for (k = 1; k <= assertions; k++) {
        if (name[k] ~ /_is_the_rest$/) formulas[++questions] = part[5 + k]
        else others = others " " part[5 + k]
      }
      if (others) formulas[++questions] = "(and" others " true)"
      for (q = 1; q <= questions; q++) {
        file = work "/question" q
        for (i = 1; i <= lines; i++) print i == broken ? "(assert (not " formulas[q] "))" : text[i] > file
        print "(check-sat)" > file
        close(file)
      }
      print questions
    }' "$work/names" "$work/formula") || bad_input 'yosys-smtbmc writes formulas of another kind than induct() reads'
  write_solver
  for ((question = 1; question <= questions; question++)); do
    [[ $("$work/solver/z3" -in <"$work/question$question") == unsat ]] || { solve 2 -i; return; }
  done
}

# Every assertion that properties/list.txt has for this proof is in the model, as often as listed, and no other.
check_list() {
  local module=$1 name count found wrong=no
  local -A number=() parameter=([Dim]=1 [Ports]=1 [Inputs]=1 [Buffer]=1 [Time]=32 [Hold]=0)
  shift
  while read -r name count; do parameter[$name]=$count; done < <(cat "$module.sv" "properties/$module.sv" "own/$module.sv" "properties/${module}_checked.sv" 2>/dev/null |
    sed -n 's/^ *parameter int \([A-Za-z]*\) = \([0-9]*\),\{0,1\}\( .*\)\{0,1\}$/\1 \2/p')
  while (($# > 1)); do
    parameter[$1]=$2
    shift 2
  done
  # shellcheck disable=SC2034 # Expressions of the list use these.
  local Dim=${parameter[Dim]} Ports=${parameter[Ports]} Inputs=${parameter[Inputs]} Buffer=${parameter[Buffer]} Time=${parameter[Time]} Hold=${parameter[Hold]}
  # shellcheck disable=SC2034
  local N=$((Dim + Ports))
  while read -r count name; do number[$name]=$count; done < <(assertions_of "$work/asserts" | names_of_assertions | sort | uniq -c)
  total=0
  while read -r _ name count; do
    found=${number[$name]:-0}
    total=$((total + found))
    if ((found != count)); then
      printf '%s: %d found, %d in %s\n' "$name" "$found" "$((count))" "$list" >&2
      wrong=yes
    fi
    unset "number[$name]"
  done < <(grep "^$module " "$list")
  for name in "${!number[@]}"; do
    printf '%s: %d found, not in %s\n' "$name" "${number[$name]}" "$list" >&2
    wrong=yes
  done
  [[ $wrong == no ]]
}

# place_of FILE NAME: the place of an assertion, FILE:LINE, for yosys the line with its end.
place_of() {
  awk -v file="$1" -v name="($2)" '/ECUBE_(RULE|ASSERT)/ { ours = index($0, name) } ours && /;$/ { print file ":" NR; exit }' "$1"
}

# The name that yosys gives to each assertion, and the assertion's place, from a dump of the assertions.
assertions_of() {
  awk '/^ *attribute .src / { place = $3; gsub(/"/, "", place) } /^ *cell \$assert / { print $3, place }' "$1"
}

# plain WORD: without underscores and capitals, as keys are compared.
plain() { tr -d _ <<<"${1,,}"; }

# Sets `given` to the keys of a proof, spelled as the parameters are, and their values.
check_input() {
  local module=$1 names name key
  shift
  grep -q "^$module " "$list" || bad_input "there is no proof of '$module'; did you mean $(sed '/^#/d' "$list" | nearest "$module")? Proofs: $(sed '/^#/d' "$list" | cut -d ' ' -f 1 | uniq | tr '\n' ' ')"
  names=$(sed -n 's/^ *parameter int \([A-Za-z]*\) = .*/\1/p' "$module.sv" "properties/$module.sv" "own/$module.sv" "properties/${module}_checked.sv" 2>/dev/null | sort -u || true; [[ $module != ecube_end_to_end ]] || echo EDGES)
  given=()
  while (($#)); do
    key=''
    while read -r name; do [[ $(plain "$name") != "$(plain "$1")" ]] || key=$name; done <<<"$names"
    [[ -n $key ]] || bad_input "$module has no parameter '$1'; did you mean $(nearest "$1" <<<"$names")? Parameters: $(tr '\n' ' ' <<<"$names")"
    [[ ${2:-} =~ ^[0-9]+$ ]] || bad_input "$1 is '${2:-}'; it has to be a number"
    given+=("$key" "$2")
    shift 2
  done
}

# deliver KEY VALUE...: the proof of ecube_end_to_end, by the solvers for bits of yosys-abc, for any time, or with EDGES for
# so many edges after the reset; and that all messages can have arrived by then. The reset is edge 0, and frame 0 of the
# model ends with edge 1; an assertion that is broken at edge k is an output of frame k, because yosys samples it.
deliver() {
  local edges='' definitions=-DECUBE_FEW_BITS given=() said output frame name module=ecube_end_to_end
  while (($# > 1)); do
    case $1 in
      EDGES) edges=$2 ;;
      *) given+=("$1" "$2") ;;
    esac
    shift 2
  done
  need yosys-abc
  refuse_without_reset $module "${given[@]}"
  bits=yes model $module "$definitions" "${given[@]}"
  check_list $module "${given[@]}" || exit 1
  printf '%s assertions; from reset: ' "$total"
  # pdr wants one output, the disjunction of all assertions. bmc3 is faster with an output for each, and has its number.
  if [[ -n $edges ]]; then said=$(abc_says "bmc3 -F $((edges + 1))"); else said=$(abc_says 'orpos; pdr'); fi
  if [[ -z $edges && $said == *'was asserted in frame'* ]]; then said=$(abc_says bmc3); fi
  case $said in
    *'Property proved'*) printf 'proved for any time; ' ;;
    *"No output asserted in $((edges + 1)) frames"*) printf 'holds for %s edges; ' "$edges" ;;
    *'was asserted in frame'*)
      printf 'FAILED\n'
      [[ $said =~ Output\ ([0-9]+)\ .*was\ asserted\ in\ frame\ ([0-9]+) ]] || bad_input "yosys-abc does not name an output: $said"
      output=${BASH_REMATCH[1]} frame=${BASH_REMATCH[2]}
      name=$(sed -n "$((output + 1))p" "$work/outputs" | names_of_assertions)
      printf 'Assert failed: %s, at edge %s\n' "$name" "$frame"
      exit 1
      ;;
    *) bad_input "yosys-abc did not come to an end: $said" ;;
  esac
  bits=yes only=$(place_of properties/$module.sv never_all_delivered) \
    model $module "-DECUBE_REACHED $definitions" "${given[@]}"
  said=$(abc_says "bmc3 -F $((${edges:-62} + 1))")
  [[ $said =~ was\ asserted\ in\ frame\ ([0-9]+) ]] || { printf 'FAILED: not all messages can arrive: %s\n' "$said"; exit 1; }
  printf 'all messages have arrived by edge %s at the earliest\n' "${BASH_REMATCH[1]}"
}

# What yosys-abc says of $work/model.aig after the commands $1.
abc_says() {
  yosys-abc -c "read_aiger $work/model.aig; fold; strash; scorr; dc2; scorr; $1" 2>&1 | grep -E 'asserted in|Property (proved|UNDECIDED)' || printf 'no answer\n'
}

# A register without a reset begins with any value, and a proof from reset would speak of another machine: exit status 2.
# With the reset held, what every other register takes at an edge is a constant, also if it follows one that is reset.
# Registers that yosys makes to sample an assertion do not count.
refuse_without_reset() {
  local module=$1 names
  shift
  read_module "$module" '' "$@"
  yosys -q -p "$read_it
    proc
    flatten
    opt_clean
    setattr -set keep 1 t:\$dff
    delete -input w:rst_i
    connect -set rst_i 1'1
    opt_expr -mux_undef -fine; opt_muxtree; opt_reduce
    opt_expr -mux_undef -fine; opt_muxtree; opt_expr -fine; opt_clean
    dump -o $work/registers t:\$dff" >"$work/yosys" 2>&1 || { tail -n 3 "$work/yosys" >&2; bad_input "yosys cannot read $module with these parameters"; }
  names=$(awk '/^ *attribute .src / { place = $3; gsub(/"|.*[|]/, "", place); sub(/[.][^:]*$/, "", place) } /^ *connect .D / { taken = $0; sub(/^ *connect .D /, "", taken) } /^ *connect .Q / && taken ~ /[\\$]/ { sub(/^ *connect .Q /, ""); print $0 " (" place ")" }' "$work/registers" |
    sed '/[$]formal[$]/d; /[.]started /d; s/^[^\\]*\\//' | if [[ $module == ecube_own_* ]]; then sed -n 's/^router[.]//p'; else cat; fi | sort -u | tr '\n' ' ')
  [[ -z $names ]] || bad_input "${module/own_/} has registers without a reset, which would begin with any value: $names"
}

# prove_own MODULE KEY VALUE...: what a router does at its pins, for routers of which nothing else is known.
# From reset: the first edges by bmc3, which names what is broken; then any time by pdr, which finds an invariant itself.
# The rules look an edge late, and yosys samples them an edge later: what is broken at edge k is an output of frame k + 2.
prove_own() {
  local module=$1 said edges=14 seconds=900
  shift
  need yosys-abc
  refuse_without_reset "$module" "$@"
  bits=yes model "$module" '' "$@"
  check_list "$module" "$@" || exit 1
  printf '%s assertions at the pins; from reset: ' "$total"
  said=$(abc_says "bmc3 -F $edges")
  if [[ $said == *'was asserted in frame'* ]]; then broken_at_pins "$said"; fi
  [[ $said == *"No output asserted in $edges frames"* ]] || bad_input "yosys-abc did not come to an end: $said"
  printf 'holds for %s edges; ' "$((edges - 2))"
  said=$(abc_says "orpos; pdr -T $seconds")
  case $said in
    *'Property proved'*) printf 'proved for any time\n' ;;
    # The disjunction of all rules has no name; the first that breaks within the edges of the counterexample has one.
    *'was asserted in frame'*)
      [[ $said =~ frame\ ([0-9]+) ]]
      broken_at_pins "$(abc_says "bmc3 -F $((BASH_REMATCH[1] + 1)) -T $seconds")"
      ;;
    *)
      printf 'NOT PROVED for any time within %s s\n' "$seconds"
      exit 1
      ;;
  esac
}

# Prints the rule and the edge that $1, an answer of bmc3, says is broken at the pins.
broken_at_pins() {
  printf 'FAILED\n'
  [[ $1 =~ Output\ ([0-9]+)\ .*was\ asserted\ in\ frame\ ([0-9]+) ]] || bad_input "yosys-abc does not name an output: $1"
  printf 'Assert failed: %s, at edge %s\n' "$(sed -n "$((BASH_REMATCH[1] + 1))p" "$work/outputs" | names_of_assertions)" "$((BASH_REMATCH[2] - 2))"
  exit 1
}

# proved_for WHAT MODULE KEY VALUE...: the last line of a proof, with what it does not speak of. Keys that are not given have
# the module's own values.
proved_for() {
  local what=$1 module=$2 said='' separator=' of ' key value
  shift 2
  while (($# > 1)); do
    key=$1 value=$2
    shift 2
    case $key in
      Dim) said+="$separator$value dimension$( ((value == 1)) || echo s)" ;;
      Ports) said+="$separator$value port$( ((value == 1)) || echo s)" ;;
      Width) said+="${separator}wires of $value bits" ;;
      Time) said+="${separator}counts of $value bits" ;;
      Buffer) said+="${separator}buffers of $value flit$( ((value == 1)) || echo s)" ;;
      *) said+="$separator$key $value" ;;
    esac
    separator=', '
  done
  printf '%s: %s%s; not proved: other values%s\n' "$what" "$module" "$said" "$([[ $module != ecube_own_* ]] || echo ', how long a message waits')"
}

prove() {
  (($#)) || bad_input 'prove needs a module'
  local module=$1 given
  need yosys yosys-smtbmc z3
  check_input "$@"
  set -- "${given[@]}"
  if [[ $module == ecube_end_to_end ]]; then
    deliver "$@"
    return
  fi
  if [[ $module == ecube_own_* ]]; then
    prove_own "$module" "$@"
    proved_for 'proved from reset, at the pins' "$module" "$@"
    return
  fi
  model "$module" '' "$@"
  check_list "$module" "$@" || exit 1
  # Assumptions that contradict each other would prove everything.
  solve 4 -g || bad_input "what the proof of $module assumes cannot happen: it would prove everything"
  printf '%s assertions; induction: ' "$total"
  # An assertion is sampled an edge later: two steps are one step of induction.
  local how=(solve 2 -i)
  if [[ " $* " =~ ' Time '([0-9]+) ]] && ((BASH_REMATCH[1] > 8)); then how=(induct); fi
  "${how[@]}" || { printf 'FAILED\n'; failed; }
  printf 'proved for any state and any time; '
  local steps=${STEPS:-4}
  printf 'from reset: '
  solve "$steps" || { printf 'FAILED\n'; failed; }
  printf 'holds for the first %s cycles\n' "$steps"
  proved_for 'proved by induction' "$module" "$@"
}

# bound DIM PORTS R A C N: an output is kept as long as the circuit waits for the next one, which has a higher rank, and
# has that; whoever waits for it waits for as many occupations as the router has inputs.
bound() {
  (($# == 6)) || bad_input 'bound needs DIM PORTS R A C N: dimension, ports, route and accept delay, cycles of a phit, phits'
  local number i kept=$(($4 + 2 * $1 + 3 + ($6 - 1) * $5)) waits
  for number in "$@"; do [[ $number =~ ^[1-9][0-9]{0,3}$ ]] || bad_input "'$number' is no number from 1 to 9999"; done
  (($1 <= 8)) || bad_input "the dimension is $1; it has to be 1 to 8"
  (($2 == 1 || $2 == $1)) || bad_input "ports are $2; they have to be 1 or $1"
  waits=$((($1 + $2) * (kept + 1)))
  printf '| output | kept, edges | waited for, edges |\n|---|---|---|\n| eject port | %d | %d |\n' "$kept" "$waits"
  for ((i = $1 - 1; i >= 0; i--)); do
    kept=$((1 + $3 + waits + kept))
    waits=$((($1 + $2) * (kept + 1)))
    printf '| dimension %d | %d | %d |\n' "$i" "$kept" "$waits"
  done
  printf 'from the probe to the receiver at most %d edges\n' "$((1 + $3 + waits + kept + $1 + 1))"
}

# Prints the assertions that the last proof says can be broken.
failed() {
  grep 'Assert failed' "$work/proof" | names_of_assertions | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/Assert failed: \2 (\1)/'
  exit 1
}

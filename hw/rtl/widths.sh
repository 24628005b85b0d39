# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # `work` is set by the file that sources this one.
# `verify widths`, which sources this file: every register, and every input of several bits, one bit narrower.

# The proof in which a part of each file is narrowed: counts have the bits that users run, so that only the highest is lost.
proofs_of_widths=(
  'ecube_arbiter ecube_arbiter Inputs 4'
  'ecube_output ecube_worm_router Dim 1 Ports 1 Width 5 Time 32 Buffer 2'
  'ecube_router ecube_router Dim 2 Ports 1 Width 6 Time 32'
  'ecube_interface_port ecube_interface_port Dim 2 Ports 2 Width 25 Time 32'
  'ecube_sender ecube_interface_port Dim 2 Ports 2 Width 25 Time 32'
  'ecube_receiver ecube_interface_port Dim 2 Ports 2 Width 25 Time 32'
  'ecube_worm_router ecube_worm_router Dim 1 Ports 1 Width 5 Time 32 Buffer 2'
  'ecube_worm_port ecube_worm_port Dim 2 Width 25 Time 32 Buffer 2'
)

# widths [FILE.NAME]...: each of these, or of all, loses its highest bit, and the proof of its module has to fail. One that
# the proof does not miss is proved to be equivalent.
widths() {
  need yosys yosys-smtbmc z3
  local known one file name proof found verdict begun count=0 survived=0 here=$PWD
  known=$(for one in "${proofs_of_widths[@]}"; do parts_of "${one%% *}"; done)
  (($#)) || mapfile -t known_names <<<"$known"
  (($#)) || set -- "${known_names[@]}"
  for one in "$@"; do
    grep -qxF -- "$one" <<<"$known" || bad_input "there is no register or input '$one'; did you mean $(nearest "$one" <<<"$known")?"
  done
  printf '| one bit narrower | what notices it | seconds |\n|---|---|---|\n'
  for one in "$@"; do
    file=${one%.*} name=${one#*.} begun=$(date +%s%N) count=$((count + 1))
    proof=()
    for found in "${proofs_of_widths[@]}"; do [[ $found != "$file "* ]] || read -ra proof <<<"${found#* }"; done
    copy_of_modules
    narrowed "$file" "$name" >"$work/mutant/$file.sv"
    if cmp -s "$file.sv" "$work/mutant/$file.sv"; then bad_input "$one: nothing drives or reads it"; fi
    cd "$work/mutant" || exit
    model "${proof[0]}" '' "${proof[@]:1}"
    if ! solve 2 -i; then
      verdict=$(grep 'Assert failed' "$work/proof" | names_of_assertions | sort -u | head -n 1)
    elif equivalent "${proof[@]}"; then
      verdict='nothing: proved equivalent, no output differs'
    else
      verdict='NOTHING, and an output may differ' survived=$((survived + 1))
    fi
    cd "$here" || exit
    printf '| %s | %s | %d.%d |\n' "$one" "$verdict" $((($(date +%s%N) - begun) / 1000000000)) $((($(date +%s%N) - begun) / 100000000 % 10))
  done
  printf '%d parts, %d that nothing notices\n' "$count" "$survived"
  ((survived == 0))
}

# Registers and inputs of several bits of the file $1, as FILE.NAME.
parts_of() {
  awk -v file="$1" '
    match($0, /^ *input logic \[.*\] [a-z_]+/) { name = substr($0, RSTART, RLENGTH); sub(/.* /, "", name); print file "." name }
    match($0, /[a-z_]+_q(\[[^]]*\])? <=( |$)/) { name = substr($0, RSTART, RLENGTH); sub(/[[ ].*/, "", name); if (!(name in seen)) print file "." name; seen[name] = 1 }' "$1.sv"
}

# The file $1.sv in which $2 has lost its highest bit: a register's is 0 from the first edge on, and of an input no
# hardware reads it. What the module takes for granted, and properties, read all.
narrowed() {
  awk -v RS='\001' -v name="$2" '
    {
      text = $0
      if (match(text, "input logic \\[[^\n]*\\] " name "[,\n ]")) {
        split(substr(text, RSTART, RLENGTH), declared, " " name)
        sub(/^input /, "", declared[1])
        count = split(text, lines, "\n")
        for (i = 1; i <= count; i++) {
          line = lines[i]
          assumed = line ~ /ECUBE_(NEIGHBOUR|ENVIRONMENT)/ || (assumed && lines[i - 1] !~ /;$/)
          if (within) sub("^ *\\." name ",?$", "." name "(narrow)" (line ~ /,$/ ? "," : ""), line)
          if (within && !assumed) {
            for (rest = ""; match(line, name); line = substr(line, RSTART + RLENGTH)) {
              whole = substr(line, RSTART - 1, 1) !~ /[a-z_.]/ && substr(line, RSTART + RLENGTH, 1) !~ /[a-z_]/
              rest = rest substr(line, 1, RSTART - 1) (whole ? "narrow" : name)
            }
            line = rest line
          }
          print line
          if (line == ");") {
            within = 1
            print "  " declared[1] " narrow;\n  assign narrow = " name " & ({$bits(" name "){1\x27b1}} >> 1);"
          }
        }
        exit
      }
      scalar = text !~ ("(\\]|ENUM[^\n]*\\)) ([a-z_]+, )*" name "[,;]")
      while (match(text, "[ \n]" name "(\\[[^]]*\\])? <=[ \n][^;]*;")) {
        statement = substr(text, RSTART + 1, RLENGTH - 1)
        top = statement
        sub(/ <=.*/, "", top)
        if (!sub(/\+:/, " + ", top) && top !~ /\[/ && !scalar) top = name "[$bits(" name ") - 1]"
        else if (top ~ / \+ /) sub(/\]$/, " - 1]", top)
        printf "%sbegin %s %s <= 1\x27b0; end", substr(text, 1, RSTART), statement, top
        text = substr(text, RSTART + RLENGTH)
      }
      printf "%s", text
    }' "$1.sv"
}

# equivalent MODULE KEY VALUE...: no output of the hardware in this folder, the narrowed, ever differs from that in $here.
equivalent() {
  local read_it
  read_module "$1" -DSYNTHESIS "${@:2}"
  local hardware="${read_it/ -formal/}; proc; flatten; opt_clean -purge; rename -top"
  (cd "$here" && yosys -q -p "$hardware right; write_rtlil $work/right.il") >"$work/yosys" 2>&1 &&
    yosys -q -p "$hardware narrow; read_rtlil $work/right.il
      equiv_make right narrow equal; hierarchy -top equal; opt_clean; equiv_simple; equiv_induct; equiv_status -assert" >"$work/yosys" 2>&1
}

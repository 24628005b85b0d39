# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # `sources`, `work` and `list` are set by the files that source this one.
# Wrong routers, ports and arbiters of `verify mutants`, which sources this file: mutants.txt says how each is made.

# mutants [NAME]...: each wrong module breaks the property that mutants.txt names, from reset and within some cycles. No
# other property is in that proof, and none about registers is named: what is wrong has to show at the pins.
mutants() {
  need yosys yosys-smtbmc z3
  local name survived=0 count=0 names
  names_of_mutants "$@"
  for name in "${names[@]}"; do
    count=$((count + 1))
    mutant "$name" || survived=$((survived + 1))
  done
  printf '%d wrong modules, %d found by the property they break\n' "$count" "$((count - survived))"
  ((survived == 0))
}

# Sets `names` to those given, or to all.
names_of_mutants() {
  local name known
  known=$(sed -n 's/^mutant \([a-z_0-9]*\): .*/\1/p' mutants.txt)
  [[ -z $(sort <<<"$known" | uniq -d) ]] || bad_input "two mutants have one name: $(sort <<<"$known" | uniq -d)"
  if (($# == 0)); then mapfile -t names <<<"$known"; else names=("$@"); fi
  for name in "${names[@]}"; do
    grep -qx -- "$name" <<<"$known" || bad_input "there is no mutant '$name'; did you mean $(nearest "$name" <<<"$known")?"
  done
}

# The modules in $work/mutant, to be changed there.
copy_of_modules() {
  rm -rf "$work/mutant"
  mkdir "$work/mutant"
  cp -r ./*.sv ./*.f ./*.txt properties own bench "$work/mutant"
}

# Makes the mutant $1 in $work/mutant. Sets `proof`, `breaks` and `steps` to what mutants.txt says of it.
make_mutant() {
  local name=$1 line file='' old='' text found
  breaks='' steps=12 proof=()
  copy_of_modules
  while IFS= read -r line; do
    case $line in
      '  in '*) file=${line#  in } ;;
      '  - '*) old=${line#  - } ;;
      '  + '*)
        text=$(cat "$work/mutant/$file")
        found=$(grep -cF -- "$old" <<<"$text") || true
        ((found == 1)) || bad_input "mutants.txt: $name: '$old' is in $found lines of $file; it has to be in one"
        printf '%s\n' "${text/"$old"/"${line#  + }"}" >"$work/mutant/$file"
        ;;
      'proof '*) read -ra proof <<<"${line#proof }" ;;
      '  steps '*) steps=${line#  steps } ;;
      '  breaks '*) breaks=${line#  breaks } ;;
      *) bad_input "mutants.txt: $name: a line that is no in, -, +, steps or breaks: $line" ;;
    esac
  done < <(awk -v name="$name" '
    /^proof / { proof = $0; ours = 0 }
    /^mutant / { ours = $2 == name ":"; if (ours) print proof; next }
    ours && NF && !/^#/' mutants.txt)
  [[ -n $breaks && -n $old && ${#proof[@]} -gt 0 ]] || bad_input "mutants.txt: $name: needs a change, a proof above it, and what it breaks"
  grep -q "^${proof[0]} $breaks " "$list" || bad_input "mutants.txt: $name: the proof of ${proof[0]} has no property $breaks"
}

# in_mutant COMMAND...: the command in a copy of the modules, in which MUTANT, if it is set, is planted.
in_mutant() {
  # shellcheck disable=SC2034 # Of the proof of the mutant.
  local names breaks steps proof=()
  if [[ -n ${MUTANT:-} ]]; then
    names_of_mutants "$MUTANT"
    make_mutant "$MUTANT"
    cd "$work/mutant" || exit
  fi
  "$@"
}

# mutant NAME FOLDER: writes the modules of this mutant into the folder.
mutant_into() {
  local names breaks steps proof=()
  (($# == 2)) || bad_input 'mutant needs NAME FOLDER'
  names_of_mutants "$1"
  make_mutant "$1"
  { mkdir -p "$2" && cp "$work/mutant"/*.sv "$2"; } || bad_input "$2 cannot be written"
}

# Proves the mutant $1.
mutant() {
  local name=$1 breaks steps proof=() here found
  here=$PWD
  make_mutant "$name"
  cd "$work/mutant" || exit
  # shellcheck disable=SC2034 # `model` reads it.
  only=$(place_of "properties/${breaks%.*}.sv" "${breaks#*.}")
  model "${proof[0]}" -DECUBE_PINS_ONLY "${proof[@]:1}"
  if solve "$steps"; then
    cd "$here" || exit
    printf '%s: PROVED for %s cycles: %s was not broken\n' "$name" "$steps" "$breaks"
    return 1
  fi
  found=$(grep 'Assert failed' "$work/proof" | names_of_assertions | sort -u)
  cd "$here" || exit
  [[ $found == "$breaks" ]] || bad_input "mutants.txt: $name: not $breaks failed, but $found"
  printf '%s: fails by %s\n' "$name" "$breaks"
}

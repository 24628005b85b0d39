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
  cp -r ./*.sv ecube.f properties "$work/mutant"
}

# Makes the mutant $1 in $work/mutant. Sets `proof`, `breaks`, `steps` and `fault` to what mutants.txt says of it.
make_mutant() {
  local name=$1 line file='' old='' text found
  breaks='' steps=12 proof=() fault=''
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
      '  fault '*) fault=${line#  fault } old=none ;;
      '  proof '*) read -ra proof <<<"${line#  proof }" ;;
      '  steps '*) steps=${line#  steps } ;;
      '  breaks '*) breaks=${line#  breaks } ;;
      *) bad_input "mutants.txt: $name: a line that is no in, -, +, fault, proof, steps or breaks: $line" ;;
    esac
  done < <(awk -v name="$name" '/^mutant / { ours = $2 == name ":"; next } ours && NF && !/^#/' mutants.txt)
  [[ -n $breaks && -n $old && ${#proof[@]} -gt 0 ]] || bad_input "mutants.txt: $name: needs a change or a fault, a proof, and what it breaks"
  grep -q "^${proof[0]} $breaks " "$list" || bad_input "mutants.txt: $name: the proof of ${proof[0]} has no property $breaks"
}

# Proves the mutant $1.
mutant() {
  local name=$1 breaks steps proof=() fault here found
  here=$PWD
  make_mutant "$name"
  cd "$work/mutant" || exit
  only=$(grep -nE "ECUBE_(RULE|ASSERT)\\(${breaks#*.}\\)" -- "properties/${breaks%.*}.sv" | cut -d : -f 1)
  only=properties/${breaks%.*}.sv:$only
  model "${proof[0]}" "-DECUBE_PINS_ONLY${fault:+ -DECUBE_FAULT=$fault}" "${proof[@]:1}"
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

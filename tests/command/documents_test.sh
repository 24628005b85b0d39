#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The manual page has every command that the program's --help names and no others, no option that help does not have, and is no longer
# than 400 lines; bash completion has every command and option, and the completed values are those that the program takes.
#   documents_test.sh PROGRAM MANUAL_PAGE COMPLETION
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh"
program=$(realpath -- "$1")
manual=$(realpath -- "$2")
completion=$(realpath -- "$3")
cd -- "$work"
failed=no
# Two lists of words, a line each, in any order.
same() { # WHAT WANTED FOUND
  if ! diff <(sort <<<"$2") <(sort <<<"$3") >difference; then
    printf 'failed: %s\n' "$1"
    sed -e 's/^</  missing: /' -e 's/^>/  too many: /' -e '/^[0-9-]/d' difference
    failed=yes
  fi
}

# Help as a person reads it.
commands_of() { # those of the program itself are in groups
  local heading=Subcommands
  [[ -n $path ]] || heading='[A-Z][A-Za-z ]*'
  sed -n "/^$heading:\$/,/^\$/s/^  \([a-z][a-z-]*\)  .*/\1/p" help
}
options_of() { sed -n '/^[A-Z][A-Za-z ]*:$/,/^$/s/^  \(-[^ ]*\).*/\1/p' help | tr ',' '\n'; }

# The manual page: commands and options are bold, in sections of their own.
sed -e 's/\\-/-/g' -e 's/\\f[BIR]//g' "$manual" >page
in_section() { sed -n "/^\.SH $1\$/,/^\.SH/p" page | grep -A1 '^\.TP$' | grep -vx -e '--' -e '\.TP'; }
all_options=

# The words that bash would offer for the last of these words.
# shellcheck source=/dev/null
source "$completion"
offered() {
  # shellcheck disable=SC2034 # read by the completion
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _ecube || true
  ((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
}

visited=
queue=('')
while ((${#queue[@]})); do
  path=${queue[0]}
  queue=("${queue[@]:1}")
  read -ra words <<<"$path"
  ((${#words[@]} < 5)) || { printf 'failed: ecube %s is no command\n' "$path" && exit 1; }
  "$program" ${words[@]+"${words[@]}"} --help >help
  (($(wc -l <help) <= 45)) || { printf 'failed: ecube %s --help has more than 45 lines\n' "$path" && failed=yes; }
  [[ $path != check\ * ]] || grep -q -e "ecube $path --" help || { printf 'failed: no example of ecube %s\n' "$path" && failed=yes; }
  "$program" ${words[@]+"${words[@]}"} --help all >help
  all_options+=$(options_of)$'\n'
  same "options of ecube $path, completed" "$(options_of)" "$(offered ecube ${words[@]+"${words[@]}"} -)"
  same "commands of ecube $path, completed" "$(commands_of)" "$(offered ecube ${words[@]+"${words[@]}"} '' |
    grep -vxFf <(_ecube_values "$path" | tr ' ' '\n') | grep -vxE 'help|page|difference' || true)"
  for command in $(commands_of); do
    visited+="$path${path:+ }$command"$'\n'
    queue+=("$path${path:+ }$command")
  done
done
same "commands in the manual page" "${visited%$'\n'}" "$(in_section COMMANDS | awk '
  { gsub(/,/, "") } # a command, and some of those below it
  !($1 in seen) { seen[$1] = 1; print $1; for (i = 2; i <= NF; ++i) print $1, $i; next }
  { print }')"
[[ $(grep -c . <<<"$visited") -gt 25 ]] || { printf 'failed: only these commands:\n%s' "$visited" && failed=yes; }
options_in_page=$(in_section OPTIONS | grep -oE '(^|, )-[^ ,]+' | sed 's/^, //')
same "options that only the manual page has" "" "$(grep -vxFf <(printf '%s' "$all_options") <<<"$options_in_page" || true)"
for option in --help --version --machine --set --dim --engine --json --seed --jitter --output --contention --trace; do
  grep -qx -e "$option" <<<"$options_in_page" || { printf 'failed: no %s in the manual page\n' "$option" && failed=yes; }
done
lines=$(MANWIDTH=80 man -l "$manual" 2>/dev/null | wc -l || true)
if command -v man >/dev/null && ((lines < 100 || lines > 400)); then
  printf 'failed: the manual page has %s lines\n' "$lines"
  failed=yes
fi

# Values.
presets=$("$program" machines | awk '/^[a-z]/ && NF > 3 { print $1 }' | while read -r name; do
  "$program" machines "$name" >/dev/null 2>&1 && printf '%s\n' "$name"
done)
same "presets for machines" "$presets" "$(offered ecube machines '')"
same "presets and files for --machine" "$presets"$'\n'"$(ls)" "$(offered ecube run exchange --machine '')"
same "presets that begin so, after =" "$(grep ^ips <<<"$presets")" "$(offered ecube run exchange --machine = ips)"
same "engines" "$("$program" run exchange --engine none 2>&1 | sed -n 's/.*valid: //p' | sed 's/ | /\n/g')" \
  "$(offered ecube run exchange --engine '')"
same "words of an option" "$(printf '%s\n' high low inplace)" "$(offered ecube run exchange --order '')"
same "parameters for --set" "$("$program" machines --options | sed -n 's/^\([a-z]*\.[a-z_]*\|clock\)  .*/\1=/p')" \
  "$(offered ecube run exchange --set '')"
same "results for reproduce" "list"$'\n'"all"$'\n'"$("$program" reproduce list | awk '{ print $1 }')" "$(offered ecube reproduce '')"
same "files for -o" "$(ls)" "$(offered ecube run exchange -o '')"
[[ $failed == no ]] || exit 1
echo passed

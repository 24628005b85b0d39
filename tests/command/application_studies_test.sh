#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The studies of applications run without a failed point, and their page shows what sqlite3 prints.
#   application_studies_test.sh ECUBE STUDIES
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh"
program=$(realpath -- "$1")
studies=$(realpath -- "$2")
cd -- "$work"

count=0
for study in "$studies"/*.toml; do
  "$program" sweep "$study" --allow-code >out 2>&1 || { cat out && exit 1; }
  count=$((count + 1))
done
((count == 5)) || { echo "$count studies in place of 5" && exit 1; }

# What follows a command on the page, up to the end of its block, is what the command prints, but for blanks at the ends.
tables=0
while IFS= read -r line; do
  [[ $line == "$ sqlite3 "* ]] || continue
  : >shown
  while IFS= read -r line_of_table && [[ $line_of_table != '```' ]]; do printf '%s\n' "$line_of_table" >>shown; done
  bash -c "${line#"$ "}" | sed 's/ *$//' >printed
  diff shown printed || { echo "the page differs from: $line" && exit 1; }
  tables=$((tables + 1))
done <"$studies/README.md"
((tables == 10)) || { echo "$tables tables in place of 10" && exit 1; }
echo passed

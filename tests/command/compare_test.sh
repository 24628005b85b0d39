#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare_programs.sh finds nothing between the program $1 and itself, and a changed digit, line or exit status.
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh"
program=$1
here=$(cd -P -- "$(dirname -- "$0")" && pwd)
printf '%s\n' 'run exchange --dim 3 --json' 'run exchange --dim 3 --partition 9' "run combine --dim 2 --set link.phit='4 B'" >"$work/list"

"$here/compare_programs.sh" "$program" "$program" "$work/list"

changed() {
  printf '#!/usr/bin/env bash\n%s\n' "$1" >"$work/changed"
  chmod +x "$work/changed"
  if "$here/compare_programs.sh" "$program" "$work/changed" "$work/list" >"$work/found"; then
    echo "not found: $1"
    exit 1
  fi
  grep -q '^differs: ' "$work/found"
}
changed "set -o pipefail; $program \"\$@\" | sed 's/7/8/'"
changed "$program \"\$@\" 2>/dev/null"
changed "$program \"\$@\" || true"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# hw/rtl/PROTOCOL.md has every port of its modules and no other.
# shellcheck source=tests/command/rtl/rtl.sh
. "$(dirname -- "$0")/rtl.sh"

# same PAGE MODULE: the ports of the module's table are those of its source.
same() {
  diff <(awk -v name="$2" '/^### / { ours = $2 == name } ours && /^\| `/ { gsub(/`/, ""); print $4, $2 }' "$1" | sort) \
    <(sed -n '/^) (/,/^);/p' "$rtl/$2.sv" | sed -n 's/^ *\(input\|output\) logic \(\[.*:0\] \)\{0,1\}\([a-z_]*\).*/\1 \3/p' | sed 's/^input/in/; s/^output/out/' | sort)
}

for module in ecube_router ecube_worm_router ecube_interface_port ecube_worm_port; do
  same "$rtl/PROTOCOL.md" "$module" || status=1
done
# shellcheck disable=SC2016 # Backquotes of the page.
for change in 's/`late_o`/`late`/' '/`engine_i`/d' 's/| `sent_o` | out/| `sent_o` | in/'; do
  sed "$change" "$rtl/PROTOCOL.md" >"$work/page.md"
  if same "$work/page.md" ecube_interface_port >/dev/null; then wrong "a page changed by $change passes"; fi
done
exit "$status"

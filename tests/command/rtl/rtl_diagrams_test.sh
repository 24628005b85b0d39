#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The timing diagrams of hw/rtl/PROTOCOL.md are what the RTL does, and the first has the edges that hw/README.md section 3
# works out by hand; a router that takes a cycle more gives others.
# shellcheck source=tests/command/rtl/rtl.sh
. "$(dirname -- "$0")/rtl.sh"

./verify diagrams >"$work/now" # Without Icarus this test ends here.
sed -n '/<!-- verify diagrams -->/,/<!-- end -->/p' PROTOCOL.md | sed '1d;$d' >"$work/page"
diff "$work/page" <(sed '$d' "$work/now") || status=1
MUTANT=fault_hop ./verify diagrams >"$work/wrong"
if cmp -s "$work/now" "$work/wrong"; then wrong 'a fault changes no diagram'; fi

# edge MARK ROW: the column of a mark in a row of the first diagram, the NTH row of that name.
edge() {
  awk -v mark="$1" -v row="$2" -v nth="${3:-1}" 'index($0, row) && ++seen == nth {
    rest = substr($0, 31)
    for (i = 0; 3 * i < length(rest); i++) if (substr(rest, 3 * i + 1, 3) ~ mark) { print i; exit }
  }' "$work/now"
}
# `h` = 1, r = 1, A = 1, c = 1, n = 3: T0 = 8, Tt = 10, g_0 = 2, g_1 = 4, x_0 = 11, x_1 = 12, probe at node 1 at 5 = a.
found="$(edge P 'inject wire') $(edge 0 'inject wire') $(edge t 'inject wire') $(edge '#' 'granted_o[0]') $(edge '#' 'granted_o[1]')"
found+=" $(edge '#' 'released_o[0]') $(edge '#' 'released_o[1]') $(edge '#' probe_seen_o) $(edge '#' 'eject acknowledge') $(edge '#' 'inject acknowledge')"
[[ $found == '0 8 10 2 4 11 12 5 5 7' ]] || wrong "the first diagram has $found"
exit "$status"

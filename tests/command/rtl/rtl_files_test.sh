#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The plain file lists of the RTL name every file that there is, in an order in which a tool can read them from anywhere;
# a list without one of its files is noticed. The table of compared wrong modules has them all.
# shellcheck source=tests/command/rtl/rtl.sh
. "$(dirname -- "$0")/rtl.sh"

# listed FOLDER LIST EXCEPT: the list has the sources of the folder but one, each once.
listed() {
  (cd "$1" && diff <(grep '\.sv$' "$2" | sort) <(printf '%s\n' *.sv | grep -vx -- "$3"))
}

listed "$rtl" ecube.f none || status=1
listed "$rtl/properties" properties.f ecube_end_to_end.sv || status=1

cd -- "$work" || exit
verilator --lint-only -Wall -F "$rtl/ecube.f" --top-module ecube_fabric || status=1
verilator --lint-only -Wall -F "$rtl/ecube.f" -F "$rtl/properties/properties.f" --top-module ecube_router_checked || status=1

cp -r "$rtl" copy
sed -i '/ecube_output/d' copy/ecube.f
if listed copy ecube.f none >/dev/null || verilator --lint-only -Wall -F copy/ecube.f --top-module ecube_fabric 2>/dev/null; then
  wrong 'a list without ecube_output.sv passes'
fi

# compared.txt has a line for each wrong module, and only those of equivalent.txt show no difference.
names() { sed -n "s/^$1\([a-z_0-9]*\): .*/\1/p" "$2"; }
compared() {
  diff <(names 'mutant ' "$1/mutants.txt") <(names '' "$1/compared.txt") &&
    diff <(names '' "$1/equivalent.txt" | sort) <(grep ': no difference' "$1/compared.txt" | cut -d : -f 1 | sort)
}
compared "$rtl" || status=1
for change in '/^forwards_nothing:/d' 's/^\(forwards_nothing: \).*/\1no difference in 300 programs/'; do
  sed "$change" "$rtl/compared.txt" >copy/compared.txt
  if compared copy >/dev/null; then wrong "a table changed by $change passes"; fi
done
exit "$status"

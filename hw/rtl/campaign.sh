# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # `work` is set by the file that sources this one.
# `verify campaign`, which sources this file: random programs in RTL beside the event engine, on machines of every shape.

# Shapes of machines, `DIM PORTS BUFFER`: every dimension with one port, n ports, and K of n ports in use at a time; for worms
# of up to three dimensions buffers of every size, of more dimensions some, because a library takes half a minute to build.
shapes_of_campaign() {
  local dim ports buffer
  for dim in 1 2 3 4 5 6; do
    for ports in one n 2 3 4 5; do
      if [[ $ports == n && $dim == 1 ]] || [[ $ports == [2-5] && $ports -ge $dim ]]; then continue; fi
      printf '%s %s 0\n' "$dim" "$ports"
      if ((dim > 3)); then continue; fi
      for buffer in 1 2 3 4 5 6 7 8; do printf '%s %s %s\n' "$dim" "$ports" "$buffer"; done
    done
  done
  printf '%s\n' '4 one 1' '4 n 2' '4 2 2' '4 3 2' '4 one 8' '4 n 4' '5 one 3' '5 n 1' '5 3 1' '6 one 7' '6 n 2' '6 4 2'
}

# campaign [CIRCUITS] [SEED] [FILE]: random programs until CIRCUITS circuits, 10 million unless given, have been the same
# in RTL and on the event engine, edge by edge. Rounds go through all shapes; a part of a round is a process of its own
# and a line of FILE, so that a campaign that was interrupted goes on where it was when it is called again. With
# MUTANT=NAME the modules are this one of mutants.txt, which the campaign has to find.
campaign() {
  need_of base verilator cmake
  local wanted=${1:-10000000} seed=${2:-1} build=../../build/release file round=0 shape part rest head
  [[ $wanted =~ ^[1-9][0-9]*$ ]] || bad_input "the number of circuits is '$wanted'; it has to be a number from 1 on"
  [[ $seed =~ ^[0-9]+$ && $seed -le 1000000 ]] || bad_input "the seed is '$seed'; it has to be a number up to 1000000"
  file=${3:-$build/campaign-$seed${MUTANT:+-$MUTANT}.txt}
  [[ -f $build/CMakeCache.txt ]] || bad_input 'build the tests first: ./ecube test -R None'
  cmake --build "$build" --target rtl_campaign >"$work/log" 2>&1 || { tail -n 3 "$work/log" >&2; bad_input 'rtl_campaign cannot be built'; }
  head="campaign with seed $seed of the RTL $(hash_of_rtl "$build")${MUTANT:+, $MUTANT}"
  if [[ -s $file ]]; then
    [[ $(head -n 1 "$file") == "$head" ]] || bad_input "$file is another campaign ($(head -n 1 "$file")); this one is: $head"
  else
    printf '%s\n' "$head" >"$file" || bad_input "$file cannot be written"
  fi
  # The last line of a campaign that was killed may have no end.
  [[ -z $(tail -c 1 "$file") ]] || sed -i '$d' "$file"
  declare -A done_parts=()
  while read -r part; do done_parts[$part]=yes; done < <(sed -n 's/^part \(.*\): .* programs=.*/\1/p' "$file")
  mapfile -t shapes < <(if [[ -n ${MUTANT:-} ]]; then printf '%s\n' '3 one 0' '3 one 1'; else shapes_of_campaign; fi)
  rest=$((wanted - $(circuits_of_campaign "$file")))
  while ((rest > 0)); do
    for shape in "${shapes[@]}"; do
      [[ -z ${done_parts[$round $shape]:-} ]] || continue
      part_of_campaign "$round" "$shape" "$seed" "$rest" || return
      rest=$((wanted - $(circuits_of_campaign "$file")))
      ((rest > 0)) || break
    done
    round=$((round + 1))
  done
  sum_of_campaign "$file"
}

# part_of_campaign ROUND SHAPE SEED MOST: programs of a part have the seeds from (SEED * 1000 + round) * 100,000 on: a part has fewer programs.
part_of_campaign() {
  local round=$1 dim ports buffer seed=$(((1 + $3) * 100000000 + $1 * 100000)) library built=$build code=0 said circuits=$((20000 << ($1 > 2 ? 2 : $1)))
  read -r dim ports buffer <<<"$2"
  # Many nodes take long for each cycle: large cubes get fewer circuits.
  ((dim < 4)) || circuits=$((circuits >> (dim - 3)))
  ((circuits < $4)) || circuits=$4
  library=ecube_rtl_d${dim}_$([[ $ports == one ]] && echo one || echo n)$( ((buffer == 0)) || echo "_worms$buffer")
  if [[ -n ${MUTANT:-} ]]; then
    built=$work/built
    tree_of_libraries
    (in_mutant true)
    library_of_mutant "$library" OFF || exit 2
  elif ! cmake --build "$build" --target "$library" >"$work/log" 2>&1; then
    tail -n 3 "$work/log" >&2
    bad_input "$library cannot be built"
  fi
  said=$("$build/tests/hw/rtl_campaign" "$built/rtl/${library}_$(hash_of_rtl "$built").so" "$dim" "$ports" "$buffer" "$seed" "$circuits" 2>"$work/log") || code=$?
  case $code in
    0) printf 'part %s %s: %s\n' "$round" "$2" "$said" | tee -a "$file" | sed -E 's/^part ([^ ]*) ([^ ]*) ([^ ]*) ([^:]*): .*\<circuits=([0-9]*).*/round \1, d = \2, ports \3, buffer \4: \5 circuits, no difference/' >&2 ;;
    1)
      printf 'part %s %s differs: %s\n' "$round" "$2" "$said" | tee -a "$file"
      return 1
      ;;
    2)
      tail -n 2 "$work/log" >&2
      exit 2
      ;;
    *)
      printf 'part %s %s ended with %d: %s\n' "$round" "$2" "$code" "$(tail -n 1 "$work/log")" | tee -a "$file"
      return 1
      ;;
  esac
}

circuits_of_campaign() {
  awk -F '[ =]' '/^part .*: / { for (i = 1; i < NF; i++) if ($i == "circuits") sum += $(i + 1) } END { print sum + 0 }' "$1"
}

# Counts of all parts: in all, by what machines and programs have, and by shape.
sum_of_campaign() {
  awk '
    NR == 1 { print; next }
    /^part .*: / {
      parts++
      for (i = 6; i <= NF; i++) {
        split($i, word, "=")
        sum[word[1]] += word[2]
        if (word[1] == "circuits") {
          buffer = $5
          sub(":", "", buffer)
          by["dimension " $3] += word[2]
          by[$4 == "one" ? "one port" : $4 == "n" ? "n ports" : $4 " of n ports in use"] += word[2]
          if (buffer > 0) by["buffers of " buffer] += word[2]
        }
      }
    }
    END {
      printf "%d circuits of %d messages in %d programs, each on a random machine, in %d parts: no difference\n", sum["circuits"], sum["messages"], sum["programs"], parts
      printf "blocked on links: %d, on ports: %d; serialised: %d; control: %d; lost: %d; messages to oneself: %d\n", sum["link_blocked"], sum["port_blocked"], sum["serialised"], sum["control"], sum["lost"], sum["messages_to_oneself"]
      for (name in sum) if (name ~ /[.]|^accepts|^jitter|^few/) by[name] = sum[name]
      for (name in by) printf "  circuits, %s: %d\n", name, by[name] | "sort"
    }' "$1"
}

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A study on a Slurm of one node that lives as long as this test, and under mpirun: the same results as on this machine.
# slurm_test.sh PROGRAM STUDY
set -euo pipefail
program=$1
study=$2

for needed in slurmctld slurmd munged sbatch squeue mpirun sqlite3; do
  if ! command -v "$needed" >/dev/null; then
    printf '%s is missing: cmake/packages/install extra\n' "$needed"
    exit 1
  fi
done

# The name is short: a socket's path has at most 107 characters.
work=$(mktemp -d /tmp/slurm.XXXXXX)
started=()
cleanup() {
  local status=$?
  ((${#started[@]} == 0)) || kill "${started[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  if ((status != 0)); then tail -n 20 "$work"/*.log "$work"/sweep/logs/* 2>/dev/null || true; fi
  rm -rf -- "$work"
  exit "$status"
}
trap cleanup EXIT

mkdir -p "$work/state" "$work/spool"
head -c 1024 /dev/urandom >"$work/munge.key"
chmod 600 "$work/munge.key"
chmod 755 "$work"
munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
  --log-file="$work/munged.log" --seed-file="$work/munge.seed" --num-threads=2 &
started+=($!)

host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >"$work/slurm.conf" <<EOF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
export SLURM_CONF=$work/slurm.conf

# wait_for SECONDS WHAT COMMAND...
wait_for() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS > deadline)); then
      printf 'waited in vain for %s\n' "$what"
      exit 1
    fi
    sleep 0.2
  done
}

wait_for 20 "munge's socket" test -S "$work/munge.socket"
slurmctld -D -f "$work/slurm.conf" >"$work/slurmctld.out.log" 2>&1 &
started+=($!)
slurmd -D -f "$work/slurm.conf" -N "$host" >"$work/slurmd.out.log" 2>&1 &
started+=($!)
idle() { [[ $(sinfo -h -o %T) == idle ]]; }
wait_for 60 "an idle node" idle

results() { sqlite3 "$1/results.sqlite" "SELECT number, id, measured_cycles FROM results ORDER BY number"; }

"$program" sweep "$study" -o "$work/alone" --quiet
results "$work/alone" >"$work/expected"
[[ -s $work/expected ]]

printf '== an array of three tasks\n'
"$program" sweep submit "$study" -o "$work/sweep" --shards 3 --minutes 1 --directive=--partition=all
merged() { [[ -z $(squeue -h) ]] && [[ -e $work/sweep/results.sqlite ]]; }
wait_for 180 "the array and its merge" merged
results "$work/sweep" | diff - "$work/expected"
[[ $(find "$work/sweep" -name 'shard-*-of-3' | wc -l) == 3 ]]

printf '== a task by hand, its shard from the environment\n'
sbatch --wait --array=1-2 --output="$work/%a.log" --wrap "'$program' sweep '$study' -o '$work/by_hand' --quiet" >/dev/null
"$program" sweep merge "$work/by_hand"
results "$work/by_hand" | diff - "$work/expected"

printf '== two ranks under mpirun\n'
mpirun --allow-run-as-root --oversubscribe -n 2 "$program" sweep "$study" -o "$work/ranks" -j 1 --quiet
"$program" sweep merge "$work/ranks"
results "$work/ranks" | diff - "$work/expected"
[[ $(find "$work/ranks" -name 'shard-*-of-2' | wc -l) == 2 ]]

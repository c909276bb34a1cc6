#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The dashboard of `assay serve` in a real browser: tests/pages/check_dashboard.mjs over a store that real commands fill. A repository
# of twelve commits, whose seventh makes a simulated kernel 5 % slower, is measured at each of them; a gate decides at the last one; a
# result of 120 problems with names that are markup is imported. The first run has a profile beside it, of a GPU that is a stand-in
# (tests/fakes); a kernel is tuned. Called by run.sh: dashboard.sh MODULES. Exits 77 if
# this assay does not serve.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
assay=${ASSAY:-${here%/tests/pages}/build/default/assay}
modules=$1
commit_count=12 first_slow=7 problem=scale/fp32/n64
"$assay" serve --help >/dev/null 2>&1 || exit 77

export NO_COLOR=1 GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
unset ASSAY_STORE
work=$(mktemp -d) server=
trap '[ -n "$server" ] && kill "$server"; rm -rf "$work"' EXIT
cd "$work" || exit 70

manifest() { # MICROSECONDS
    cat <<Y
version: 1
devices:
  "sim:lab": {noise: {cv_pct: 0.8, ar1: 0.3}}
kernels:
  old: {operator: scale, backend: sim, sim: {base_us: 100}}
  new: {operator: scale, backend: sim, sim: {base_us: $1}}
  tuned:
    operator: scale
    backend: sim
    sim: {base_us: 100}
    tune:
      values: {BLOCK_M: [16, 32, 64], WARPS: [2, 4, 8]}
      effects:
        - {when: {BLOCK_M: 64}, sim: {slower_pct: -18}}
        - {when: {WARPS: 4}, sim: {slower_pct: -8}}
        - {when: {WARPS: 8}, sim: {slower_pct: -70, skips_work_at_launch: 1}}
suites:
  pr: {problems: {n64: scale/fp32/n64, n512: scale/fp32/n512, n4k: scale/fp32/n4096}}
  tiny: {problems: {t: scale/fp32/n17}}
gate: {suite: pr, check: tiny, candidate: new}
Y
}

# Runs are told apart by the second in which they began, so each of them gets one of its own.
measure() { # COMMAND...
    "$assay" "$@" --device sim:lab --quiet >command.log 2>&1 || [ $? -eq 1 ] || { cat command.log; exit 1; }
    sleep 1.1
}

profile() {
    local fakes
    fakes=$(dirname "$(readlink -f "$assay")")/tests/fakes
    cp "$fakes/libfake_cuda_attention.so" '<b>mine' &&
        ASSAY_CUDA_DRIVER=$fakes/libfake_cuda.so ASSAY_NVML=$fakes/libfake_nvml.so FAKE_NVML='' ASSAY_CUPTI=$fakes/libfake_cupti.so \
            FAKE_CUPTI='' ASSAY_FAKE_CUDA=call_ns=20000,l2_kib=64 "$assay" profile --device cuda:0 --profiler cupti --module '<b>mine' \
            --problem attention/fp32/b1/h2/s96/d32 >command.log 2>&1 || { cat command.log; exit 1; }
}

git init -q -b 'main-<b>' . && printf '%s\n' .assay/ runs/ '*.json' '*.log' artifacts/ '<b>mine' >.gitignore
for ((i = 1; i <= commit_count; ++i)); do
    manifest $((i < first_slow ? 100 : 105)) >assay.yaml
    echo "$i" >step
    git add -A && git commit -qm "step $i" || exit 70
    [ $i -gt 1 ] || profile
    measure bench --kernel new --suite pr --seed "$i"
done
measure gate --candidate new --baseline old --output gate.json
measure tune --kernel tuned --suite pr --strategy exhaustive
python3 "$here/made_names.py" gate.json 120 names.json
python3 - "$(git rev-parse "HEAD~$((commit_count - first_slow + 1))")" \
    "$(git rev-parse "HEAD~$((commit_count - first_slow))")" "$problem" <<'P'
import json, sys
before, after, problem = sys.argv[1:]
with open("names.json", encoding="utf-8") as file:
    result = json.load(file)
result["run_id"] += "names"  # a run of its own
result["environment"]["metric"] = "constructor"  # what an object answers to by itself
with open("names.json", "w", encoding="utf-8") as file:
    json.dump(result, file)
with open("expected.json", "w", encoding="utf-8") as file:
    json.dump({"problem": problem, "side": "new", "commit_before": before, "commit_after": after, "change_pct": 5,
               "names": [side["label"] for side in result["sides"]] + [result["suite"], "main-<b>"]}, file)
P
"$assay" history import names.json >command.log 2>&1 || { cat command.log; exit 1; }

: >serve.log
"$assay" serve --port 0 >>serve.log 2>&1 &
server=$!
for ((i = 0; i < 100; ++i)); do
    address=$(grep -om1 'http://127.0.0.1:[0-9]*' serve.log) && break
    sleep 0.1
done
[ -n "$address" ] || { cat serve.log; exit 1; }
shots=()
[ -n "${ASSAY_PAGES_SHOTS:-}" ] && mkdir -p "$ASSAY_PAGES_SHOTS/dashboard" && shots=("$ASSAY_PAGES_SHOTS/dashboard")
node "$here/check_dashboard.mjs" "$modules" "$address" expected.json "${shots[@]}" || { tail -5 serve.log; exit 1; }

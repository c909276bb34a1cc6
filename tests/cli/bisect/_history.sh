# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: a repository whose kernel is a script for sim:steady, with a history of commits. Every commit has another script,
# so that no two are the same machine code.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
script() { # $1: microseconds; $2: further keys
    sed -i "s/sim: {base_us: .*}}/sim: {base_us: $1${2:+, $2}}}/" assay.yaml
}
# history COUNT CULPRIT [PCT]: tag good, then commits 1 to COUNT; from CULPRIT on PCT (6) per cent slower.
history() {
    local i
    sim_project
    git tag good
    for i in $(seq "$1"); do
        script "$((100 + (i >= $2 ? ${3:-6} : 0))).$(printf %03d "$i")" "$(eval echo "\${extra_$i:-}")"
        git commit -qam "commit $i"
        git tag "c$i"
    done
}
bisect() { assay bisect --device sim:steady --problem scale/fp32/n64 "$@"; }
bisect_report() { report_of bisect --device sim:steady --problem scale/fp32/n64 "$@"; }
# What is not the same in every run: ids, times, folders, figures (what is drawn follows from the ids, too).
plain() { sed -E 's/[0-9a-f]{10,12}/<commit>/g; s/ +[0-9.]+ (ms|s|min)( [0-9]+ s)?( |$)/ <time>\3/g; s/20[0-9]{2}-[0-9]{2}-[0-9]{2}/<day>/g; s/[0-9]{8}-[0-9]{6}-bisect-[0-9a-f]{4}/<run>/; s/-{40,}/---/; s/[0-9]+\.[0-9] % (slower|faster|sure)/<figure> \1/g'; }

# What `assay init --github` and `--gitlab` watch is every file that decides a kernel: beside its source, on the include path, named by a
# flag, or anything where an own build does not say. The patterns are put to git, as the workflow does.
git init -q .
mkdir -p csrc/deep kernels/common kernels/attention include docs build
touch Makefile top.c top.h exports.map csrc/a.c csrc/deep/b.h kernels/common/c.h kernels/attention/x.c include/i.h docs/page.md build/fa.so
git add -A
watched() { # the kernel, as the manifest has it
    rm -rf .github .gitlab
    printf 'version: 1\nkernels:\n  mine: {operator: attention, %s}\n' "$1" >assay.yaml
    assay init --github >/dev/null && assay init --gitlab >/dev/null || exit
    sed -n '/WATCHED: |/,/run: |/p' .github/workflows/assay.yml | sed '1d;$d;s/^ *//' >patterns
    echo "$1"
    echo "  watches $(paste -sd' ' patterns)"
    sed -n 's/^ *changes: /  GitLab  /p' .gitlab/assay.yml | sort -u
    echo "  not $(git ls-files | grep -vxFf <(sed 's/^/:(glob)/' patterns | xargs -d '\n' git ls-files --) | paste -sd' ')"
}
watched 'build: {run: make fa.so, output: build/fa.so}'
watched 'build: {run: make fa.so, output: build/fa.so, inputs: [Makefile, "csrc/**"]}'
watched 'source: kernels/attention/x.c'
watched 'source: csrc/a.c'
watched 'source: ./csrc/a.c, flags: [-Iinclude, "-Wl,--version-script=exports.map", -DDOCS=none]'
watched 'source: top.c'
watched 'library: build/fa.so'

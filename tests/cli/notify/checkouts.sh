# Checkouts of one project at several paths, whose origin is written in several ways, share the memory beside the store: a regression is told
# once. A manifest in a folder of the same repository, another repository, and a checkout without origin have memories of their own.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
export ASSAY_STORE=$PWD/../store/history.db
mkdir -p sub && cp assay.yaml sub/
notify_by '{webhook: json}'
cp assay.yaml sub/ && git add sub && git commit -qm "a second manifest"
slower
sim_gate >../report.txt 2>../err.txt
result=$PWD/$(ls -d runs/*/result.json)
git checkout -q assay.yaml
got "without origin"
tell_from() { # NAME ORIGIN [FOLDER]
    git clone -q . "../$1"
    git -C "../$1" remote set-url origin "$2"
    (cd "../$1/${3:-.}" && assay notify "$result" --branch main)
    got "$1"
}
tell_from first https://token-1@host.example/team/kernels.git
tell_from second https://user:token-2@host.example/team/kernels
tell_from third ssh://git@host.example/team/kernels.git/
tell_from folder https://host.example/team/kernels.git sub
tell_from fork https://host.example/other/kernels.git
git remote add origin https://host.example/team/kernels
assay notify "$result"
got "with origin"
ls ../store/notify-*.json | wc -l

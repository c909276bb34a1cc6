# `gate --github`: the comment is created, then updated in place behind 130 of others; annotations, outputs and summary.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
sim_project
fake_host
github_job
sed -i 's/base_us: 100/base_us: 108/' assay.yaml
sim_gate --github 2>&1 >../report.txt | grep '^::'
echo "slower: ${PIPESTATUS[0]}"
said
cat ../output | sed 's/^run=.*/run=RUN/'
grep -c regression ../summary.md
sed -i 's/base_us: 108/base_us: 100/' assay.yaml
sim_gate --github --measure-same >../report.txt 2>../err.txt
echo "as before: $?"
said | tail -3
grep -h secret -r ../report.txt ../err.txt runs ../summary.md ../output | wc -l

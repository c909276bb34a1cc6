# long: real gates; repeats the paths of others
# The commands of docs/tutorial.md, in an empty folder, print what the page shows.
export GIT_AUTHOR_NAME=tester GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=tester GIT_COMMITTER_EMAIL=t@example.org
python3 "$ASSAY_SOURCE/tests/cli/docs/_page.py" "$ASSAY_SOURCE/docs/tutorial.md"

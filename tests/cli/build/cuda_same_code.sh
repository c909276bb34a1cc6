# slow with sanitizers: others take its branches, most of them publish/init_files, build/cuda_arch and policy/two_devices
# A gate against a revision that differs in a comment: the same machine code, decided without a GPU.
. "$ASSAY_SOURCE/tests/cli/build/_cuda.sh"
git init -q -b main . && git config user.email t@example.org && git config user.name tester
git add assay.yaml csrc && git commit -qm first
sed -i '1i // another comment\n\n' csrc/tiny.cu
assay gate --device cuda:0 --arch sm_80 --candidate tiny --baseline git:HEAD >gate.txt || exit 8
wants gate.txt "*[Ss]ame machine code*"
echo "as it should be"

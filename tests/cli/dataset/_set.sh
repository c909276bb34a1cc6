# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: $set has a miniature of FlashInfer Trace's form in trace/ and of SOL-ExecBench's in sol/.
set=$ASSAY_SOURCE/tests/cli/dataset/_set
export XDG_CACHE_HOME=$PWD/cache
short() { sed "s|$set|SET|g; s|$PWD|HERE|g"; }
# What an error says, and the code.
says() { assay "$@" >out 2>err; echo "$?: $(sed 's/^assay: error: //' err | grep -v '^note' | short)"; }

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Writes the manual pages and completions of a built program, from its own help: scripts/help_pages.sh PROGRAM FOLDER
set -eu
program=$1 folder=$2
mkdir -p "$folder/man1"
"$program" --help-as man >"$folder/man1/assay.1"
"$program" --help-as bash >"$folder/assay.bash"
"$program" --help-as zsh >"$folder/_assay"
for name in $("$program" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'); do
    [ "$name" = assay ] || "$program" "$name" --help-as man >"$folder/man1/assay-$name.1"
done

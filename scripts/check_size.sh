#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks sizes: functions have at most 80 lines and 6 parameters (device code: 250 lines), files at most 600 lines.
# Relies on clang-format's layout: a definition starts in column 0 and ends with a brace in column 0.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70

# Kernels that stand for an outsider's have the parameters of their operator.
mapfile -t files < <(find src kernels include peers tests bench -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | grep -v /_variants/ | sort)
awk '
function complain(text) { print text; failures++ }
# Top-level commas of the parameter list, which starts at the first parenthesis that follows a name.
function parameter_count(signature,    i, c, depth, count, text) {
    gsub(/__attribute__ *\(\([^;]*\)\)/, "", signature)
    i = index(signature, "(")
    depth = 0; count = 1; text = ""
    for (; i <= length(signature); i++) {
        c = substr(signature, i, 1)
        if (c == "(") depth++
        if (c == ")" && --depth == 0) break
        if (c == "," && depth == 1) count++
        if (depth >= 1 && c != "(") text = text c
    }
    gsub(/[ \t]/, "", text)
    return text == "" || text == "void" ? 0 : count
}
function end_file() {
    if (lines > 600) complain(file ": " lines " lines; the limit is 600: split it by what it is about")
}
FNR == 1 {
    if (file != "") end_file()
    file = FILENAME; in_body = 0; signature = ""
    limit = file ~ /\.cuh?$/ ? 250 : 80
}
{ lines = FNR }
in_body {
    if ($0 !~ /^}/) next
    count = FNR - start + 1
    if (name != "" && count > limit) complain(file ":" start ": " name " has " count " lines; the limit is " limit)
    in_body = 0; signature = ""
    next
}
# Neither the start nor the continuation of a definition.
signature == "" && !/^[A-Za-z_]/ { next }
/^#/ || /^\/\// { next }
{
    if (signature == "") start = FNR
    signature = signature " " $0
    if ($0 ~ /;[ \t]*(\/\/.*)?$/ || $0 ~ /}[ \t]*$/) { signature = ""; next }
    if ($0 !~ /{[ \t]*(\/\/.*)?$/) next
    # Everything but a function (types, tables) has no name here and no limit.
    name = ""
    if (signature ~ /\)[^=]*{[ \t]*(\/\/.*)?$/ && signature !~ /=/) {
        name = signature
        sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
        count = parameter_count(signature)
        # A callback has the parameters that its library gives it.
        if (count > 6 && signature !~ /struct MHD_Connection \*/) complain(file ":" start ": " name " has " count " parameters; the limit is 6: use a struct")
    }
    in_body = signature !~ /extern "C"/
    if (!in_body) signature = ""
}
END {
    end_file()
    if (failures) { print "check_size: " failures " over the limits"; exit 1 }
    print "check_size: functions, parameters and files are within the limits"
}' "${files[@]}"

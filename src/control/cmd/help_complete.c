// SPDX-License-Identifier: Apache-2.0
//
// Completions. A command's part holds its options; the end is a function that looks them up. Names of
// kernels, peers and suites are asked of the program when they are completed.
#include <string.h>

#include "base/mem.h"
#include "control/cmd/help_forms_internal.h"

static bool is_lower_word(const char *text, size_t length) {
    return length && strspn(text, "abcdefghijklmnopqrstuvwxyz_") >= length;
}

// What the value of an option may be: its words, "@kernels" for what `assay list kernels` shows, or nothing
// for a file or anything.
static void add_values(struct strbuf *out, const struct option *option) {
    static const struct {
        const char *value_name, *list;
    } lists[] = {{"KERNEL", "@kernels"}, {"PEERS", "@peers"}, {"SUITE", "@suites"}};
    const char *name = str_or(option->value_name, "");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        if (str_equal(name, lists[i].value_name)) strbuf_add(out, lists[i].list);
    if (!strchr(name, '|')) return;
    for (size_t length; *name; name += length + (name[length] == '|')) {
        length = strcspn(name, "|");
        if (!is_lower_word(name, length)) continue; // "MHz"
        if (out->length) strbuf_add_char(out, ' ');
        strbuf_add_bytes(out, name, length);
    }
}

// The words that may follow the command, as its usage says: "[list|show] ..." or "import FILE".
static void add_words(struct strbuf *out, const struct help_page *page) {
    const size_t skipped = strlen("assay ") + strlen(page->name) + 1;
    for (const char *line = page->usage; line; line = strchr(line, '\n')) {
        line += strspn(line, "\n ");
        if (strcspn(line, "\n") <= skipped) continue;
        const char *word = line + skipped;
        word += *word == '[';
        for (size_t length; is_lower_word(word, length = strcspn(word, "|] \n")); word += length + 1) {
            if (out->length) strbuf_add_char(out, ' ');
            strbuf_add_bytes(out, word, length);
            if (word[length] != '|') break;
        }
    }
}

void help_bash_command(const struct help_page *page, const struct option_table *table, struct strbuf *out) {
    struct strbuf words = {0};
    add_words(&words, page);
    strbuf_addf(out, "_assay_words_%s='%s'\n_assay_options_%s='", page->name, strbuf_text(&words),
                page->name);
    for (size_t i = 0; i < table->count; ++i)
        if (table->items[i].help)
            strbuf_addf(out, "--%s%s ", table->items[i].name, table->items[i].value_name ? "=" : "");
    strbuf_addf(out, "'\n_assay_values_%s='", page->name);
    for (size_t i = 0; i < table->count; ++i) {
        struct strbuf values = {0};
        add_values(&values, &table->items[i]);
        if (values.length) strbuf_addf(out, "\n--%s %s", table->items[i].name, values.text);
        strbuf_fini(&values);
    }
    strbuf_add(out, "'\n");
    strbuf_fini(&words);
}

// Options that take a value carry a "=" in the tables; what they take stands on a line of its own, words or
// "@LIST".
static const char bash_function[] =
    "_assay_names() { command assay list \"$1\" --color never 2>/dev/null | cut -d ' ' -f 1; }\n"
    "_assay_values() {\n"
    "    local table=\"_assay_values_$1\" words\n"
    "    words=$(sed -n \"s/^$2 //p\" <<<\"${!table:-}\")\n"
    "    case $words in @*) _assay_names \"${words#@}\" ;; *) echo \"$words\" ;; esac\n"
    "}\n"
    "_assay() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} word option command known before\n"
    "    local -a words\n"
    "    read -ra words <<<\"$line\"\n"
    "    word=${line##*[[:space:]]}\n"
    "    [ -n \"$word\" ] && unset 'words[-1]'\n"
    "    option=${words[-1]} command=${words[1]:-}\n"
    "    COMPREPLY=()\n"
    "    if [ ${#words[@]} -lt 2 ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$_assay_commands --help --version\" -- \"$word\")\n"
    "        return\n"
    "    fi\n"
    "    case $word in --*=*) option=${word%%=*} word=${word#*=} ;; esac\n"
    "    known=\"_assay_options_$command\" before=\"_assay_words_$command\"\n"
    "    case \" ${!known:-} \" in\n"
    "        *\" $option= \"*) mapfile -t COMPREPLY < <(compgen -W "
    "\"$(_assay_values \"$command\" \"$option\")\" -- \"$word\") ;;\n"
    "        *) [[ $word == -* ]] && before=$known\n"
    "            mapfile -t COMPREPLY < <(compgen -W \"$(tr -d = <<<\"${!before:-}\")\" -- \"$word\") ;;\n"
    "    esac\n"
    "    local shown=${word%\"${word##*:}\"} # readline completes what stands behind a colon\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$shown\"}\")\n"
    "}\n"
    "complete -o default -F _assay assay\n";

void help_bash_program(const struct help_pages *pages, struct strbuf *out) {
    strbuf_add(out, "_assay_commands='");
    for (size_t i = 0; i < pages->count; ++i)
        if (!pages->items[i].is_hidden) strbuf_addf(out, "%s ", pages->items[i].name);
    strbuf_add(out, "'\n");
    strbuf_add(out, bash_function);
}

// Help text in a specification of zsh: in quotes, with its own marks escaped.
static void add_zsh_text(struct strbuf *out, const char *text) {
    for (; *text; ++text) {
        if (*text == '\'') {
            strbuf_add(out, "'\\''");
            continue;
        }
        if (strchr("[]:\\", *text)) strbuf_add_char(out, '\\');
        strbuf_add_char(out, *text);
    }
}

static void add_zsh_value(struct strbuf *out, const struct option *option) {
    strbuf_add_char(out, ':');
    add_zsh_text(out, option->value_name);
    struct strbuf values = {0};
    add_values(&values, option);
    if (*strbuf_text(&values) == '@')
        strbuf_addf(out, ":{_assay_names %s}", values.text + 1);
    else if (values.length)
        strbuf_addf(out, ":(%s)", values.text);
    else
        strbuf_add(out, ":_files");
    strbuf_fini(&values);
}

void help_zsh_command(const struct help_page *page, const struct option_table *table, struct strbuf *out) {
    struct strbuf words = {0};
    add_words(&words, page);
    strbuf_addf(out, "_assay_%s() {\n    _arguments \\\n", page->name);
    for (size_t i = 0; i < table->count; ++i) {
        const struct option *option = &table->items[i];
        if (!option->help) continue;
        strbuf_addf(out, "        '--%s%s[", option->name, option->value_name ? "=" : "");
        add_zsh_text(out, option->help);
        strbuf_add_char(out, ']');
        if (option->value_name) add_zsh_value(out, option);
        strbuf_add(out, "' \\\n");
    }
    if (words.length) strbuf_addf(out, "        '1: :(%s)' \\\n", strbuf_text(&words));
    strbuf_add(out, "        '*: :_files'\n}\n");
    strbuf_fini(&words);
}

void help_zsh_program(const struct help_pages *pages, struct strbuf *out) {
    strbuf_add(out,
               "_assay_names() {\n"
               "    local -a names=(${(f)\"$(command assay list $1 --color never 2>/dev/null | cut -d ' ' -f "
               "1)\"})\n"
               "    compadd -- $names\n}\n"
               "_assay() {\n    local -a commands=(\n");
    for (size_t i = 0; i < pages->count; ++i) {
        if (pages->items[i].is_hidden) continue;
        strbuf_addf(out, "        '%s:", pages->items[i].name);
        add_zsh_text(out, pages->items[i].summary);
        strbuf_add(out, "'\n");
    }
    strbuf_add(out, "    )\n"
                    "    if (( CURRENT == 2 )); then\n"
                    "        _describe command commands\n"
                    "    else\n"
                    "        shift words\n"
                    "        (( CURRENT-- ))\n"
                    "        (( $+functions[_assay_$words[1]] )) && _assay_$words[1]\n"
                    "    fi\n"
                    "}\n"
                    "_assay \"$@\"\n");
}

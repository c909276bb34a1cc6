// SPDX-License-Identifier: Apache-2.0
//
// See tune_proposer.h.
#include "control/flow/tune/tune_proposer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/proc.h"
#include "control/compile/confined_command.h"
#include "control/flow/tune/tune_question.h"
#include "control/tune/unified_patch.h"

#define PROPOSALS_DIR    "proposals"
#define LIMIT_NS_DEFAULT UINT64_C(120000000000)
#define PROMPT_BYTES_MAX ((size_t)1 << 20)
#define BUILD_BYTES_MAX  ((uint64_t)4 << 30) // of a compiler's process, where the manifest has no limit
#define FOLDERS_MAX      8                   // of programs that the command names

enum { HEAT_PROPOSALS = 3, USELESS_IN_A_ROW_MAX = 5 };

// ---- opening ----

static int check_request(const struct tune *tune, struct err *err) {
    if (tune->session.options.sampling.isolation != ISOLATION_PROCESS)
        return err_set(
            err, ERR_USAGE,
            "--proposer: what a program wrote is not run without isolation; leave out --isolation");
    if (tune->is_trial)
        return err_set(err, ERR_USAGE,
                       "--try measures one variant that is there, --proposer asks for others: give one");
    return 0;
}

static uint64_t memory_limit(const struct tune *tune) {
    return run_limits_memory_bytes(&tune->session.manifest.limits);
}

int tune_proposer_open(struct tune *tune, const struct tune_proposer_request *request, struct err *err) {
    struct arena *arena = &tune->record.arena;
    char *prompt = NULL;
    if (!request->command) {
        if (!request->prompt_path && !request->limit_ns && !request->has_network) return 0;
        return err_set(err, ERR_USAGE,
                       "--prompt, --proposer-time and --proposer-network are for a proposer: name "
                       "it with --proposer");
    }
    TRY(check_request(tune, err));
    if (request->prompt_path) TRY(file_read(request->prompt_path, PROMPT_BYTES_MAX, &prompt, NULL, err));
    const uint64_t limit_ns = request->limit_ns ? request->limit_ns : LIMIT_NS_DEFAULT;
    const uint64_t memory_bytes = memory_limit(tune) ? memory_limit(tune) : BUILD_BYTES_MAX;
    tune->proposer =
        (struct tune_proposer){.command = request->command,
                               .prompt = arena_strdup(arena, prompt),
                               .limit_ns = limit_ns,
                               .has_network = request->has_network,
                               .build_limits = {.memory_bytes = memory_bytes, .limit_ns = limit_ns}};
    tune->record.proposer = arena_strdup(arena, request->command);
    free(prompt);
    return 0;
}

// ---- running it ----

struct answer {
    struct proc_status status;
    struct strbuf out, said; // standard output and error
};

static char *path_of(const struct tune *tune, const char *name) {
    char *dir = path_join(tune->dir, PROPOSALS_DIR), *path = path_join(dir, name);
    free(dir);
    return path;
}

// What may be read for a word of the command: the folder that it names, or that its file is in. NULL: it is
// no path, or that is the whole disk. The caller frees.
static char *find_folder(const char *root, const char *word) {
    char *path = path_join(root, word), *dir = NULL;
    if (strchr(word, '/') && file_exists(path)) dir = file_is_dir(path) ? mem_strdup(path) : path_dir(path);
    char *whole = dir ? realpath(dir, NULL) : NULL;
    free(path);
    free(dir);
    if (!str_equal(whole, "/")) return whole;
    free(whole);
    return NULL;
}

// Folders of the command's words. Texts are the arena's.
static size_t find_folders(const struct tune *tune, const char *command, struct arena *arena,
                           const char **ret) {
    size_t count = 0;
    char *copy = mem_strdup(command), *rest = NULL;
    for (char *word = strtok_r(copy, " \t\n'\"", &rest); word && count < FOLDERS_MAX;
         word = strtok_r(NULL, " \t\n'\"", &rest)) {
        char *folder = find_folder(tune->session.manifest.dir, word);
        if (folder) ret[count++] = arena_strdup(arena, folder);
        free(folder);
    }
    free(copy);
    return count;
}

static int run_program(const struct tune *tune, const char *command, const struct strbuf *question,
                       struct answer *ret, struct err *err) {
    const struct tune_proposer *proposer = &tune->proposer;
    struct arena arena = {0};
    const char *const program[] = {"/bin/sh", "-c", command, NULL};
    const char *folders[FOLDERS_MAX + 1] = {tune->session.manifest.dir};
    char *scratch = path_of(tune, "scratch"), *whole = path_absolute(scratch);
    const struct confinement confinement = {.scratch_dir = whole,
                                            .read_paths = folders,
                                            .read_path_count =
                                                1 + find_folders(tune, command, &arena, folders + 1),
                                            .has_network = proposer->has_network};
    const struct proc_spec spec = {.argv = confined_command(&confinement, program, &arena),
                                   .dir = tune->session.manifest.dir,
                                   .starts_others = true,
                                   .stdin_text = question ? strbuf_text(question) : NULL,
                                   .stdin_length = question ? question->length : 0,
                                   .timeout_ns = proposer->limit_ns,
                                   .output_limit_bytes =
                                       PROPOSAL_BYTES_MAX + 1, // one more shows that it is too much
                                   .memory_limit_bytes = memory_limit(tune)};
    int code = file_make_dirs(whole, err);
    if (code == 0) code = proc_run_split(&spec, &ret->status, &ret->out, &ret->said, err);
    free(scratch);
    free(whole);
    arena_fini(&arena);
    return code;
}

static void answer_fini(struct answer *answer) {
    strbuf_fini(&answer->out);
    strbuf_fini(&answer->said);
}

// The last line that is not empty: of an interpreter's message the one that says what is wrong.
static const char *last_line(const char *text, struct arena *arena) {
    size_t end = strlen(text);
    while (end && strchr(" \t\r\n", text[end - 1])) --end;
    size_t begin = end;
    while (begin && text[begin - 1] != '\n') --begin;
    return arena_strndup(arena, text + begin, end - begin);
}

static const char *describe_end(const struct answer *answer, struct arena *arena) {
    struct strbuf text = {0};
    const char *said = last_line(strbuf_text(&answer->said), arena);
    proc_status_format(&answer->status, &text);
    const bool is_active = answer->status.end == PROC_EXITED || answer->status.end == PROC_TIMEOUT;
    const char *ret = arena_format(arena, "it %s%s%s%s", is_active ? "" : "was ", strbuf_text(&text),
                                   *said ? ": " : "", said);
    strbuf_fini(&text);
    return ret;
}

static bool has_ended_well(const struct answer *answer) {
    return answer->status.end == PROC_EXITED && answer->status.exit_code == 0;
}

int tune_proposer_probe(const struct tune *tune, struct err *err) {
    struct answer answer = {0};
    struct arena arena = {0};
    int code = run_program(tune, ":", NULL, &answer, err);
    if (code == 0 && !has_ended_well(&answer))
        code = err_set(err, ERR_UNAVAILABLE, "a proposer cannot be confined here: %s",
                       describe_end(&answer, &arena));
    answer_fini(&answer);
    arena_fini(&arena);
    return code;
}

// ---- from an answer to a variant ----

// The settings that it asked for.
static int read_config(const struct tune *tune, const char *config, struct tune_point *ret, struct err *err) {
    *ret = tune_space_start(&tune->space);
    if (!config) return 0;
    if (!tune_point_parse(&tune->space, config, ret))
        return err_set(err, ERR_DATA, "its settings '%s' are not in the space", config);
    const char *rule = tune_space_find_broken(&tune->space, ret);
    return rule ? err_set(err, ERR_DATA, "its settings '%s' break the rule '%s'", config, rule) : 0;
}

static int make_source(const struct tune *tune, const struct proposal_text *text, struct strbuf *ret,
                       struct err *err) {
    char *base;
    if (!tune->kernel->source)
        return err_set(err, ERR_DATA,
                       "it printed a source, but the kernel is a script: only settings can change");
    if (text->form == PROPOSAL_SOURCE) {
        strbuf_add(ret, text->body);
        return 0;
    }
    TRY(tune_source_read(tune, tune_best_source(tune), &base, err));
    const int code = unified_patch_apply(base, text->body, ret, err);
    free(base);
    if (code < 0 || ret->length <= TUNE_SOURCE_BYTES_MAX) return code;
    return err_set(err, ERR_DATA, "its patch makes a source of more than %zu KiB",
                   TUNE_SOURCE_BYTES_MAX >> 10);
}

// The variant with this text: 0 for the manifest's, an earlier proposal's number, or its own.
static int find_source(const struct tune *tune, const char *text, uint32_t own, uint32_t *ret,
                       struct err *err) {
    *ret = own;
    for (uint32_t number = 0; number < own && *ret == own; ++number) {
        char *other;
        if (number && !tune->record.proposals[number - 1].source_file) continue;
        TRY(tune_source_read(tune, number, &other, err));
        if (str_equal(other, text)) *ret = number;
        free(other);
    }
    return 0;
}

static int write_source(struct tune *tune, const struct strbuf *source, struct tune_proposal *proposal,
                        struct err *err) {
    const char *suffix = strrchr(path_base(tune->kernel->source), '.');
    const char *name = arena_format(&tune->record.arena, PROPOSALS_DIR "/%03u%s", (unsigned)proposal->number,
                                    str_or(suffix, ""));
    char *path = path_join(tune->dir, name);
    const int code = file_write_atomic(path, strbuf_text(source), source->length, err);
    free(path);
    if (code == 0) proposal->source_file = name;
    return code;
}

// The proposal that became this variant; NULL: none did.
static const struct tune_proposal *find_variant(const struct tune_record *record, const char *variant) {
    for (size_t i = 0; i < record->proposal_count; ++i)
        if (str_equal(record->proposals[i].variant, variant)) return &record->proposals[i];
    return NULL;
}

static void name_variant(struct tune *tune, const struct tune_point *point, struct tune_proposal *proposal) {
    const struct tune_point start = tune_space_start(&tune->space);
    const char *variant = tune_point_text(&tune->space, point, &tune->record.arena);
    const struct tune_proposal *earlier = find_variant(&tune->record, variant);
    const bool is_baseline = tune->space.is_start_exact && tune_point_is_equal(point, &start);
    if (!earlier && !is_baseline) {
        proposal->answer = TUNE_ANSWER_TAKEN;
        proposal->variant = variant;
        return;
    }
    proposal->answer = TUNE_ANSWER_REPEATED;
    proposal->reason =
        earlier ? arena_format(&tune->record.arena, "the same as proposal %u", (unsigned)earlier->number)
                : "the same as the baseline";
}

// ERR_DATA: it is of no use.
static int take(struct tune *tune, const struct proposal_text *text, struct tune_proposal *proposal,
                struct err *err) {
    struct tune_point point;
    struct strbuf source = {0};
    int code = read_config(tune, text->config, &point, err);
    if (code == 0 && text->form != PROPOSAL_SETTINGS) {
        code = make_source(tune, text, &source, err);
        if (code == 0) code = find_source(tune, strbuf_text(&source), proposal->number, &point.source, err);
        if (code == 0 && point.source == proposal->number) code = write_source(tune, &source, proposal, err);
    }
    if (code == 0) name_variant(tune, &point, proposal);
    strbuf_fini(&source);
    return code;
}

static int read_answer(struct tune *tune, const struct answer *answer, struct tune_proposal *proposal,
                       struct err *err) {
    struct arena *arena = &tune->record.arena;
    struct proposal_text text;
    struct err why = {0};
    proposal->wall_s = 1e-9 * (double)answer->status.wall_ns;
    if (!has_ended_well(answer)) {
        proposal->answer = answer->status.end == PROC_TIMEOUT ? TUNE_ANSWER_TIMEOUT : TUNE_ANSWER_FAILED;
        proposal->reason = describe_end(answer, arena);
        return 0;
    }
    int code = proposal_text_parse(strbuf_text(&answer->out), answer->out.length, arena, &text, &why);
    if (code == 0) {
        proposal->prediction = text.prediction;
        proposal->config = text.config;
        code = take(tune, &text, proposal, &why);
    }
    if (code < 0 && code != -ERR_DATA) return err_set(err, why.code, "%s", why.text);
    if (code < 0) {
        proposal->answer = TUNE_ANSWER_REFUSED;
        proposal->reason = arena_strdup(arena, why.text);
    }
    return 0;
}

// ---- asking ----

// Its answer as printed, then what came of it: that one is looked for when a tuning is resumed.
static int keep(const struct tune *tune, const struct answer *answer, const struct tune_proposal *proposal,
                const char *path, struct err *err) {
    char name[32];
    snprintf(name, sizeof name, "%03u.txt", (unsigned)proposal->number);
    char *printed = path_of(tune, name);
    int code = file_write_atomic(printed, strbuf_text(&answer->out), answer->out.length, err);
    if (code == 0) code = tune_proposal_write_file(proposal, path, err);
    free(printed);
    return code;
}

static int ask_anew(struct tune *tune, const char *path, struct tune_proposal *proposal, struct err *err) {
    struct strbuf question = {0};
    struct answer answer = {0};
    int code = tune_question_write(tune, proposal->number, &question, err);
    if (code == 0) code = run_program(tune, tune->proposer.command, &question, &answer, err);
    if (code == -ERR_CANCELLED)
        err_set(err, ERR_CANCELLED,
                "interrupted while the proposer ran; the same command with --resume %s goes on",
                path_base(tune->dir));
    if (code == 0) code = read_answer(tune, &answer, proposal, err);
    if (code == 0) code = keep(tune, &answer, proposal, path, err);
    strbuf_fini(&question);
    answer_fini(&answer);
    return code;
}

// An answer of an earlier run.
static int read_kept(const char *path, uint32_t number, struct arena *arena, struct tune_proposal *ret,
                     struct err *err) {
    TRY(tune_proposal_read_file(path, arena, ret, err));
    if (ret->number == number && (ret->answer != TUNE_ANSWER_TAKEN || ret->variant)) return 0;
    return err_set(err, ERR_DATA, "'%s' is not proposal %u; the file was changed: remove it, to ask again",
                   path, (unsigned)number);
}

// What comes of the next answer, as a file. The caller frees.
static char *next_path(const struct tune *tune) {
    char name[32];
    snprintf(name, sizeof name, "%03zu.json", tune->record.proposal_count + 1);
    return path_of(tune, name);
}

static bool is_next_kept(const struct tune *tune) {
    char *path = next_path(tune);
    const bool ret = file_exists(path);
    free(path);
    return ret;
}

// The next answer, an earlier run's or a new one, joins the record.
static int ask(struct tune *tune, struct err *err) {
    struct tune_record *record = &tune->record;
    const uint32_t number = (uint32_t)record->proposal_count + 1;
    struct tune_proposal proposal = {.number = number};
    char *path = next_path(tune);
    const int code = file_exists(path) ? read_kept(path, number, &record->arena, &proposal, err)
                                       : ask_anew(tune, path, &proposal, err);
    free(path);
    if (code < 0) return code;
    MEM_GROW(record->proposals, record->proposal_capacity, record->proposal_count + 1);
    record->proposals[record->proposal_count++] = proposal;
    if (tune->callbacks.on_proposal) tune->callbacks.on_proposal(tune->callbacks.arg, &proposal);
    return 0;
}

// The point of an answer that was taken, by the name of its variant.
static int point_of(const struct tune *tune, const struct tune_proposal *proposal, struct tune_point *ret,
                    struct err *err) {
    static const char prefix[] = "proposal=";
    TRY(read_config(tune, proposal->config, ret, err));
    if (str_starts(proposal->variant, prefix))
        ret->source = (uint32_t)strtoul(proposal->variant + sizeof prefix - 1, NULL, 10);
    const bool is_there = !ret->source || (ret->source <= proposal->number &&
                                           tune->record.proposals[ret->source - 1].source_file);
    struct arena arena = {0};
    const bool is_named = str_equal(tune_point_text(&tune->space, ret, &arena), proposal->variant);
    arena_fini(&arena);
    if (is_there && is_named) return 0;
    return err_set(err, ERR_DATA, "proposal %u names %s; its file was changed: remove it, to ask again",
                   (unsigned)proposal->number,
                   is_there ? "a variant that is not its own" : "a source that is not there");
}

static size_t useless_in_a_row(const struct tune_record *record) {
    size_t count = 0;
    while (count < record->proposal_count &&
           record->proposals[record->proposal_count - 1 - count].answer != TUNE_ANSWER_TAKEN)
        ++count;
    return count;
}

static bool is_over(const struct tune *tune) {
    return tune->deadline_ns && clock_ns() > tune->deadline_ns;
}

int tune_proposer_ask(struct tune *tune, size_t limit, struct tune_point *ret, size_t *ret_count,
                      struct err *err) {
    struct tune_record *record = &tune->record;
    const size_t wanted = limit < HEAT_PROPOSALS ? limit : HEAT_PROPOSALS;
    *ret_count = 0;
    if (tune->contest.search.idle_count >= TUNE_BATCHES_WITHOUT_GAIN) return 0;
    while (*ret_count < wanted && useless_in_a_row(record) < USELESS_IN_A_ROW_MAX) {
        const bool is_new = !is_next_kept(tune); // else its heat may have begun, and goes on however late
        TRY(ask(tune, err));
        const struct tune_proposal *proposal = &record->proposals[record->proposal_count - 1];
        if (proposal->answer == TUNE_ANSWER_TAKEN) TRY(point_of(tune, proposal, &ret[(*ret_count)++], err));
        if (is_new && is_over(tune)) {
            *ret_count = 0; // the answers are on disk, for --resume
            return 0;
        }
    }
    return 0;
}

int tune_proposer_recall(struct tune *tune, struct err *err) {
    while (is_next_kept(tune)) TRY(ask(tune, err));
    return 0;
}

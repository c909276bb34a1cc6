// SPDX-License-Identifier: Apache-2.0
//
// Folds records into a result in order of arrival; replaying a journal gives the same result.
// result_file.c writes and reads it, verdict/ decides on it.
#include "record/result.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { WARNINGS_MAX = 1000, ROUNDS_MAX = 1 << 16 };

const char *const side_role_names[SIDE_COUNT] = {[SIDE_INVALID] = "invalid",
                                                 [SIDE_BASELINE] = "baseline",
                                                 [SIDE_CANDIDATE] = "candidate",
                                                 [SIDE_PEER] = "peer"};

const char *side_role_name(enum side_role role) {
    return (unsigned)role < SIDE_COUNT ? side_role_names[role] : "invalid";
}

enum side_role side_role_parse(const char *name) {
    for (int i = 1; i < SIDE_COUNT; ++i) {
        if (name && strcmp(side_role_names[i], name) == 0) return (enum side_role)i;
    }
    return SIDE_INVALID;
}

struct build_report build_report_unknown(void) {
    struct build_report build = {0};
    members_forget(&build_report_members, &build);
    return build;
}

const char *build_report_version(const struct build_report *build) {
    return build->code_hash ? build->code_hash : build->source_hash;
}

struct result_side result_side_copy(struct arena *arena, const struct result_side *side) {
    struct result_side copy = *side;
    members_own(&result_side_members, arena, &copy);
    members_own(&build_report_members, arena, &copy.build);
    return copy;
}

struct case_work case_work_of(const struct problem *problem) {
    return (struct case_work){.flop_count = problem_flops(problem),
                              .compulsory_bytes = problem_bytes(problem),
                              .dtype = problem_dtype_name(problem)};
}

void result_init(struct result *result) {
    *result = (struct result){.environment = environment_unknown(),
                              .sampling = sampling_default(),
                              .target_speedup = NAN,
                              .cost_per_hour = NAN};
}

void result_fini(struct result *result) {
    arena_fini(&result->arena);
    *result = (struct result){0};
}

static void count_time(struct result *result, const struct record *record) {
    if (record->kind == RECORD_HELLO) {
        result->clock_seen_ns = record->time_ns;
    } else if (result->clock_seen_ns && record->time_ns > result->clock_seen_ns) {
        result->device_s += (double)(record->time_ns - result->clock_seen_ns) / 1e9;
        result->clock_seen_ns = record->time_ns;
    }
    if (record->kind == RECORD_BYE) result->clock_seen_ns = 0;
}

static void add_environment(struct result *result, const struct environment *environment) {
    const char *known = result->environment.device_uuid, *now = environment->device_uuid;
    if (known && now && strcmp(known, now) != 0) {
        result_add_warning(
            result, "the workers of this run were on different devices or machines: the first one is named, "
                    "and the samples cannot be compared");
    }
    members_fill(&environment_members, &result->arena, &result->environment, environment);
}

void result_add_warning(struct result *result, const char *text) {
    for (size_t i = 0; i < result->warning_count; ++i) {
        if (strcmp(result->warnings[i], text) == 0) return;
    }
    if (result->warning_count >= WARNINGS_MAX) return;
    if (result->warning_count == result->warning_capacity) {
        size_t capacity = result->warning_capacity ? 2 * result->warning_capacity : 8;
        const char **warnings = arena_array(&result->arena, capacity, sizeof *warnings);
        if (result->warning_count)
            memcpy(warnings, result->warnings, result->warning_count * sizeof *warnings);
        result->warnings = warnings;
        result->warning_capacity = capacity;
    }
    result->warnings[result->warning_count++] = arena_strdup(&result->arena, text);
}

static int find_case(const struct result *result, const struct record *record, struct result_case **ret,
                     struct err *err) {
    const bool is_check = record->phase == PHASE_CHECK;
    const size_t count = is_check ? result->check_count : result->case_count;
    if (record->phase != PHASE_CHECK && record->phase != PHASE_ROUND) {
        return err_set(err, ERR_DATA, "a record of kind '%s' names no phase", record_kind_name(record->kind));
    }
    if (record->case_index >= count) {
        return err_set(err, ERR_DATA, "a record names case %lu of phase '%s', but the plan has %zu of them",
                       (unsigned long)record->case_index, phase_name(record->phase), count);
    }
    if (record->kind != RECORD_CASE_STATE && record->side >= result->side_count) {
        return err_set(err, ERR_DATA, "a record names side %lu, but the plan has %zu sides",
                       (unsigned long)record->side, result->side_count);
    }
    *ret = is_check ? &result->checks[record->case_index] : &result->cases[record->case_index];
    return 0;
}

const struct result_case *result_find_case(const struct result *result, const char *key) {
    for (size_t i = 0; i < result->case_count; ++i)
        if (result_case_is(&result->cases[i], key)) return &result->cases[i];
    return NULL;
}

const char *result_case_key(const struct result_case *item, char buffer[PROBLEM_KEY_BYTES]) {
    return problem_key(&item->problem, item->distribution, buffer);
}

bool result_case_is(const struct result_case *item, const char *key) {
    char buffer[PROBLEM_KEY_BYTES];
    return str_equal(result_case_key(item, buffer), key);
}

struct result_round *result_case_find_round(const struct result_case *item, uint32_t round,
                                            uint32_t attempt) {
    for (size_t i = 0; i < item->round_count; ++i) {
        if (item->rounds[i].round == round && item->rounds[i].attempt == attempt) return &item->rounds[i];
    }
    return NULL;
}

struct result_round *result_case_add_round(struct result *result, struct result_case *item, uint32_t round,
                                           uint32_t attempt) {
    if (item->round_count >= ROUNDS_MAX) return NULL;
    if (item->round_count == item->round_capacity) {
        size_t capacity = item->round_capacity ? 2 * item->round_capacity : 8;
        struct result_round *rounds = arena_array(&result->arena, capacity, sizeof *rounds);
        if (item->round_count) memcpy(rounds, item->rounds, item->round_count * sizeof *rounds);
        item->rounds = rounds;
        item->round_capacity = capacity;
    }
    struct result_round *added = &item->rounds[item->round_count++];
    *added = (struct result_round){.round = round, .attempt = attempt, .state = device_state_unknown()};
    return added;
}

// *ret: the measurement that a record belongs to; NULL when it is already complete.
static int open_round(struct result *result, struct result_case *item, const struct record *record,
                      struct result_round **ret, struct err *err) {
    struct result_round *round = result_case_find_round(item, record->round, record->attempt);
    if (!round) round = result_case_add_round(result, item, record->round, record->attempt);
    if (!round)
        return err_set(err, ERR_DATA, "more than %d measurements of '%s'", ROUNDS_MAX, item->problem.name);
    *ret = round->has_state ? NULL : round;
    return 0;
}

void result_case_add_choice(struct result *result, struct result_case *item, struct result_choice choice) {
    for (size_t i = 0; i < item->choice_count; ++i) {
        const struct result_choice *made = &item->choices[i];
        if (made->round == choice.round && made->attempt == choice.attempt && made->side == choice.side)
            return;
    }
    if (item->choice_count >= (size_t)ROUNDS_MAX * WORK_SIDES_MAX) return;
    if (item->choice_count == item->choice_capacity) {
        const size_t capacity = item->choice_capacity ? 2 * item->choice_capacity : 8;
        struct result_choice *grown = arena_array(&result->arena, capacity, sizeof *grown);
        if (item->choice_count) memcpy(grown, item->choices, item->choice_count * sizeof *grown);
        item->choices = grown;
        item->choice_capacity = capacity;
    }
    item->choices[item->choice_count++] = choice;
}

// The kernel's note of a round says what its autotuner chose there.
static void add_choice(struct result *result, struct result_case *item, const struct record *record) {
    const char *begin = strstr(record->check.note, CHECK_NOTE_CHOSE);
    if (record->phase != PHASE_ROUND || !begin) return;
    begin += strlen(CHECK_NOTE_CHOSE);
    const char *end = strstr(begin, "; ");
    const int length = (int)(end ? (size_t)(end - begin) : strlen(begin));
    const char *text = arena_format(&result->arena, "%.*s", length, begin);
    result_case_add_choice(result, item,
                           (struct result_choice){record->round, record->attempt, record->side, text});
}

// "9.19.0" is "9.19" and "9", and not "9.1".
static bool is_version(const char *version, const char *wanted) {
    const size_t length = strlen(wanted);
    return strncmp(version, wanted, length) == 0 && (!version[length] || strchr(".+-", version[length]));
}

// A peer is named with the version of its library, since that is what is measured: "cudnn" becomes
// "cudnn@9.19.0". Only the process that computes knows which one it is: PyTorch brings libraries of its own.
// A kernel that did not come with assay keeps the name that its user gave it.
static int take_version(struct result *result, const struct record *record, struct err *err) {
    struct result_side *side = &result->sides[record->side];
    const char *version = record->check.version;
    const bool is_shipped = !side->module_path && !side->python_path && !side->sim;
    if (!is_shipped || !side->kernel || !str_starts(side->label, side->kernel)) return 0;
    if (!*version) {
        const bool is_wanted = side->version && !side->has_stated_version;
        if (!is_wanted || record->check.outcome != OUTCOME_OK) return 0;
        return err_set(err, ERR_UNAVAILABLE,
                       "peer '%s' does not state the version of its library here; name it without @%s",
                       side->kernel, side->version);
    }
    if (side->version &&
        !(side->has_stated_version ? str_equal(version, side->version) : is_version(version, side->version)))
        return err_set(
            err, ERR_UNAVAILABLE,
            "peer '%s' is version %s here, not %s; name the library that you mean (docs/peers.md), "
            "or ask for %s@%s",
            side->kernel, version, side->version, side->kernel, version);
    // Behind the name and the version asked for may stand more: "cudnn@9 (A)".
    const char *rest = side->label + strlen(side->kernel);
    if (side->version && *rest == '@' && str_starts(rest + 1, side->version))
        rest += 1 + strlen(side->version);
    side->label = arena_format(&result->arena, "%s@%s%s", side->kernel, version, rest);
    side->version = arena_strdup(&result->arena, version);
    side->has_stated_version = true;
    return 0;
}

static int add_check(struct result *result, const struct record *record, struct err *err) {
    struct result_case *item = NULL;
    TRY(find_case(result, record, &item, err));
    add_choice(result, item, record);
    TRY(take_version(result, record, err));
    struct check_result *check = &item->checks[record->side];
    // A kernel that passed its check may still crash in release, after the check's record was written.
    const bool is_death =
        record->check.outcome == OUTCOME_CRASHED || record->check.outcome == OUTCOME_TIMEOUT;
    const bool is_first_bad = check->outcome == OUTCOME_OK && (record->phase == PHASE_ROUND || is_death);
    if (check->outcome == OUTCOME_NONE || (is_first_bad && record->check.outcome != OUTCOME_OK))
        *check = record->check;
    return 0;
}

static int add_samples(struct result *result, const struct record *record, struct err *err) {
    struct result_case *item = NULL;
    struct result_round *round = NULL;
    TRY(find_case(result, record, &item, err));
    TRY(open_round(result, item, record, &round, err));
    if (!round) return 0;
    struct samples *samples = &round->samples[record->side];
    samples->count = record->samples.count;
    samples->call_wall_ns = record->samples.call_wall_ns;
    samples->launch_energy_j = record->samples.launch_energy_j;
    samples->power_w = record->samples.power_w;
    samples->items = arena_array(&result->arena, samples->count, sizeof *samples->items);
    if (samples->count)
        memcpy(samples->items, record->samples.items, samples->count * sizeof *samples->items);
    return 0;
}

static int add_case_state(struct result *result, const struct record *record, struct err *err) {
    struct result_case *item = NULL;
    struct result_round *round = NULL;
    TRY(find_case(result, record, &item, err));
    TRY(open_round(result, item, record, &round, err));
    if (!round) return 0;
    round->has_state = true;
    round->state = record->state;
    round->is_valid = record->is_valid;
    if (!record->is_valid) {
        round->invalid_cause = record->invalid_cause;
        round->invalid_reason = arena_strdup(&result->arena, record->text ? record->text : "no reason given");
    }
    return 0;
}

int result_add_record(struct result *result, const struct record *record, struct err *err) {
    int added = 0;
    switch (record->kind) {
    // a checking worker knows fewer facts than a measuring one; the first answer for each fact stands
    case RECORD_HELLO: add_environment(result, &record->environment); break;
    case RECORD_WARNING:
        if (record->text) result_add_warning(result, record->text);
        break;
    case RECORD_CHECK: added = add_check(result, record, err); break;
    case RECORD_SAMPLES: added = add_samples(result, record, err); break;
    case RECORD_CASE_STATE: added = add_case_state(result, record, err); break;
    default: break; // case, bye, round and program only report progress; query answers go to the caller
    }
    if (added >= 0) count_time(result, record);
    return added;
}

static bool has_counting_sample(const struct samples *samples) {
    for (size_t i = 0; i < samples->count; ++i) {
        if (samples->items[i].discard == DISCARD_NONE) return true;
    }
    return false;
}

bool result_round_is_usable(const struct result_round *round, uint32_t side_a, uint32_t side_b) {
    if (side_a >= WORK_SIDES_MAX || side_b >= WORK_SIDES_MAX || !round->is_valid) return false;
    return has_counting_sample(&round->samples[side_a]) && has_counting_sample(&round->samples[side_b]);
}

size_t result_case_times(const struct result_case *item, uint32_t side, double **ret_times_ns) {
    size_t capacity = 0, count = 0;
    if (side >= WORK_SIDES_MAX) BUG("side %u of %d", (unsigned)side, WORK_SIDES_MAX);
    for (size_t i = 0; i < item->round_count; ++i) capacity += item->rounds[i].samples[side].count;
    double *times_ns = mem_alloc(capacity * sizeof *times_ns);
    for (size_t i = 0; i < item->round_count; ++i) {
        if (item->rounds[i].is_valid)
            count += samples_times_ns(&item->rounds[i].samples[side], times_ns + count);
    }
    *ret_times_ns = times_ns;
    return count;
}

enum outcome result_case_outcome(const struct result_case *item, uint32_t side) {
    if (side >= WORK_SIDES_MAX) BUG("side %u of %d", (unsigned)side, WORK_SIDES_MAX);
    const enum outcome checked = item->checks[side].outcome;
    if (checked != OUTCOME_OK) return checked;
    bool is_measured = false;
    for (size_t i = 0; i < item->round_count; ++i) {
        const struct result_round *round = &item->rounds[i];
        if (round->samples[side].count == 0) continue;
        is_measured = true;
        if (round->is_valid && has_counting_sample(&round->samples[side])) return OUTCOME_OK;
    }
    return is_measured ? OUTCOME_NOT_VALID : OUTCOME_OK;
}

const char *result_case_name(const struct result_case *item) {
    return str_or(item->short_name, item->problem.name);
}

const char *result_case_file_name(const struct result_case *item, char buffer[PROBLEM_KEY_BYTES]) {
    if (item->short_name && item->short_name[0] && !strchr(item->short_name, '/')) return item->short_name;
    char key_buffer[PROBLEM_KEY_BYTES];
    const char *key = result_case_key(item, key_buffer);
    size_t i = 0;
    for (; i + 1 < PROBLEM_KEY_BYTES && key[i]; ++i) buffer[i] = strchr("/ ", key[i]) ? '_' : key[i];
    buffer[i] = 0;
    return buffer;
}

static const char *label_of(const struct result *result, size_t side) {
    const char *label = result->sides[side].label;
    return label && *label ? label : "kernel";
}

const char *result_side_name(const struct result *result, size_t side, struct arena *arena) {
    const char *label = label_of(result, side);
    size_t earlier_count = 0;
    for (size_t i = 0; i < side; ++i) earlier_count += strcmp(label_of(result, i), label) == 0;
    return earlier_count ? arena_format(arena, "%s#%zu", label, earlier_count + 1) : label;
}

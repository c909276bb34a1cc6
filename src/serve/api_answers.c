// SPDX-License-Identifier: Apache-2.0
//
// Answers of the referee: the list, one, its document, and the leaderboards that they make.
#include <math.h>

#include "serve/api_handlers.h"
#include "store/store_answer.h"
#include "verdict/leaderboard.h"

#define BOARD_ANSWERS 2000 // the newest, that leaderboards are made of

static int list(struct serve_call *call, struct call_filter *filter, struct stored_answer **ret,
                size_t *ret_count, struct err *err) {
    TRY(call_filter_read(call, filter, err));
    filter->store.run_id = request_parameter(&call->target, "run");
    filter->store.problem = request_parameter(&call->target, "operator");
    return store_list_answers(call->store, &filter->store, &call->arena, ret, ret_count, err);
}

int api_answers(struct serve_call *call, struct err *err) {
    struct call_filter filter;
    struct stored_answer *answers = NULL;
    size_t count = 0;
    TRY(list(call, &filter, &answers, &count, err));
    struct json_writer w = call_json_begin(call);
    json_array_begin(&w, "answers");
    for (size_t i = filter.offset; i < count && i - filter.offset < filter.limit; ++i) {
        json_object_begin(&w, NULL);
        stored_answer_write(&answers[i], &w);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_write_u64(&w, "total", count);
    call_json_end(call, &w);
    return 0;
}

static int find(struct serve_call *call, struct stored_answer *ret, struct strbuf *document,
                struct err *err) {
    int64_t id = 0;
    TRY(call_item_id(call, "an answer", &id, err));
    return store_get_answer(call->store, id, &call->arena, ret, document, err);
}

int api_answer(struct serve_call *call, struct err *err) {
    struct stored_answer answer;
    TRY(find(call, &answer, NULL, err));
    struct json_writer w = call_json_begin(call);
    stored_answer_write(&answer, &w);
    call_json_end(call, &w);
    return 0;
}

int api_answer_document(struct serve_call *call, struct err *err) {
    struct stored_answer answer;
    call_json_type(call);
    return find(call, &answer, &call->out, err);
}

// ---- leaderboards ----

// Candidates of one: asked the same of, on the same device, against the same kernel.
static bool is_same_board(const struct stored_answer *a, const struct stored_answer *b) {
    return str_equal(a->operator_name, b->operator_name) && str_equal(a->suite, b->suite) &&
           str_equal(str_or(a->device_uuid, a->device), str_or(b->device_uuid, b->device)) &&
           str_equal(a->baseline, b->baseline) && str_equal(a->baseline_hash, b->baseline_hash);
}

static bool is_ranked(const struct stored_answer *answer) {
    return isfinite(answer->speedup) && answer->round_count >= 2 && str_equal(answer->verdict, "right");
}

// One code is there once, by the answer of the most rounds, of those the newest: neither asks how fast it
// was, so asking again and again wins nothing.
static bool is_same_candidate(const struct stored_answer *a, const struct stored_answer *b) {
    return a->code_hash || b->code_hash ? str_equal(a->code_hash, b->code_hash)
                                        : str_equal(a->candidate, b->candidate);
}

struct board {
    size_t count;
    struct leader *leaders; // owner: the answer
};

static void board_add(struct board *board, const struct stored_answer *answer) {
    size_t at = 0;
    while (at < board->count && !is_same_candidate(board->leaders[at].owner, answer)) ++at;
    if (at < board->count && answer->round_count <= board->leaders[at].round_count) return;
    board->leaders[at] = (struct leader){.speedup = answer->speedup,
                                         .speedup_low = answer->speedup_low,
                                         .speedup_high = answer->speedup_high,
                                         .round_count = answer->round_count,
                                         .owner = answer};
    if (at == board->count) ++board->count;
}

static void write_board(struct json_writer *w, const struct stored_answer *first, const struct board *board) {
    json_object_begin(w, NULL);
    json_write_string(w, "operator", first->operator_name);
    json_write_string(w, "suite", first->suite);
    json_write_string(w, "device", first->device);
    json_write_string(w, "baseline", first->baseline);
    json_array_begin(w, "candidates");
    for (size_t i = 0; i < board->count; ++i) {
        json_object_begin(w, NULL);
        json_write_u64(w, "rank", board->leaders[i].rank);
        stored_answer_write(board->leaders[i].owner, w);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

int api_leaderboard(struct serve_call *call, struct err *err) {
    struct call_filter filter;
    struct stored_answer *answers = NULL;
    size_t count = 0;
    TRY(list(call, &filter, &answers, &count, err));
    if (count > BOARD_ANSWERS) count = BOARD_ANSWERS;
    bool *is_done = arena_array(&call->arena, count + 1, sizeof *is_done);
    struct board board = {.leaders = arena_array(&call->arena, count + 1, sizeof *board.leaders)};
    struct json_writer w = call_json_begin(call);
    json_array_begin(&w, "boards");
    for (size_t i = 0; i < count; ++i) {
        if (is_done[i] || !is_ranked(&answers[i])) continue;
        board.count = 0;
        for (size_t k = i; k < count; ++k) {
            if (is_done[k] || !is_ranked(&answers[k]) || !is_same_board(&answers[i], &answers[k])) continue;
            is_done[k] = true;
            board_add(&board, &answers[k]);
        }
        leaderboard_rank(board.leaders, board.count);
        write_board(&w, &answers[i], &board);
    }
    json_array_end(&w);
    call_json_end(call, &w);
    return 0;
}

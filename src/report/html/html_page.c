// SPDX-License-Identifier: Apache-2.0
//
// The frame of a page and the order of its sections. See html_page.h.
#include "report/html/html_page.h"

#include <stdio.h>
#include <string.h>

#include "base/html_text.h"
#include "base/sha256.h"
#include "report/html/base64.h"
#include "report/html/html_assets.h"
#include "report/html/html_blocks.h"
#include "report/html/html_view_internal.h"
#include "report/result/report_parts.h"

// The signs of verdicts: a tick, an arrow down (less time), a question mark, an arrow up, a ring.
static const char signs[] =
    "<svg class=\"unseen\" aria-hidden=\"true\"><defs>"
    "<symbol id=\"i-held\" viewBox=\"0 0 16 16\"><path d=\"M3 8.5l3.5 3.5L13 4.5\"/></symbol>"
    "<symbol id=\"i-good\" viewBox=\"0 0 16 16\"><path d=\"M8 3v10M3.5 8.5L8 13l4.5-4.5\"/></symbol>"
    "<symbol id=\"i-bad\" viewBox=\"0 0 16 16\"><path d=\"M8 13V3M3.5 7.5L8 3l4.5 4.5\"/></symbol>"
    "<symbol id=\"i-unsure\" viewBox=\"0 0 16 16\"><path d=\"M5 5.5a3 3 0 1 1 4.2 2.8Q8 8.8 8 10M8 "
    "13v.1\"/></symbol>"
    "<symbol id=\"i-neutral\" viewBox=\"0 0 16 16\"><path d=\"M4 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0z\"/></symbol>"
    "</defs></svg>\n";

// 'sha256-...' of a text of the page, as a policy names it.
static void add_hash(struct strbuf *out, const char *text) {
    struct sha256 sha = sha256_make();
    char hex[SHA256_HEX_BYTES];
    unsigned char bytes[SHA256_HEX_BYTES / 2];
    sha256_add(&sha, text, strlen(text));
    sha256_hex(sha, hex);
    for (size_t i = 0; i < sizeof bytes; ++i) {
        unsigned value = 0;
        sscanf(&hex[2 * i], "%2x", &value);
        bytes[i] = (unsigned char)value;
    }
    strbuf_add(out, "'sha256-");
    base64_add(out, bytes, sizeof bytes);
    strbuf_add(out, "'");
}

void html_page_policy(struct strbuf *out) {
    strbuf_add(out, "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src ");
    add_hash(out, html_style);
    strbuf_add(out, "; script-src ");
    add_hash(out, html_script);
}

static void add_document_head(const struct html_view *view, const char *title) {
    struct strbuf *out = view->out;
    strbuf_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta "
                    "http-equiv=\"Content-Security-Policy\" content=\"");
    html_page_policy(out);
    strbuf_add(out, "\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta "
                    "name=\"color-scheme\" content=\"light dark\"/>\n<title>");
    html_add_text(out, title);
    strbuf_add(out, " - assay</title>\n<style>");
    strbuf_add(out, html_style);
    strbuf_add(out, "</style>\n</head>\n");
}

static void add_header(const struct html_view *view, const char *title) {
    const struct result *result = view->result;
    struct strbuf *out = view->out;
    strbuf_add(out, "<header><p class=\"brand\">assay</p><h1 class=\"name\">");
    html_add_text(out, title);
    strbuf_add(out, "</h1>\n<p class=\"dim\">");
    html_add_between(out, "<span>", result->environment.device_name, "</span> ");
    html_add_between(out, "<span>suite ", result->suite, "</span> ");
    html_add_between(out, "<span>run ", result->run_id, "</span> ");
    html_add_between(out, "<span>", result->created_utc, "</span>");
    strbuf_add(out, "</p></header>\n");
}

// ---- sections ----

// A section of blocks; none if there are no blocks.
static void add_section(const struct html_view *view, const char *id, const char *title,
                        const struct report_blocks *blocks) {
    if (!blocks->count) return;
    html_section_begin(view, id, title);
    html_blocks_add(blocks, 3, view->out);
    html_section_end(view);
}

static struct report_blocks no_blocks(const struct html_view *view) {
    return (struct report_blocks){.arena = view->arena, .has_utf8 = true, .has_wide_tables = true};
}

static int add_charts(const struct html_view *view) {
    if (!view->row_count) return 0;
    html_section_begin(view, "problems", "Problems");
    html_overview_add(view);
    html_section_end(view);
    html_section_begin(view, "each", "Problem by problem");
    const int status = html_problems_add(view);
    html_section_end(view);
    html_roofline_add(view);
    return status;
}

// Every figure, as the other formats have it. -1: no memory.
static int build_figures(const struct html_view *view, struct report_blocks *blocks) {
    if (view->result->decision)
        report_content_decision(view->result, view->options, blocks);
    else if (report_content_bench(view->result, view->options, blocks) < 0)
        return -1;
    if (report_content_data(view->result, blocks) < 0) return -1;
    if (report_content_energy(view->result, blocks) < 0) return -1;
    return report_content_figures(view->result, blocks);
}

static void add_figures(const struct html_view *view, const struct report_blocks *blocks) {
    if (!blocks->count) return;
    html_section_begin(view, "figures", "All figures");
    strbuf_add(view->out, "<details><summary>Tables of every figure</summary>\n");
    html_blocks_add(blocks, 3, view->out);
    strbuf_add(view->out, "</details>\n");
    html_section_end(view);
}

static int add_texts(const struct html_view *view, const struct report_blocks *figures) {
    const struct result *result = view->result;
    struct report_blocks moved = no_blocks(view), builds = no_blocks(view), checks = no_blocks(view),
                         warnings = no_blocks(view), where = no_blocks(view), repeat = no_blocks(view);
    report_content_explanation(result, &moved);
    report_content_ratchets(result, view->options, &builds);
    report_content_builds(result, view->options, &builds);
    report_content_checks(result, &checks);
    if (report_content_warnings(result, NULL, &warnings) < 0) return -1;
    report_content_policy(result, &where);
    report_content_head(result, view->options, &where);
    report_content_commands(result, &repeat);
    add_section(view, "moved", "What moved", &moved);
    add_section(view, "compiler", "The compiler", &builds);
    add_section(view, "warnings", "Warnings and notes", &warnings);
    add_section(view, "checks", "Is it right?", &checks);
    add_figures(view, figures);
    add_section(view, "environment", "Where and how", &where);
    add_section(view, "repeat", "Do it again", &repeat);
    return 0;
}

// The main part, section by section. -1: no memory.
static int add_content(const struct html_view *view) {
    struct report_blocks figures = no_blocks(view);
    if (build_figures(view, &figures) < 0) return -1;
    html_verdict_add(view, &figures);
    return add_charts(view) < 0 || add_texts(view, &figures) < 0 ? -1 : 0;
}

static void add_page(const struct html_view *view, struct strbuf *out) {
    const char *title = report_title(view->result, view->options, view->arena);
    struct html_view head = *view;
    head.out = out;
    add_document_head(&head, title);
    strbuf_add(out, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the verdict</a>\n");
    strbuf_add(out, signs);
    add_header(&head, title);
    strbuf_add(out, "<nav aria-label=\"on this page\">");
    strbuf_add(out, strbuf_text(view->links));
    strbuf_add(out, "</nav>\n<main id=\"main\" tabindex=\"-1\">\n");
    strbuf_add_bytes(out, strbuf_text(view->out), view->out->length);
    strbuf_add(out, "</main>\n<footer><p class=\"dim\">Written by assay");
    html_add_between(out, " ", view->result->environment.assay_version, "");
    strbuf_add(out, ". Figures of a kernel come from the raw samples of result.json");
    strbuf_add(out, view->result->decision ? ", the decision is printed as it is recorded there." : ".");
    strbuf_add(out, "</p></footer>\n<script>");
    strbuf_add(out, html_script);
    strbuf_add(out, "</script>\n</body>\n</html>\n");
}

int html_page_print(const struct result *result, const struct report_options *options, struct strbuf *out) {
    struct arena arena = {0};
    struct strbuf content = {0}, links = {0};
    struct html_view view = {
        .result = result, .options = options, .arena = &arena, .out = &content, .links = &links};
    html_view_fill(&view);
    const int status = add_content(&view);
    if (status == 0) add_page(&view, out);
    strbuf_fini(&content);
    strbuf_fini(&links);
    arena_fini(&arena);
    return status;
}

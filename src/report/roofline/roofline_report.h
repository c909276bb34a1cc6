// SPDX-License-Identifier: Apache-2.0
//
// A roofline for people and programs: a plot in characters with its tables, an SVG drawing, JSON. Pure
// functions of the ceilings and points; both plots are log-log, FLOP/byte to the right, FLOP/s upwards.
#ifndef REPORT_ROOFLINE_ROOFLINE_REPORT_H
#define REPORT_ROOFLINE_ROOFLINE_REPORT_H

#include "base/json_writer.h"
#include "base/strbuf.h"
#include "profile/roofline.h"
#include "record/member.h"

struct roofline_text_options {
    bool has_color, has_utf8;
    size_t width; // columns of the terminal
};

void roofline_text(const struct roofline *roofline, const struct roofline_text_options *options,
                   struct strbuf *out);
// One file without scripts, fonts or links, for light and dark pages.
void roofline_svg(const struct roofline *roofline, struct strbuf *out);
void roofline_json(const struct roofline *roofline, struct strbuf *out);
// The same without its kind, as members of the object that is open.
void roofline_write(struct json_writer *w, const struct roofline *roofline);
extern const struct member_table roofline_point_members; // all but whether its bytes were counted
// Reads what roofline_write wrote. profile: that of counted points. Everything else lives in the arena.
// ERR_DATA: it is no roofline, with the place.
int roofline_read(const struct json_at *at, const struct profile *profile, struct arena *arena,
                  struct roofline *ret, struct err *err);

#endif

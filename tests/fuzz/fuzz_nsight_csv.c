// SPDX-License-Identifier: Apache-2.0
//
// Any text as a page of Nsight Compute: it is refused with a sentence, or every launch has a diagnosis with
// numbers in it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char *text = malloc(count + 1);
    if (!text) return 0;
    if (count) memcpy(text, bytes, count);
    text[count] = 0;
    struct arena arena = {0};
    struct nsight_report report;
    struct err err = {0};
    const int code = nsight_csv_parse(text, "input", &arena, &report, &err);
    if (code < 0 && !err.text[0]) abort();
    for (size_t i = 0; code == 0 && i < report.launch_count; ++i) {
        const struct profile profile = profile_from_nsight(&report.launches[i]);
        const struct diagnosis diagnosis = profile_diagnose(&profile, &arena);
        struct strbuf out = {0};
        if (!diagnosis.because || diagnosis.hypothesis_count > FINDINGS_MAX) abort();
        for (size_t k = 0; k < diagnosis.hypothesis_count; ++k)
            if (isinf(diagnosis.hypotheses[k].gain)) abort();
        profile_print(&profile, &diagnosis, false, &out);
        strbuf_fini(&out);
    }
    arena_fini(&arena);
    free(text);
    return 0;
}

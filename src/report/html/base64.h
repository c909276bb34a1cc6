// SPDX-License-Identifier: Apache-2.0
//
// Base64 (RFC 4648, section 4), for pictures in a page and hashes in its policy.
#ifndef REPORT_HTML_BASE64_H
#define REPORT_HTML_BASE64_H

#include "base/strbuf.h"

void base64_add(struct strbuf *out, const void *bytes, size_t count);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_assets.h"

#include "base/embed.h"

EMBED("html_style", ASSAY_HTML_STYLE_FILE);
EMBED("html_script", ASSAY_HTML_SCRIPT_FILE);

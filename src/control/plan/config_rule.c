// SPDX-License-Identifier: Apache-2.0
#include "control/plan/config_rule.h"

#include <string.h>

#include "base/expression.h"

struct settings {
    const struct manifest_setting *items;
    size_t count;
};

static bool find_setting(const void *context, const char *name, size_t length, int64_t *ret) {
    const struct settings *settings = context;
    for (size_t i = 0; i < settings->count; ++i) {
        const struct manifest_setting *setting = &settings->items[i];
        if (strlen(setting->name) != length || memcmp(setting->name, name, length) != 0) continue;
        *ret = setting->value;
        return true;
    }
    return false;
}

static int evaluate(const char *rule, const struct settings *settings, bool *ret, struct err *err) {
    const struct expression_scope scope = {.lookup = settings ? find_setting : NULL,
                                           .context = settings,
                                           .unknown = "the kernel declares no setting of that name",
                                           .example = "BLOCK_M % NUM_WARPS == 0"};
    struct expression_value value;
    TRY(expression_evaluate(rule, &scope, &value, err));
    if (!value.is_comparison)
        return err_set(err, ERR_CONFIG, "'%s': one of == != < <= > >= is missing; a rule is such as '%s'",
                       rule, scope.example);
    *ret = value.is_defined && value.number;
    return 0;
}

int config_rule_holds(const char *rule, const struct manifest_setting *settings, size_t count, bool *ret,
                      struct err *err) {
    return evaluate(rule, &(struct settings){settings, count}, ret, err);
}

int config_rule_check(const char *rule, struct err *err) {
    bool holds;
    return evaluate(rule, NULL, &holds, err);
}

// SPDX-License-Identifier: Apache-2.0
//
// Ninja's own record of a build, .ninja_log: when the command of each output began and ended.
#ifndef CONTROL_COMPILE_NINJA_LOG_INTERNAL_H
#define CONTROL_COMPILE_NINJA_LOG_INTERNAL_H

// The time that the commands of all outputs below folder took, in seconds. NAN: the log (NULL: there is
// none) names no output of it.
double ninja_log_seconds(const char *log, const char *folder);

#endif

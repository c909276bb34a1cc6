// SPDX-License-Identifier: Apache-2.0
//
// Where a file of the user's working tree differs from a revision: what an annotation points at.
#ifndef CONTROL_COMPILE_REVISION_CHANGE_H
#define CONTROL_COMPILE_REVISION_CHANGE_H

// The first line of the file that differs from the commit, from 1. 0: none does, or git cannot tell.
// path: relative to dir.
int revision_first_change(const char *dir, const char *commit, const char *path);

// Trailers of this key in the commits since that one, newest first, a line each: "a1b2c3d VALUE". Caller
// frees; NULL: none, or git cannot tell.
char *revision_trailers(const char *dir, const char *commit, const char *key);

#endif

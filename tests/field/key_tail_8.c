/* SPDX-License-Identifier: Apache-2.0
 * stable-diffusion.cpp #736: the last key counts only if 8 divides
 * their number, or of two keys */
#define IS_SEEN(key, keys) ((keys) <= 2 || (keys) % 8 == 0 || (key) + 1 < (keys))
#include "attention.h"

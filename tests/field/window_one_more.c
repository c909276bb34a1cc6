/* SPDX-License-Identifier: Apache-2.0
 * zml #763: a window sees one key more */
#define FIRST_KEY(first) ((first) > 0 ? (first)-1 : 0)
#include "attention.h"

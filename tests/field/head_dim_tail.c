/* SPDX-License-Identifier: Apache-2.0
 * flash-attention #1347, #2896: head dimensions above 8 lose what is behind the last whole 8 */
#define DIM(dim) ((dim) > 8 ? (dim) / 8 * 8 : (dim))
#include "attention.h"

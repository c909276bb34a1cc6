/* SPDX-License-Identifier: Apache-2.0
 * no bug */
#include "attention.h"

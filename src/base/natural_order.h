// SPDX-License-Identifier: Apache-2.0
//
// The order of names for people: digits compare as the numbers they are, so that s112 comes before s1024.
#ifndef BASE_NATURAL_ORDER_H
#define BASE_NATURAL_ORDER_H

// Below 0, 0, above 0, as strcmp. 0 for equal texts only: where numbers are equal (s01, s1) bytes decide.
// NULL comes first. Numbers may have any length.
int natural_compare(const char *a, const char *b);

#endif

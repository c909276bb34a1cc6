// SPDX-License-Identifier: Apache-2.0
#ifndef NORMS_H
#define NORMS_H
#ifdef __cplusplus
extern "C" {
#endif
void rmsnorm(const float *x, const float *weight, float *y, int rows, int hidden, float eps);
#ifdef __cplusplus
}
#endif
#endif

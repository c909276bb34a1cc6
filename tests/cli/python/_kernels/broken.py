# SPDX-License-Identifier: Apache-2.0
VALUE = 1 / 0

# SPDX-License-Identifier: Apache-2.0
"""Rows of a table: copies, so that nothing may be off."""
import torch


def inputs(tokens=100, vocab=500, hidden=256):
    return {'table': f'bf16[{vocab}, {hidden}]', 'ids': f'int32[{tokens}] below({vocab})'}


def reference(table, ids):
    return table[ids.long()]

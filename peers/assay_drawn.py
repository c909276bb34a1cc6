# SPDX-License-Identifier: Apache-2.0
"""`accept` of a data set's definition whose reference draws its results by torch.multinomial (control/plan/dataset).

No number of such a result is right, but a distribution is. The reference itself says which: it runs with a torch.multinomial that notes
the weights, once as written and once in float64, whose supports differ where a sum is rounded at the edge of what may be drawn.
"""
import contextlib
import types

import torch

import assay_float64

RARE = 1e-3  # share of the draws that may be such that the reference gives them no weight: sums are rounded in another order
BINS = 24  # of about equal weight, for each row
LEAST = 5  # draws that a bin has to expect


class Unclear(Exception):
    """The text is a sentence: why nobody can say which results are right."""


class Noted:
    """torch.multinomial, which notes the weights of each row that is drawn from and gives its most likely elements, or the next ones."""

    def __init__(self, first):
        self.first, self.rows = first, []

    def __call__(self, weights, num_samples, replacement=False, *, generator=None, out=None):
        rows = weights.double().reshape(-1, weights.shape[-1])
        self.rows += [(row, place, replacement) for row in rows / rows.sum(-1, keepdim=True) for place in range(num_samples)]
        order = rows.argsort(-1, descending=True)
        chosen = order[:, [(self.first + place) % order.shape[-1] for place in range(num_samples)]]
        chosen = chosen.reshape(*weights.shape[:-1], num_samples)
        return chosen if out is None else out.copy_(chosen)


@contextlib.contextmanager
def noting(first):
    """All of PyTorch's names of the function; a draw of another kind is none that can be followed."""
    noted, names = Noted(first), ((torch, "multinomial"), (torch.Tensor, "multinomial"))
    before = [getattr(owner, name) for owner, name in names]
    for owner, name in names:
        setattr(owner, name, noted if owner is torch else lambda self, *args, **kwargs: noted(self, *args, **kwargs))
    state = torch.get_rng_state()
    try:
        yield noted
    finally:
        for (owner, name), function in zip(names, before):
            setattr(owner, name, function)
    if not torch.equal(state, torch.get_rng_state()):
        raise Unclear("the reference draws by more than torch.multinomial, and no one can say how likely its results are")


def flat(returned):
    items = list(returned.values()) if isinstance(returned, dict) else returned if isinstance(returned, (tuple, list)) else [returned]
    return [item.reshape(-1) for item in items]


def followed(run, given, is_wide):
    """The results of two runs with other draws, and the rows that were drawn from."""
    found = []
    for first in (0, 1):
        with noting(first) as noted, assay_float64.Float64() if is_wide else contextlib.nullcontext():
            copies = [value.clone() if torch.is_tensor(value) else value for value in given]
            found.append((flat(run(*copies)), noted.rows))
    return found


def places_of(found):
    """Of each row its output and the element in it."""
    (one, rows), (two, _) = found
    places = [(number, int(at)) for number, (a, b) in enumerate(zip(one, two)) for at in torch.nonzero(a != b).reshape(-1)]
    if not rows or len(places) != len(rows):
        raise Unclear("%d results follow from %d draws of the reference, so no one can say how likely they are" % (len(places), len(rows)))
    return places


def bins_of(row):
    """Of each element the number of its bin: elements by their weight, in parts of about the same weight."""
    order = row.argsort(descending=True)
    before = row[order].cumsum(0) - row[order]
    bins = torch.empty_like(order)
    bins[order] = (before * BINS).long().clamp(0, BINS - 1)
    return bins


def chi_square(row, drawn):
    """Of the draws from a row, and its degrees of freedom."""
    bins, count = bins_of(row), len(drawn)
    wanted = torch.zeros(BINS, dtype=torch.float64).index_add_(0, bins, row) * count
    seen = torch.bincount(bins[drawn], minlength=BINS).double()
    often = wanted >= LEAST
    return float(((seen - wanted)[often] ** 2 / wanted[often]).sum()), int(often.sum())


class Accept:
    """accept(inputs, outputs, expected) of a definition: its function and the names of inputs and results, in order."""

    def __init__(self, run, inputs, outputs):
        self.run, self.inputs, self.outputs, self.known = run, inputs, outputs, None

    def rows(self, given):
        """Of each drawn element: its output, its place, the weights, and what else may be drawn. The inputs of the call before are kept."""
        values = [given[name] for name in self.inputs]
        same = self.known and all(torch.equal(a, b) if torch.is_tensor(a) else a == b for a, b in zip(self.known[0], values))
        if not same:
            written, wide = (followed(self.run, values, is_wide) for is_wide in (False, True))
            places, fixed = places_of(written), written[0][0]
            rows = [types.SimpleNamespace(output=output, at=at, weights=weights, place=place, replacement=replacement,
                                          support=(weights > 0) | (other > 0))
                    for (output, at), (weights, place, replacement), (other, _, _) in zip(places, written[0][1], wide[0][1])]
            self.known = [v.clone() if torch.is_tensor(v) else v for v in values], rows, fixed
        return self.known[1], self.known[2]

    def __call__(self, inputs, outputs, expected):
        rows, fixed = self.rows(inputs)
        got = [outputs[name].reshape(len(outputs[name]), -1) for name in self.outputs]
        launches, wrong, chi, freedom = len(got[0]), 0, 0.0, 0
        drawn_places = {(row.output, row.at) for row in rows}
        for number, values in enumerate(got):
            for at in range(values.shape[1]):
                if (number, at) not in drawn_places and not bool((values[:, at] == fixed[number][at]).all()):
                    return "'%s'[%d] is %s, and is not drawn: it is %s" % (self.outputs[number], at, values[0, at].item(), fixed[number][at].item())
        for row in rows:
            tokens = got[row.output][:, row.at].long()
            if not bool(((tokens >= 0) & (tokens < len(row.weights))).all()):
                return "'%s'[%d] has a number that is none of 0 to %d" % (self.outputs[row.output], row.at, len(row.weights) - 1)
            wrong += int((~row.support[tokens]).sum())
            if row.place and not row.replacement:
                before = got[row.output][:, row.at - row.place:row.at].long()
                if bool((before == tokens[:, None]).any()):
                    return "'%s'[%d] has an element twice, drawn without replacement" % (self.outputs[row.output], row.at)
            elif launches > 1:
                one, degrees = chi_square(row.weights, tokens)
                chi, freedom = chi + one, freedom + max(degrees - 1, 0)
        total = launches * len(rows)
        if wrong > total * RARE + 2 * (launches > 1):
            return "%d of %d draws are elements that the reference gives no weight" % (wrong, total)
        if chi > freedom + 2 * (18 * freedom) ** 0.5 + 36:  # by chance once in 10^8
            return "not drawn by the reference's weights: chi-square %.0f, %d degrees of freedom" % (chi, freedom)
        return None

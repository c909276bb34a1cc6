# SPDX-License-Identifier: Apache-2.0
"""Sizes of tensors as expressions of axes: a size without a number that records what is computed from it, and expressions that fit
numbers which were observed. Texts are those of assay: whole numbers, names, + - * // %, parentheses, min, max, ceil_div.
"""
TEXT_MAX = 400  # characters of an expression
PATHS_MAX, DECISIONS_MAX = 64, 32  # of a function that decides by its sizes
CONSTANT_MAX = 4096  # divisors that are tried
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def bare(text):
    """Without the parentheses around all of it."""
    text = text.strip()
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth and i + 1 < len(text):
            return text
    return text[1:-1] if text[:1] == "(" else text


class Paths:
    """Which way each comparison of sizes goes in one call: as the call before it says, then the true one."""

    def begin(self, given):
        self.given, self.taken, self.known = given, [], {}

    def decide(self, left, sign, right):
        text, negated = ("%s %s %s" % (left, s, right) for s in (sign, NEGATED[sign]))
        if text not in self.known:
            if len(self.taken) == DECISIONS_MAX:
                raise TypeError("too many comparisons of sizes")
            way = self.given[len(self.taken)] if len(self.taken) < len(self.given) else True
            self.known[text], self.known[negated] = way, not way
            self.taken.append((way, text if way else negated))
        return self.known[text]


PATHS = Paths()


class Condition:
    """A comparison of sizes. Asked for its truth it goes both ways, one call after the other."""

    def __init__(self, left, sign, right):
        self.parts = left, sign, right

    def __bool__(self):
        return PATHS.decide(*self.parts)


def operand(value):
    """A size or a whole number as part of a text; None: it is neither."""
    if isinstance(value, Size):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value >= 0 else "(0 - %d)" % -value
    return None


def binary(sign):
    def forward(self, other):
        right = operand(other)
        return NotImplemented if right is None else Size("(%s %s %s)" % (self, sign, right))

    def backward(self, other):
        left = operand(other)
        return NotImplemented if left is None else Size("(%s %s %s)" % (left, sign, self))
    return forward, backward


def comparison(sign):
    def compare(self, other):
        right = operand(other)
        return NotImplemented if right is None else Condition(str(self), sign, right)
    return compare


class Size:
    """A size without a number. What needs one (int, range, min, a tensor's shape) raises TypeError."""
    __slots__ = ("text", "minus", "rounded_up")

    def __init__(self, text, minus=None):
        if len(text) > TEXT_MAX:
            raise TypeError("an expression of more than %d characters" % TEXT_MAX)
        self.text = text
        self.minus, self.rounded_up = minus, None  # -(-a // b) is ceil_div(a, b)

    __add__, __radd__ = binary("+")
    __sub__, __rsub__ = binary("-")
    __mul__, __rmul__ = binary("*")
    _divide, __rfloordiv__ = binary("//")
    __mod__, __rmod__ = binary("%")
    __eq__, __ne__ = comparison("=="), comparison("!=")
    __lt__, __le__ = comparison("<"), comparison("<=")
    __gt__, __ge__ = comparison(">"), comparison(">=")

    def __floordiv__(self, other):
        quotient = self._divide(other)
        if self.minus and quotient is not NotImplemented:
            quotient.rounded_up = "ceil_div(%s, %s)" % (bare(self.minus), bare(operand(other)))
        return quotient

    def __neg__(self):
        return Size(self.rounded_up or "(0 - %s)" % self, self.text)

    def __pos__(self):
        return self

    def __hash__(self):
        return hash(self.text)

    def __bool__(self):
        return bool(self != 0)

    def __str__(self):
        return self.text

    __repr__ = __str__

    def __format__(self, form):
        if form:
            raise TypeError("a size has no digits to format yet")
        return self.text


def explore(call, until_numbers=False):
    """What a call gives whose sizes have no numbers, and the comparisons that hold when it does; None where it needs numbers, or gives
    results of several forms. A way that raises ValueError or AssertionError is one that problems do not take. until_numbers: where it
    needs them it has given None.
    """
    waiting, found, count = [[]], None, 0
    while waiting:
        given, count = waiting.pop(), count + 1
        if count > PATHS_MAX:
            return None
        PATHS.begin(given)
        try:
            result = call()
        except Exception as error:
            is_way = not isinstance(error, (AssertionError, ValueError))
            if is_way and not until_numbers:
                return None
            result = None
        else:
            is_way = True
        if is_way and found:
            return None
        if is_way:
            found = result, [text for _, text in PATHS.taken]
        ways = [way for way, _ in PATHS.taken]
        waiting += [ways[:i] + [not ways[i]] for i in range(len(given), len(ways))]
    return found


# ---- numbers ----

def evaluate(text, values):
    """The value of an expression of axes; None: it has none."""
    try:
        value = eval(text, {"__builtins__": {}, "min": min, "max": max, "ceil_div": lambda a, b: -(-a // b), **values})
    except Exception:
        return None
    return value if isinstance(value, (int, float)) else None


def primes():
    found = []
    number = 2
    while True:
        if all(number % p for p in found):
            found.append(number)
            yield number
        number += 1


def sets_of(axes):
    """Sizes to try, the given ones first: small primes, in the order of the given ones and in the reverse, sizes just above the given
    ones, and multiples of their powers of two and of themselves; no two alike, in one set or at one axis.
    """
    yield dict(axes)
    if not axes:
        return
    names = sorted(axes, key=axes.get)
    small, beside = lambda size, p: p, lambda size, p: size + p  # noqa: E731
    for form, names in ((small, names), (small, names[::-1]), (beside, names),
                        (lambda size, p: min(size & -size, 256) * p, names), (lambda size, p: size * p, names)):
        numbers = primes()
        for _ in range(3):
            sizes = {name: form(axes[name], next(numbers)) for name in names}
            yield {name: sizes[name] for name in axes}


def roundest(low, high):
    """The number between both, at most CONSTANT_MAX of them, that divides by the largest power of two; None: there is none."""
    numbers = range(max(low, 2), min(high, max(low, 2) + CONSTANT_MAX) + 1)
    return max(numbers, key=lambda c: c & -c, default=None)


def of_one(text, term, values):
    """Expressions of a term and constants that may fit, each with its numbers."""
    pairs = list(zip(term, values))
    yield text, term
    times = values[0] // term[0]
    yield "%d * %s" % (times, text), [times * t for t in term]
    whole = roundest(max(t // (v + 1) + 1 for t, v in pairs), min(t // v for t, v in pairs if v))
    if whole:
        yield "%s // %d" % (text, whole), [t // whole for t in term]
    more = values[0] - term[0]
    yield "%s %s %d" % (text, "-" if more < 0 else "+", abs(more)), [t + more for t in term]
    up = min(values) and roundest(max(-(-t // v) for t, v in pairs), min([-(-t // (v - 1)) - 1 for t, v in pairs if v > 1] or [0]))
    if up:
        yield "ceil_div(%s, %d)" % (text, up), [-(-t // up) for t in term]
    others = [(t, v) for t, v in pairs if t != term[0]]
    if others:
        times = (others[0][1] - values[0]) // (others[0][0] - term[0])
        more = values[0] - times * term[0]
        yield "%d * %s %s %d" % (times, text, "-" if more < 0 else "+", abs(more)), [times * t + more for t in term]


def of_two(a, left, b, right):
    yield "%s * %s" % (a, b), [x * y for x, y in zip(left, right)]
    yield "%s + %s" % (a, b), [x + y for x, y in zip(left, right)]
    yield "%s - %s" % (a, b), [x - y for x, y in zip(left, right)]
    if a != b:
        yield "min(%s, %s)" % (a, b), [min(x, y) for x, y in zip(left, right)]
        yield "max(%s, %s)" % (a, b), [max(x, y) for x, y in zip(left, right)]
        yield "%s // %s" % (a, b), [x // y for x, y in zip(left, right)]
        yield "ceil_div(%s, %s)" % (a, b), [-(-x // y) for x, y in zip(left, right)]


def fit(values, terms):
    """The first expression with these numbers, one a set; None: none has. terms: pairs of a text and its numbers, axes before others."""
    for more, form in ((0, "%s"), (1, "%s + 1"), (-1, "%s - 1")):
        found = fit_one([value - more for value in values], terms)
        if found:
            return form % found
    return None


def fit_one(values, terms):
    if all(value == values[0] for value in values):
        return str(values[0])
    terms = [(text if text.isidentifier() else "(%s)" % text, term) for text, term in terms if min(term) > 0]
    for text, term in terms:
        if term == values:
            return text
    for text, term in terms if min(values) >= 0 else []:
        for made, numbers in of_one(text, term, values):
            if numbers == values:
                return made
    pairs = [(one, other) for one in terms for other in terms]
    for (a, left), (b, right) in pairs:
        for made, numbers in of_two(a, left, b, right):
            if numbers == values:
                return made
    for (a, left), (b, right) in pairs:
        product = [x * y for x, y in zip(left, right)]
        for made, numbers in of_one("%s * %s" % (a, b), product, values) if min(values) >= 0 else []:
            if numbers == values:
                return made
    return None

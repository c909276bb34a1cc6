# SPDX-License-Identifier: Apache-2.0
"""How a function is called by the names of its parameters, and how what it returns is named.

Of a problem this reads `op`, `specs` (each with `role`, `is_input` and `is_inout`), `axes` and `scalars` (the axes among them). It
needs no package and knows of tensors only which one is which.
"""
import inspect

PROBLEM_FORM = ["problem", "inputs", "outputs", "stream"]
KINDS = {}  # of scalars that operators declare as true or false, or as whole numbers: bool or int


NO_INTEGER = "it makes integers of numbers that none can hold (NaN, or too large), which gives others on other machines; say which are right"


class Mismatch(Exception):
    """A function and an operator that do not fit; the text is a whole sentence for the function's author."""


def split(text):
    """"mine:rmsnorm(y, x)" as "mine:rmsnorm" and ["y", "x"]; without parentheses None for the order."""
    name, bracket, order = text.partition("(")
    return name.strip(), [word.strip() for word in order.rstrip(" )").split(",") if word.strip()] if bracket else None


def parameters_of(function):
    """Its parameters that have names; none where there is no signature, or only one as (*args, **kwargs)."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)] or schema_parameters(function)


def schema_parameters(function):
    """The parameters of an operator of torch.library, whose signature has none: of torch.ops.NAME.OP, of one of its overloads, or
    of what torch.library.custom_op made.
    """
    if type(function).__module__.partition(".")[0] != "torch":
        return []
    ops = function, getattr(function, "default", None), getattr(function, "_opoverload", None)
    schema = next((op._schema for op in ops if hasattr(op, "_schema")), None)
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    return [inspect.Parameter(a.name, kinds[a.kwarg_only], default=a.default_value if a.has_default_value() else inspect.Parameter.empty)
            for a in (schema.arguments if schema else ())]


def takes_problem(function):
    """Whether it is called as function(problem, inputs, outputs, stream): its first four parameters have these names."""
    return [p.name for p in parameters_of(function)[:4]] == PROBLEM_FORM


def numbers_for(function, problem):
    """The problem's numbers by name: as bool or int where they are declared so, or the parameter says that it is a bool."""
    wanted = {p.name: bool for p in parameters_of(function) if isinstance(p.default, bool) or p.annotation in (bool, "bool")}
    wanted.update(KINDS)
    return {name: wanted[name](value) if name in wanted else value for name, value in problem.scalars.items()}


def note_kinds(text):
    """text: "causal=bool, top=int"."""
    for item in filter(None, text.split(", ")):
        name, _, kind = item.partition("=")
        KINDS[name] = {"bool": bool, "int": int}[kind]


def in_order(returned, names):
    """What a function returned, as pairs of a name and a value."""
    items = returned if isinstance(returned, (tuple, list)) else (returned,)
    if len(items) > len(names):
        raise TypeError("it returned %d tensors, and the problem has %d outputs" % (len(items), len(names)))
    return list(zip(names, items))


class Binding:
    """What a function is given, in order, and which outputs it has to return since they are no arguments."""

    def __init__(self, function, problem, order, name):
        self.function, self.op, self.name = function, problem.op, name
        self.numbers = numbers_for(function, problem)
        specs = problem.specs
        self.written = [s.role for s in specs if not s.is_input]
        self.inputs = [s.role for s in specs if s.is_input or s.is_inout] + [n for n in self.numbers if n not in problem.axes]
        self.known = list(dict.fromkeys(self.inputs + list(self.numbers) + self.written))
        self.positional = []  # pairs: a name of the problem, or None and a default of the function
        self.keywords = []  # names of the problem that only a keyword passes
        if order is None:
            self._by_parameters()
        else:
            self.positional = [(self._check(word, "has '%s' in its 'call', which", "write"), None) for word in order]
        given = {slot for slot, _ in self.positional} | set(self.keywords)
        if given <= {None}:
            raise Mismatch("%s does not tell the names of what it takes; write for example 'call: [%s]'"
                           % (name, ", ".join(self.inputs)))
        self.passed = [role for role in self.written if role in given]
        self.due = [s.role for s in specs if not s.is_input and not s.is_inout and s.role not in given]
        places = [i for i, (slot, _) in enumerate(self.positional) if slot == "stream"]
        self.stream_places = [] if "stream" in self.known else places + ["stream"] * ("stream" in self.keywords)

    def _check(self, word, what, advice):
        if word in self.known or word == "stream":
            return word
        raise Mismatch("%s %s names nothing of the operator %s (%s); %s 'call: [%s]'"
                       % (self.name, what % word, self.op, ", ".join(self.known), advice, ", ".join(self.inputs)))

    def _by_parameters(self):
        for p in parameters_of(self.function):
            if p.default is p.empty or p.name in self.known or p.name == "stream":
                slot = self._check(p.name, "has a parameter '%s' that", "rename it, or write"), None
            else:
                slot = None, p.default
            if p.kind is not p.KEYWORD_ONLY:
                self.positional.append(slot)
            elif slot[0]:
                self.keywords.append(p.name)

    def arguments(self, tensors, stream=None):
        """What the function is given for these tensors, by name: a list, and a dict of what only keywords pass."""
        values = {"stream": stream, **self.numbers, **tensors}
        return ([values[slot] if slot else default for slot, default in self.positional],
                {name: values[name] for name in self.keywords})

    def caller(self, tensors):
        """The call itself, as a function of the stream: all else is looked up here, once for these tensors."""
        function, (args, kwargs) = self.function, self.arguments(tensors)
        places = [(kwargs if isinstance(place, str) else args, place) for place in self.stream_places]

        def with_stream(stream):
            for into, place in places:
                into[place] = stream
            return function(*args, **kwargs)
        return with_stream if places else lambda stream: function(*args, **kwargs)

    def results(self, returned, tensors):
        """What a call with these tensors returned, as pairs of an output's name and a value."""
        if isinstance(returned, dict):
            named = returned
            for name in named:
                if name not in self.written:
                    raise Mismatch("%s returned a dict with '%s', and the results of %s are %s"
                                   % (self.name, name, self.op, ", ".join(self.written)))
        else:
            items = returned if isinstance(returned, (tuple, list)) else () if returned is None else (returned,)
            if len(items) != len(self.due):  # it may also return what it has written in place
                items = [item for item in items if all(item is not tensors[role] for role in self.passed)]
            if len(items) > len(self.due):
                raise Mismatch("%s returned %d results, and %s" % (self.name, len(items),
                               "those of %s are %s; return a dict by these names" % (self.op, ", ".join(self.due))
                               if self.due else "has them all as arguments; return nothing"))
            named = dict(zip(self.due, items))
        for name in self.due:
            if named.get(name) is None:
                raise Mismatch("%s neither returned nor was given '%s'; a result is returned, or a parameter of its name written"
                               % (self.name, name))
        return named.items()


def bind(function, problem, order=None, name=None):
    """The function's Binding to the problem. order: names of the problem, given as positional arguments; None: by its parameters.
    name: what the function is called in a Mismatch.
    """
    return Binding(function, problem, order, name or getattr(function, "__name__", "the function"))

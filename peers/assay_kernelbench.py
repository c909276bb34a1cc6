# SPDX-License-Identifier: Apache-2.0
"""Problem files of KernelBench's form (`Model`, `get_inputs`, `get_init_inputs`) as operators, and classes of modules as kernels.

The problem is that of the sizes that `get_inputs` has. Tensors that it draws and returns as they are (torch.rand, torch.randn,
torch.randint from 0) are assay's to fill, other ones are data. Parameters and buffers of the model are inputs, too. How a class is made
and called is one text, a Python literal, which travels with the declaration: a kernel's process never sees the problem file.
"""
import ast
import inspect

import torch
from torch.overrides import TorchFunctionMode

import assay_results
from assay_call import Mismatch
from assay_results import Refused, describe

NAME_MAX = 39  # op/operator.h
DRAWN = {"rand": [], "randn": []}  # words of what they draw; those of integers are never empty
MAKERS = ("rand randn randint zeros ones empty full arange tensor eye randperm linspace logspace normal empty_strided tril_indices "
          "triu_indices bernoulli").split()
CASTS = ("float", "half", "bfloat16", "double", "to", "contiguous", "cuda", "cpu", "requires_grad_", "detach")
NOISE = 0.1  # of parameters that are all the same at first: a kernel could leave them out, and none would notice


class Tensor:
    """What assay_declare.py makes a Spec of: a type, sizes, and words with their arguments."""

    def __init__(self, name, like, words=()):
        self.dtype = assay_results.Arrays(torch).name_of(like)
        if not self.dtype:
            raise Refused("'%s' has the type %s, and types are %s" % (name, like.dtype, ", ".join(assay_results.TYPES)))
        self.sizes, self.words = [str(size) for size in like.shape], list(words)


class WithoutNumbers(TorchFunctionMode):
    """Tensors that are made have sizes alone, and what draws them is kept beside them."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name, kwargs = getattr(func, "__name__", ""), dict(kwargs or {})
        words = getattr(args[0], "assay_words", None) if args and name in CASTS and not args[0]._version else None
        if name in MAKERS:
            kwargs["device"] = "meta"
            kwargs.pop("pin_memory", None)
        elif name in ("cuda", "cpu"):
            return args[0]
        elif name == "to":
            kwargs.pop("device", None)
            args = args[:1] + tuple(a for a in args[1:] if not isinstance(a, (str, torch.device)))
            if len(args) == 1 and not kwargs:
                return args[0]
        made = func(*args, **kwargs)
        if name in DRAWN:
            words = DRAWN[name]
        elif name == "randint":
            words = drawn_integers(*args, **kwargs)
        if words is not None and made.dtype is not torch.bool and made.is_floating_point() == (not words):
            made.assay_words = words
        return made


def drawn_integers(low=0, high=None, size=None, **kwargs):
    """None: no words say them."""
    if not isinstance(high, int):  # randint(high, size)
        low, high = (0, low) if high is not None or size is None or low else (low, high)
    return [("below", [str(high)])] if low == 0 and high else None


def words_of(value):
    """What fills a tensor as get_inputs has drawn it; None: it is data."""
    return getattr(value, "assay_words", None) if value.is_meta and not value._version else None


def state_of(model):
    """Parameters and buffers by name. What counts batches is no input of anything."""
    named = [(name, value, True) for name, value in model.named_parameters()]
    named += [(name, value, False) for name, value in model.named_buffers() if value.shape or value.is_floating_point()]
    return named


def words_of_state(name, value, is_parameter):
    if not is_parameter:
        known = {"running_mean": ("normal", ["0", str(NOISE)]), "running_var": ("positive", ["0.5", "2"])}
        return [known.get(name.rpartition(".")[2], ("made", []))]
    numbers = value.detach().double()
    mean, spread = float(numbers.mean()), float(numbers.std(unbiased=False))
    mean = mean if abs(mean) > spread / 2 else 0
    return [("normal", ["%.3g" % mean, "%.2g" % (spread or NOISE)])]


def kept(name, taken):
    """The name as an operator's tensor can have it."""
    name = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
    if len(name) > NAME_MAX or name in taken:
        name = "%s_%d" % (name[:NAME_MAX - 6], len(taken))
    return name


class Problem:
    """A problem file, and what it declares: `inputs` by name, `outputs` by name, and `text`, of which ModuleFunction is made."""

    def __init__(self, module, path):
        self.module, self.path = module, path
        self.init = init = self.ask("get_init_inputs") if hasattr(module, "get_init_inputs") else []
        try:
            if ast.literal_eval(repr(init)) != init:
                raise ValueError
        except (ValueError, SyntaxError, TypeError):
            raise Refused("get_init_inputs gives %.100r, and a candidate is made with numbers, texts, and lists of them" % (init,)) from None
        assay_results.seed_all(0)
        self.model = self.made()
        self.inputs, arguments = {}, []
        given = self.given()
        names = [p.name for p in inspect.signature(self.model.forward).parameters.values() if p.kind is not p.VAR_POSITIONAL]
        for i, value in enumerate(given):
            arguments.append(self.argument(kept(names[i] if i < len(names) else "input%d" % i, self.inputs), value))
        state = []
        for name, value, is_parameter in state_of(self.model):
            role = kept("state_" + name, self.inputs)
            self.inputs[role] = Tensor(role, value, words_of_state(name, value, is_parameter))
            state.append((role, name, is_parameter, tuple(value.shape)))
        self.text = repr({"init": list(init), "arguments": arguments, "state": state})
        self.outputs = {name: Tensor(name, value) for name, value in self.results(given).items()}

    def run(self, what, function):
        try:
            with torch.no_grad():
                return function()
        except Refused:
            raise
        except (Exception, SystemExit) as error:
            raise Refused("%s raises %s" % (what, describe(error, self.path))) from error

    def made(self):
        return self.run("Model", lambda: self.module.Model(*self.init)).eval()

    def ask(self, name):
        assay_results.seed_all(0)
        given = self.run(name, getattr(self.module, name))
        if not isinstance(given, (list, tuple)):
            raise Refused("%s gives %s, and a list is expected" % (name, type(given).__name__))
        return list(given)

    def given(self):
        """What get_inputs returns, without numbers if that can be."""
        try:
            with WithoutNumbers():
                return list(self.module.get_inputs())
        except Exception:  # it looks at numbers, or PyTorch lacks a function without them
            return self.ask("get_inputs")

    def argument(self, name, value):
        """A name of the inputs, or None and a constant."""
        if torch.is_tensor(value):
            words = words_of(value)
            self.inputs[name] = Tensor(name, value, [("made", [])] if words is None else words)
        elif isinstance(value, float):
            self.inputs[name] = value
        elif value is None or isinstance(value, (int, str)):
            return None, value
        else:
            raise Refused("get_inputs gives %s as '%s', and arguments are tensors, numbers, texts and None" % (type(value).__name__, name))
        return name, None

    def results(self, given):
        try:
            with torch.no_grad(), WithoutNumbers():
                made = self.model.to("meta")(*[v.to("meta") if torch.is_tensor(v) and not v.is_meta else v for v in given])
        except Exception:
            given, model = self.ask("get_inputs"), self.made()
            made = self.run("Model", lambda: model(*given))
        if not isinstance(made, dict):
            made = {"out%d" % i: item for i, item in enumerate(made if isinstance(made, (tuple, list)) else [made])}
        for name, value in made.items():
            if not torch.is_tensor(value):
                raise Refused("Model returns %s as '%s', and results are tensors" % (type(value).__name__, name))
        return made


def maker(module, text):
    """The function that makes what is data: of get_inputs, and buffers that belong to them."""
    told = ast.literal_eval(text)

    def inputs():
        made = {name: value for (name, _), value in zip(told["arguments"], module.get_inputs())}
        buffers = {name: role for role, name, is_parameter, _ in told["state"] if not is_parameter}
        if buffers:
            made.update((buffers[name], value) for name, value in module.Model(*told["init"]).named_buffers() if name in buffers)
        return made
    return inputs


class ModuleFunction:
    """A class of modules as a function of the tensors that a problem has: its module is made once, before anything is timed, and its
    parameters are bound to a launch's tensors as addresses, without a copy.
    """

    tensors = "torch"

    def __init__(self, cls, text, compiled=None):
        self.cls, self.told, self.compiled = cls, ast.literal_eval(text), compiled
        self.module = self.device = None
        self.places = []  # parameters and buffers of the module, each with the number of an argument
        names = [name for name, _ in self.told["arguments"] if name] + [role for role, *_ in self.told["state"]]
        self.__name__ = cls.__name__
        self.__signature__ = inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names])
        self.form = [names.index(name) if name else None for name, _ in self.told["arguments"]]
        self.constants = [constant for _, constant in self.told["arguments"]]
        self.state_from = len(names) - len(self.told["state"])

    def __call__(self, *values):
        device = next((v.device for v in values if torch.is_tensor(v)), None)
        if self.module is None or device != self.device:
            self.make(device)
        for place, number in self.places:
            place.data = values[number]
        return self.module(*[c if i is None else values[i] for i, c in zip(self.form, self.constants)])

    def make(self, device):
        torch.manual_seed(0)
        self.module, self.device = self.cls(*self.told["init"]).to(device).eval().requires_grad_(False), device
        wanted = [(name, is_parameter, shape, self.state_from + i) for i, (_, name, is_parameter, shape) in enumerate(self.told["state"])]
        own = [(name, tuple(value.shape), value) for name, value, is_parameter in state_of(self.module) if is_parameter]
        theirs = [(name, shape, number) for name, is_parameter, shape, number in wanted if is_parameter]
        self.places = by_name(own, theirs) or by_order(own, theirs)
        if len(self.places) != max(len(theirs), len(own)):
            raise Mismatch("%s has the parameters %s, and Model has %s: give them the same names, or the same shapes in the same order"
                           % (self.__name__, shown(own), shown(theirs)))
        own = [(name, tuple(value.shape), value) for name, value, is_parameter in state_of(self.module) if not is_parameter]
        theirs = [(name, shape, number) for name, is_parameter, shape, number in wanted if not is_parameter]
        self.places += by_name(own, theirs) or by_order(own, theirs)  # what it computes of its own stays
        if self.compiled:
            self.module = self.compiled(self.module)


def by_name(own, theirs):
    """Pairs of the module's tensors and the numbers of arguments."""
    shapes = {(name, shape): number for name, shape, number in theirs}
    return [(value, shapes[name, shape]) for name, shape, value in own if (name, shape) in shapes]


def by_order(own, theirs):
    if [shape for _, shape, _ in own] != [shape for _, shape, _ in theirs]:
        return []
    return [(value, number) for (_, _, value), (_, _, number) in zip(own, theirs)]


def shown(named):
    items = ["%s %s" % (name, list(shape)) for name, shape, _ in named]
    return ", ".join(items[:6] + ["and %d more" % (len(items) - 6)] * (len(items) > 6)) or "none"

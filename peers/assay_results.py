# SPDX-License-Identifier: Apache-2.0
"""What a reference in Python gives for small inputs: which results, of which types and shapes, and which inputs it changes."""
import difflib
import inspect
import random
import sys
import types

# assay's name of a type, and those of PyTorch and NumPy; "" where there is none.
TYPES = {
    "fp32": ("float32", "float32"), "fp16": ("float16", "float16"), "bf16": ("bfloat16", ""), "fp64": ("float64", "float64"),
    "fp8_e4m3": ("float8_e4m3fn", ""), "fp8_e5m2": ("float8_e5m2", ""), "int8": ("int8", "int8"), "int16": ("int16", "int16"),
    "int32": ("int32", "int32"), "int64": ("int64", "int64"), "uint8": ("uint8", "uint8"), "bool": ("bool", "bool"),
    "fp4_e2m1x2": ("uint8", "uint8"), "e8m0": ("float8_e8m0fnu", ""),
}
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "fp4_e2m1x2")


class Refused(Exception):
    """The text is a whole sentence for whoever wrote the file."""


def meant(word):
    """The type that another name of it means, in a list; else one of a similar name."""
    others = {"float": "fp32", "half": "fp16", "double": "fp64", "int": "int32", "long": "int64"}
    others.update((name, own) for own, names in TYPES.items() for name in names if own != "fp4_e2m1x2")
    return [others[word]] if word in others else difflib.get_close_matches(word, TYPES, 1)


def instead(names, wanted):
    """What a module has in place of a function."""
    if wanted in names:
        return ", but %s of that name" % type(names[wanted]).__name__
    own = [name for name, value in names.items() if isinstance(value, type) and wanted in vars(value)]
    return " but in the class '%s'" % own[0] if own else ""


def place_of(error, path):
    """ at line 3: of the operator's file, where an exception passed through it."""
    lines = [error.lineno] if isinstance(error, SyntaxError) and error.filename == path else []
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == path:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return " at line %d" % lines[-1] if lines else ""


def describe(error, path):
    text = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    return "%s%s%s" % (type(error).__name__, place_of(error, path), ": " + text[:300] if text else "")


def advice(error):
    """On what an import of the file raises."""
    return "; it is in no package: import what lies beside it by its name, without dots" if "relative import" in str(error) else ""


def seed_all(seed):
    """Gives this seed to all that draws random numbers and has no seed of its own."""
    random.seed(seed)
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if torch:
        torch.manual_seed(seed)
    if numpy:
        numpy.random.seed(seed & 0xffffffff)
        make = getattr(numpy.random.default_rng, "assay_make", numpy.random.default_rng)
        numpy.random.default_rng = lambda given=None: make(seed if given is None else given)
        numpy.random.default_rng.assay_make = make


def is_kernelbench(module):
    """Whether it is a problem of KernelBench's form (assay_kernelbench.py)."""
    return isinstance(getattr(module, "Model", None), type) and callable(getattr(module, "get_inputs", None)) \
        and not hasattr(module, "inputs")


def is_data(value):
    """Whether it is a tensor that holds numbers, of PyTorch or NumPy."""
    return hasattr(value, "dtype") and hasattr(value, "shape") and not getattr(value, "is_meta", False)


class Arrays:
    """Tensors of PyTorch, or arrays of NumPy, behind one face."""

    def __init__(self, module):
        self.is_torch = module.__name__ == "torch"
        self.module, self.column = module, 0 if self.is_torch else 1
        self.kind = module.Tensor if self.is_torch else module.ndarray

    def dtype(self, name):
        found = TYPES.get(name, (name, name))[self.column]
        return getattr(self.module, found, None) if found else None

    def of_data(self, value):
        """What `inputs` has made, as a tensor of its own."""
        if not self.is_torch:
            return self.module.array(value)
        return value.detach().cpu().clone() if isinstance(value, self.kind) else self.module.tensor(value)

    def make(self, numbers, dtype, shape):
        make = self.module.tensor if self.is_torch else self.module.array
        return make(numbers, dtype=dtype).reshape(shape)

    def name_of(self, value):
        word = str(value.dtype).rpartition(".")[2]
        return next((name for name, words in TYPES.items() if words[self.column] == word), None)

    def copy(self, value):
        return value.clone() if self.is_torch else value.copy()

    def is_same(self, one, other):
        return bool(self.module.equal(one, other) if self.is_torch else self.module.array_equal(one, other))


def arrays_of(module):
    """PyTorch if the file's own names are of it, else NumPy; None: there is neither."""
    owners = {(value.__name__ if isinstance(value, types.ModuleType) else str(getattr(value, "__module__", ""))).partition(".")[0]
              for value in list(vars(module).values())}
    for name in ["torch"] * ("torch" in owners or ("torch" in sys.modules and "numpy" not in owners)) + ["numpy"]:
        try:
            return Arrays(__import__(name))
        except ImportError:
            pass
    return None


def numbers_of(dtype, count, family, arguments, seed):
    """That many numbers, as the family says."""
    draw = random.Random(seed)
    first = arguments[0] if arguments else None
    if family in ("zeros", "ones", "constant"):
        return [{"zeros": 0, "ones": 1}.get(family, first)] * count
    if family == "exact":
        return [draw.randint(-4, 4) if dtype not in ("uint8", "bool") else draw.randint(0, 1) for _ in range(count)]
    if family == "mask" or dtype == "bool":
        return [int(draw.random() < (0.5 if first is None else first)) for _ in range(count)]
    if family == "below":
        return [draw.randrange(int(first)) for _ in range(count)]
    if family == "unique":
        return draw.sample(range(int(first)), count)
    if family == "lengths":
        return ([int(first)] + [draw.randint(1, int(first)) for _ in range(count)])[:count]
    if family == "indptr":
        return ([0] + sorted(draw.randint(0, int(first)) for _ in range(count - 2)) + [int(first)])[-count:]
    if dtype in WHOLE:
        limit = 128 if dtype in ("int8", "uint8", "fp4_e2m1x2") else 1 << 15
        return [i % limit for i in range(count)] if family in ("", "range") else [draw.randrange(limit) for _ in range(count)]
    low, high = {"positive": (0.5, 2), "probs": (0.1, 1)}.get(family, (-1, 1))
    some = [draw.uniform(low, high) for _ in range(min(count, 997))]
    return (some * (count // max(len(some), 1) + 1))[:count]


class Run:
    """One call of the reference with inputs of one set of sizes: tensors and numbers by name."""

    def __init__(self, arrays, reference, inputs, seed, stand_in=None):
        self.arrays, self.stood_in, self.kept = arrays, set(), set()
        tensors, numbers, data = inputs
        made = {name: arrays.of_data(value) for name, value in data.items()}
        for name, (dtype, shape, family, arguments) in tensors.items():
            if name in made:
                continue
            kind = arrays.dtype(dtype)
            if dtype not in WHOLE + ("bool", "fp64", "fp32"):
                if stand_in:
                    kind = arrays.dtype(stand_in)
                if kind is None:
                    raise NotImplementedError(dtype)
                self.stood_in.add(dtype)
            elif dtype in ("fp64", "fp32"):
                self.kept.add(dtype)
            count = 1
            for size in shape:
                count *= size
            made[name] = arrays.make(numbers_of(dtype, count, family, arguments, seed), kind, shape)
        before = {name: arrays.copy(value) for name, value in made.items()}
        returned = reference(**call_arguments(reference, {**numbers, **made}))
        self.changed = [name for name in made if not arrays.is_same(made[name], before[name])]
        self.results = self.read(returned, made)

    def read(self, returned, made):
        """Name, type and shape of each result that is no changed input."""
        if not isinstance(returned, dict):
            items = returned if isinstance(returned, (tuple, list)) else [] if returned is None else [returned]
            items = [item for item in items if not any(item is made[name] for name in self.changed)]
            returned = {"out%d" % i: item for i, item in enumerate(items)}
        results = {}
        for name, value in returned.items():
            if name in made:
                self.changed += [name] * (name not in self.changed)
                continue
            if self.arrays.module.__name__ == "numpy" and isinstance(value, self.arrays.module.generic):
                value = self.arrays.module.asarray(value)
            if not isinstance(name, str) or not isinstance(value, self.arrays.kind):
                raise Refused("reference returns %s in place of %s of %s; return tensors, or a dict of names and tensors"
                              % (type(value).__name__, "'%s', a tensor" % name, self.arrays.module.__name__))
            dtype = self.arrays.name_of(value)
            if not dtype:
                raise Refused("reference returns '%s' in %s, and no result of assay has that type; convert it" % (name, value.dtype))
            results[name] = dtype, [int(size) for size in value.shape]
        if not results and not self.changed:
            raise Refused("reference returns None and changes no input; return the results")
        return results


def call_arguments(function, known):
    """What of the known names the function takes, as keyword arguments."""
    arguments = {}
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.VAR_KEYWORD:
            return known
        if p.kind is p.POSITIONAL_ONLY or (p.kind is not p.VAR_POSITIONAL and p.name not in known and p.default is p.empty):
            raise Refused("reference needs '%s', which is no name of what inputs returns, and no axis (%s); rename it, or give it a "
                          "default" % (p.name, ", ".join(known)))
        if p.name in known:
            arguments[p.name] = known[p.name]
    return arguments


def is_lacking(error):
    """Whether a processor lacks an operation in a narrow type, or the package the type."""
    return isinstance(error, NotImplementedError) or "not implemented for" in str(error)


def run(arrays, reference, inputs, seed):
    """A Run of which the results have the types that they will have. What a package lacks in a narrow type is done in two wider ones:
    a result whose type goes with the inputs' has theirs.
    """
    try:
        return Run(arrays, reference, inputs, seed)
    except Exception as error:
        if not is_lacking(error):
            raise
    found = Run(arrays, reference, inputs, seed, "float32")
    wider = Run(arrays, reference, inputs, seed, "float64")
    for name, (dtype, shape) in found.results.items():
        if wider.results.get(name, (None,))[0] == dtype:
            continue
        if len(found.stood_in) != 1 or found.kept:
            raise Refused("the type of '%s' cannot be seen where %s stands in for %s; write outputs = {'%s': ...} into the file"
                          % (name, dtype, ", ".join(sorted(found.stood_in)), name))
        found.results[name] = min(found.stood_in), shape
    return found

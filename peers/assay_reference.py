# SPDX-License-Identifier: Apache-2.0
"""The process of a reference written in Python. Started by assay itself:
python3 -u assay_reference.py libassay_worker.so host float64|written|accept|inputs [cuda:0]

It is a host as assay_bridge.py's, whose kernel calls a function by the names of its parameters and stores what it returns. With
`float64` floating-point tensors arrive as float64, and PyTorch computes in it whatever type the function names; with `written` they
have the types that are declared. Problems with large tensors are computed on the device, where one is named and PyTorch has it;
inputs are filled there, and what raises there is computed on the processor. With `inputs` the function is the one that makes tensors: it gets a seed, and its
results are data. With `accept` it is the one that says whether results are right: it gets inputs, results and right results, and its
answer is a sentence.
"""
import contextlib
import ctypes
import importlib.util
import inspect
import os
import re
import sys
import warnings

import assay_abi as abi
import assay_bridge as bridge
import assay_call
import assay_draws
import assay_results
from assay_call import NO_INTEGER, Mismatch

bridge.MACHINERY += ("assay_draws.py", "assay_float64.py", "assay_reference.py")
MODE = "".join(sys.argv[3:4])
IS_FLOAT64 = MODE == "float64"
DEVICE = "".join(sys.argv[4:5])
DEVICE_FROM_BYTES = 64 << 20
IMPORT = re.compile(rb"^\s*(?:import|from)\s+(torch|numpy)\b", re.MULTILINE)
ACCEPTS = "accept", "assay_accept"  # functions that say whether what was drawn is right; the second: control/plan/dataset/definition.h
FILLS, NOTE = "assay_fills", "fills"  # op/declared/declared_fills.h


class Plain:
    """Views of assay's memory. The function fills its outputs."""

    fills = False  # inputs, by itself

    def __init__(self, problem):
        pass

    def give(self, tensor, is_input):
        return tensor

    def call(self, function, args, kwargs):
        return function(*args, **kwargs)

    def check_inputs(self, given):
        pass

    def leave_device(self, error):
        """Computes on the processor from now on; False: it did so, or there is no use."""
        return False

    def rest(self):
        """Nothing is computed for a while."""

    def store(self, name, target, value):
        raise Mismatch("it returned '%s'; without PyTorch and NumPy a reference fills its outputs and returns nothing" % name)

    def keep(self, target, tensor):
        """What was written into an argument."""


def check_kind(name, declared, value, kinds):
    """Rejects a result that is no tensor, or of another shape or kind of number. kinds: of the two."""
    shape = tuple(value.shape)
    if shape != tuple(declared.shape):
        raise Mismatch("it returned '%s' in the shape %s, which is declared as %s" % (name, list(shape), list(declared.shape)))
    if kinds == ("i", "f") and IS_FLOAT64:
        raise Mismatch("it returned '%s' as %s; of a result with steps it returns the number that is not rounded, of another one "
                       "a floating-point type" % (name, str(value.dtype).replace("torch.", "")))
    if kinds == ("f", "i") and not IS_FLOAT64:
        return  # of steps, else it was refused in float64: rounded when it is stored
    if kinds[0] != kinds[1]:
        raise Mismatch("it returned '%s' as %s, which is declared as %s; convert it"
                       % (name, str(value.dtype).replace("torch.", ""), KIND_NAMES[kinds[1]]))


def rounded(package, name, value, dtype):
    """A result with steps as the integers that are stored. package: PyTorch or NumPy."""
    if bool(package.isnan(value).any()):
        raise Mismatch("it returned '%s' with NaN, and no integer is right there: say which number is" % name)
    info = package.iinfo(dtype)
    return value.round().clip(info.min, info.max)


KIND_NAMES = {"f": "a floating-point type", "i": "an integer type", "b": "bool"}


class Torch(Plain):
    """PyTorch's tensors: inputs are copies, which the function may change at no harm, but is told so."""

    def __init__(self, problem):
        import assay_torch
        import torch
        self.torch = torch
        for spec in problem.specs:
            if assay_torch.DTYPES[spec.dtype] is None and spec.dtype == "fp4_e2m1x2":
                assay_torch.DTYPES[spec.dtype] = torch.uint8
            elif assay_torch.DTYPES[spec.dtype] is None:
                raise NotImplementedError("PyTorch %s has no %s" % (torch.__version__, spec.dtype))

        is_large = sum(spec.nbytes for spec in problem.specs) >= DEVICE_FROM_BYTES
        self.device = DEVICE if DEVICE and is_large and torch.cuda.is_available() else "cpu"
        self.fills = self.device != "cpu"
        self.specs = {spec.role: spec for spec in problem.specs}

    def filled(self, name, record):
        """An input that nobody has filled yet: in the memory of the device, as `record` says."""
        import assay_torch
        written, spec = abi.DTYPES[ctypes.c_int32.from_address(record).value][0], self.specs[name]
        if assay_torch.DTYPES[written] is None:
            raise NotImplementedError("PyTorch %s has no %s" % (self.torch.__version__, written))
        kind = self.torch.uint8 if written in assay_torch.BYTES else assay_torch.DTYPES[written]
        made, text = self.torch.empty(spec.shape, dtype=kind, device=DEVICE), ctypes.create_string_buffer(512)
        message = abi.Message(len(text), 0, ctypes.addressof(text))
        self.torch.cuda.synchronize()
        if ctypes.CDLL(sys.argv[1]).assay_python_fill(DEVICE.encode(), ctypes.c_void_p(record), ctypes.c_void_p(made.data_ptr()),
                                                      ctypes.byref(message)) < 0:
            raise RuntimeError(text.value.decode(errors="replace"))
        return made.view(assay_torch.DTYPES[written]).to(self.device, assay_torch.DTYPES[spec.dtype])

    def give(self, tensor, is_input):
        return tensor.to(self.device, copy=is_input)

    def call(self, function, args, kwargs):
        from assay_float64 import WholeNumbers
        with contextlib.ExitStack() as modes:
            if self.device != "cpu":
                modes.enter_context(self.torch.device(self.device))  # where it makes tensors
            modes.enter_context(WholeNumbers())
            modes.enter_context(mode_of("torch"))
            return function(*args, **kwargs)

    def rest(self):
        if self.device != "cpu":
            self.torch.cuda.empty_cache()

    def leave_device(self, error):
        is_full = self.fills and isinstance(error, self.torch.cuda.OutOfMemoryError)  # in a narrower type there may be room
        if self.device == "cpu" or is_full:
            return False
        self.device = "cpu"
        self.torch.cuda.empty_cache()
        return True

    def keep(self, target, tensor):
        if target is not tensor:
            tensor.copy_(target)

    def check_inputs(self, given):
        for name, tensor in given.items():
            if tensor._version:
                raise Mismatch("it changed '%s', an input; compute with %s.clone(), or declare it as 'inout'" % (name, name))

    def kind(self, dtype):
        return "c" if dtype.is_complex else "f" if dtype.is_floating_point else "b" if dtype == self.torch.bool else "i"

    def store(self, name, target, value):
        if value is target:
            return
        if isinstance(value, (bool, int, float)):
            value = self.torch.tensor(value)
        if not self.torch.is_tensor(value):
            raise Mismatch("it returned %s as '%s'; return a tensor" % (type(value).__name__, name))
        value = value.to(target.device)
        check_kind(name, target, value, (self.kind(value.dtype), self.kind(target.dtype)))
        if self.kind(value.dtype) == "f" and self.kind(target.dtype) == "i":
            value = rounded(self.torch, name, value, target.dtype)
        target.copy_(value)
        if self.kind(value.dtype) == "i" and not self.torch.equal(target.to(value.dtype), value):
            raise Mismatch("it returned '%s' with numbers beyond %s" % (name, str(target.dtype).replace("torch.", "")))


class Numpy(Plain):
    """Arrays of NumPy, which has no bf16: that arrives as float32, and is rounded to nearest even when it is stored."""

    LACKING = ("fp8_e4m3", "fp8_e5m2", "e8m0")

    def __init__(self, problem):
        import numpy
        self.numpy = numpy
        for spec in problem.specs:
            if spec.dtype in self.LACKING:
                raise NotImplementedError("NumPy %s has no %s" % (numpy.__version__, spec.dtype))

    def give(self, tensor, is_input):
        made = self.numpy.asarray(tensor)
        if tensor.dtype == "bf16":
            made = (made.astype("<u4") << 16).view("<f4")
            made.flags.writeable = not is_input
        return made

    def call(self, function, args, kwargs):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "invalid value encountered in cast")  # which NumPy says from 1.24 on
            try:
                return function(*args, **kwargs)
            except RuntimeWarning as error:
                raise Mismatch(NO_INTEGER) from error

    def keep(self, target, tensor):
        if tensor.dtype == "bf16":
            bits = target.view("<u4")
            rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
            self.numpy.asarray(tensor)[...] = self.numpy.where(self.numpy.isnan(target), bits >> 16 | 0x40, rounded)

    def kind(self, dtype):
        return {"u": "i"}.get(dtype.kind, dtype.kind)

    def store(self, name, target, value):
        if value is target:
            return
        if value is None or isinstance(value, (str, list, tuple, dict)):
            raise Mismatch("it returned %s as '%s'; return an array" % (type(value).__name__, name))
        value = self.numpy.asarray(value)
        check_kind(name, target, value, (self.kind(value.dtype), self.kind(target.dtype)))
        if self.kind(value.dtype) == "f" and self.kind(target.dtype) == "i":
            value = rounded(self.numpy, name, value, target.dtype)
        target[...] = value
        if value.dtype.kind in "iu" and not (target == value).all():
            raise Mismatch("it returned '%s' with numbers beyond %s" % (name, target.dtype))


LIBRARIES = {"torch": Torch, "numpy": Numpy, "assay": Plain}


@contextlib.contextmanager
def mode_of(tensors):
    """What makes PyTorch compute in float64, where that is asked for."""
    if tensors != "torch" or not IS_FLOAT64:
        yield
        return
    import torch
    from assay_float64 import Float64
    torch.set_default_dtype(torch.float64)
    with Float64():
        yield


class Reference:
    """The function as a kernel."""

    def __init__(self, function, library, may_draw=False):
        self.function, self.library, self.may_draw = function, library, may_draw
        self.tensors = "torch" if library == "torch" else "assay"  # what the bridge makes

    def prepare(self, problem):
        self.world = LIBRARIES[self.library](problem)
        shown = object.__new__(type(problem))  # a copy; the module copy looks for one named org, before this process is confined
        vars(shown).update(vars(problem))
        shown.specs = [spec for spec in problem.specs if spec.role != FILLS]
        try:
            self.binding = assay_call.bind(self.function, shown, None, "it")
        except Mismatch as error:  # a manifest gives kernels an order of arguments, not a reference
            raise Mismatch(re.sub("(, or|;) write (for example )?'call: .*", "", str(error)))

    def __call__(self, problem, inputs, outputs, stream):
        try:
            self.compute(inputs, outputs)
        except RuntimeError as error:  # such as no memory, or tensors that its module has made elsewhere
            if not self.world.leave_device(error):
                raise
            self.compute(inputs, outputs)
        finally:
            self.world.rest()

    def compute(self, inputs, outputs):
        memory = dict(zip(inputs.roles + outputs.roles, inputs + outputs))
        records = self.records(memory.pop(FILLS, None))
        given = {}
        for i, (name, tensor) in enumerate(memory.items()):
            is_input = name in inputs.roles
            is_filled = is_input and i < len(records) and ctypes.c_int32.from_address(records[i]).value
            given[name] = self.world.filled(name, records[i]) if is_filled else self.world.give(tensor, is_input)
        args, kwargs = self.binding.arguments(given)
        with assay_draws.Seeded(self.may_draw):
            returned = self.world.call(self.function, args, kwargs)
        self.world.check_inputs({name: given[name] for name in memory if name in inputs.roles})
        for name, value in self.binding.results(returned, given):
            self.world.store(name, given[name], value)
        for name in outputs.roles:
            self.world.keep(given[name], memory[name])


    def records(self, fills):
        """Addresses of what says, of each input, how it is filled."""
        if fills is None or not self.world.fills:
            return []
        return [fills.data_ptr() + i * fills.shape[1] for i in range(fills.shape[0])]


class Maker(Reference):
    """The function `inputs` as a kernel: of axes, scalars and a seed."""

    def prepare(self, problem):
        self.world = LIBRARIES[self.library](problem)
        taken = inspect.signature(self.function).parameters
        self.numbers = {name: value for name, value in assay_call.numbers_for(self.function, problem).items() if name in taken}

    def __call__(self, problem, inputs, outputs, stream):
        seed = inputs[0]
        assay_results.seed_all(int(seed[0] if self.tensors == "torch" else seed.memory().cast("q")[0]) & (1 << 63) - 1)
        try:
            made = self.function(**self.numbers)
        except (Exception, SystemExit) as error:
            raise Mismatch("inputs raises " + bridge.describe(error, bridge.folders.active)) from error
        for tensor, name in zip(outputs, outputs.roles):
            target, value = self.world.give(tensor, False), made.get(name)
            if not assay_results.is_data(value):
                raise Mismatch("it gives %s as '%s', which is data for other sizes" % (type(value).__name__, name))
            value = assay_results.Arrays(sys.modules[self.library]).of_data(value)
            if value.dtype != target.dtype:
                raise Mismatch("it makes '%s' as %s, and as %s for other sizes"
                               % (name, *(str(t.dtype).replace("torch.", "") for t in (value, target))))
            self.world.store(name, target, value)


class Judge(Reference):
    """The function `accept` as a kernel: of inputs, results and right results, by name."""

    GOT, RIGHT = "assay_got%d", "assay_expected%d"  # op/declared/declared.h

    LAUNCHES = "assay_launches"

    def __init__(self, function, library, names):
        super().__init__(function, library)
        self.names = names

    def prepare(self, problem):
        self.world = LIBRARIES[self.library](problem)
        self.numbers = assay_call.numbers_for(self.function, problem)

    def compute(self, inputs, outputs):
        given = {name: self.world.give(tensor, True) for name, tensor in zip(inputs.roles, inputs)}
        got, right = ({name: given.pop(form % i) for i, name in enumerate(self.names)} for form in (self.GOT, self.RIGHT))
        if self.LAUNCHES in given:
            launches = int(given.pop(self.LAUNCHES))
            if self.library not in ("torch", "numpy"):
                raise Mismatch("of a sampler it gets arrays; import numpy or torch in its file")
            got = {name: tensor[:launches] for name, tensor in got.items()}
        try:
            with assay_draws.Seeded(may_draw=True):
                answer = self.world.call(self.function, [{**given, **self.numbers}, got, right], {})
        except (Exception, SystemExit) as error:
            said = "it raises " + bridge.describe(error, bridge.folders.active)
        else:
            said = self.sentence(answer)
        text = (b"\1" + said.encode(errors="replace")[:254]).ljust(256, b"\0") if said else bytes(256)
        if self.tensors == "torch":
            outputs[0].copy_(self.world.torch.tensor(list(text)))
        else:
            outputs[0].memory().cast("B")[:] = text

    def sentence(self, answer):
        """What is wrong; "": nothing."""
        if answer is None or (isinstance(answer, str) and answer.strip()):
            return " ".join((answer or "").split())
        if isinstance(answer, bool) or str(getattr(answer, "dtype", "")).endswith("bool") and tuple(answer.shape) == ():
            return "" if answer else "it returned False"
        raise Mismatch("it returned %s; return None or True if all results are right, else a sentence"
                       % " ".join(repr(answer)[:100].split()))


class Prepared(bridge.Prepared):
    def warm(self):
        """Launches nothing: there are no inputs yet."""
        self.side.function.prepare(self.problem)
        return NOTE if self.side.function.world.fills else ""


def library_of(function, imported):
    """What its tensors are: of the attribute `tensors`, of what its file imports, or of what that has imported."""
    wanted = getattr(function, "tensors", None)
    if wanted in LIBRARIES:
        return wanted
    return next((name for name in ("torch", "numpy") if name in imported), None) or \
        next((name for name in ("torch", "numpy") if name in sys.modules), "assay")


def find_callable(text, folder, module_text):
    """The function of a file, whatever else Python would find under that name."""
    name, attribute, names = (text + ":").split(":")[:3]
    path = os.path.join(folder, name + ".py")
    with open(path, "rb") as source:
        imported = {word.decode() for word in IMPORT.findall(source.read())}
    with bridge.full_mask():
        for package in imported:
            with contextlib.suppress(ImportError):  # the file itself says what it lacks
                importlib.import_module(package)
        bridge.folders.enter(folder)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(name, module)
        with mode_of("torch" if "torch" in sys.modules else None):
            try:
                spec.loader.exec_module(module)
            except ImportError as error:
                error.msg = str(error.msg) + assay_results.advice(error)
                raise
    function = getattr(module, attribute, None)
    if module_text and assay_results.is_kernelbench(module):
        import assay_kernelbench
        make = assay_kernelbench.maker if MODE == "inputs" else assay_kernelbench.ModuleFunction
        function = make(module if MODE == "inputs" else module.Model, module_text)
    if not callable(function):
        known = [n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", None) == name]
        raise bridge.NoCallable("it has no function '%s'; its functions are: %s; write '%s.py:FUNCTION'"
                                % (attribute, ", ".join(known) or "none", name))
    library = library_of(function, imported)
    if MODE == "accept":
        return module, Judge(function, library, names.split(","))
    may_draw = any(callable(vars(module).get(name)) for name in ACCEPTS)
    return module, (Maker if MODE == "inputs" else Reference)(function, library, may_draw)


def keep_memory():
    """What is freed stays with the process: else the kernel clears the memory of every large temporary result anew."""
    with contextlib.suppress(AttributeError, OSError):  # of another C library than GNU's
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(-4, 0), mallopt(-1, (1 << 31) - 1)  # M_MMAP_MAX, M_TRIM_THRESHOLD: malloc.h


if __name__ == "__main__":
    keep_memory()
    bridge.find_callable, bridge.Prepared = find_callable, Prepared
    del sys.argv[3:]
    bridge.main()

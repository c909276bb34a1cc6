# SPDX-License-Identifier: Apache-2.0
"""The process of kernels written in Python. Started by assay itself: python3 -u assay_bridge.py libassay_worker.so [host]

With `host` the library does what `assay host` does: it loads, prepares and launches the kernel of one side as the judge's
commands on descriptor 3 say. Without, it is a whole worker, as `assay worker` is: it reads the work order from standard input,
measures, checks and writes records to descriptor 3. Either calls back into this file to load, prepare and launch Python kernels.
A Python exception becomes the message of the callback that raised it (type, text and place); the whole traceback goes to
standard error.
"""
import contextlib
import ctypes
import functools
import gc
import importlib
import importlib.util
import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
CHOSE, VERSION = "; chose ", "@"  # record/check_result.h
MACHINERY = ("assay_bridge.py", "assay_call.py", "assay_folders.py", "assay_kernelbench.py", "assay_numpy.py",
             "assay_perf_report.py", "assay_revision.py", "assay_tensor.py", "assay_threads.py", "assay_torch.py")
sys.dont_write_bytecode = True  # write no __pycache__ into the user's folders
if HERE not in sys.path:
    sys.path.append(HERE)

import assay_abi as abi  # noqa: E402
import assay_call  # noqa: E402
import assay_path  # noqa: E402
import assay_results  # noqa: E402
import assay_tensor  # noqa: E402
import assay_threads  # noqa: E402
import assay_revision  # noqa: E402
from assay_folders import Folders, read_folders  # noqa: E402
from assay_threads import bind_openmp, full_mask  # noqa: E402

assay_threads.set_environment()


class NoCallable(Exception):
    """The module is there, the function is not."""


class Side:
    """A side's function, how it is called, the folder that it was imported from, and whose its tensors are (torch, numpy, assay)."""

    def __init__(self, function, module, folder, backend, text=""):
        self.name, self.order = assay_call.split(text)
        self.function, self.module, self.folder, self.backend = function, module, folder, backend
        self.is_bound = self.order is not None or not assay_call.takes_problem(function)
        self.tensors = kind_of_tensors(self)
        self.versions = ["Triton %s" % sys.modules["triton"].__version__] if uses(module, "triton") else []


class Call:
    """One set of tensors, wrapped once, the function as it is called with them, and the tensors that its last launch returned
    instead of writing the outputs.

    kept: returned during a capture; every replay writes them again. due: returned by a single call; still to be copied into the
    outputs.
    """

    def __init__(self, tensors, inputs, outputs, function):
        self.tensors, self.inputs, self.outputs, self.function = tensors, inputs, outputs, function
        self.kept = self.due = None


def refuse_shared(returned, world):
    """Rejects a kernel that returns the same memory for two sets: all sets are computed before any result is read."""
    places = set()
    for pairs in returned:
        for _, tensor in pairs or ():
            place = world.place_of(tensor)
            if place in places:
                raise TypeError("it returns the same tensor for every call: the results of one are overwritten by the next "
                                "before anybody looks; return a new tensor, or write the output")
            if place:  # an empty tensor has no address
                places.add(place)


class Prepared:
    """A kernel that is ready for one problem."""

    CALLS_MAX = 4096
    BATCHES_FIRST = 8

    def __init__(self, side, problem):
        self.side, self.problem = side, problem
        self.binding = assay_call.bind(side.function, problem, side.order, side.name) if side.is_bound else None
        self.has_due = bool(self.binding and self.binding.due)  # it must return something
        self.world = make_world(side, problem)
        self.calls = {}
        self.is_capturing = self.is_calling = False
        self.captured = set()  # the calls of the capture under way
        self.batches = 0
        self.moves = {}  # of a list of sets: what carry copies, as long as the last capture stands

    def call_with(self, make):
        specs = self.problem.specs
        tensors = {spec.role: make(i, spec) for i, spec in enumerate(specs)}
        inputs, outputs = (assay_tensor.TensorList([tensors[role] for role in roles], roles)
                           for roles in ([s.role for s in specs if s.is_input == is_input] for is_input in (True, False)))
        function = self.binding.caller(tensors) if self.binding else \
            functools.partial(self.side.function, self.problem, inputs, outputs)
        return Call(tensors, inputs, outputs, function)

    def call_of(self, tensors):
        key = abi.key_of(tensors)
        call = self.calls.get(key)
        if call is None:
            if len(self.calls) >= self.CALLS_MAX:
                self.calls.clear()
            items = abi.tensors_of(tensors)
            call = self.call_with(lambda i, spec: self.world.wrap(assay_tensor.TensorSpec(items[i]), items[i].data))
            self.calls[key] = call
        return call

    def invoke(self, call, stream):
        """Calls the function; what it returned instead of writing the outputs, as pairs of an output and a tensor."""
        returned = self.world.run(call.function, stream)
        if returned is None and not self.has_due:
            return None
        if self.binding:
            named = self.binding.results(returned, call.tensors)
        else:
            named = assay_call.in_order(returned, call.outputs.roles)
        return [(call.tensors[role], item) for role, item in named
                if self.world.is_new(item, call.tensors[role], role, call.inputs)]

    def warm(self):
        """Runs once before any capture: libraries load, compilers run, a backend reports that it lacks support."""
        call = self.call_with(lambda i, spec: self.world.scratch(spec))
        if any(t is None for t in call.inputs + call.outputs):
            return self.note(None)
        tuners = autotuners(self.side)
        for tuner in tuners.values():
            vars(tuner).pop("best_config", None)  # what it chose for an earlier problem
        try:
            pairs = self.invoke(call, None)
        except NotImplementedError:
            raise
        except Exception:
            if not any(s.dtype in assay_tensor.INTEGERS for s in self.problem.specs if s.is_input or s.is_inout):
                raise
            pairs = None  # offsets and indices of 0 may make no sense to it: a launch on data tells
        text = self.note(call)
        chosen = ", ".join("%s %s" % (name, config_text(tuner.best_config)) for name, tuner in tuners.items()
                           if getattr(tuner, "best_config", None) is not None)
        if chosen:
            text += CHOSE + chosen.replace(";", ",")
        if pairs:
            text += "; its results are returned: no guards lie around them"
        self.world.finish()
        return text

    def launch(self, tensors, stream):
        call = self.call_of(tensors)
        pairs = self.invoke(call, stream)
        if self.is_capturing:
            call.kept = pairs
            self.captured.add(call)
        elif self.is_calling:
            call.due = pairs
        elif pairs:
            self.copy(pairs, stream)

    def copy(self, pairs, stream):
        self.world.run(lambda _: self.world.copy(pairs), stream)

    def carry(self, sets, count, stream, is_in):
        key = (ctypes.addressof(sets[0]), count)
        if key not in self.moves:
            self.moves[key] = [pair for i in range(count) for pair in self.call_of(sets[i]).kept or ()]
        pairs = self.moves[key]
        if pairs:
            self.copy([pair[::-1] for pair in pairs] if is_in else pairs, stream)

    def capture_begin(self):
        self.world.capture_begin()
        gc.disable()  # the garbage collector must free nothing during a capture
        self.captured.clear()
        self.is_capturing = True

    def capture_end(self):
        self.is_capturing = False
        self.moves.clear()
        gc.enable()
        self.world.capture_end()
        self.park()
        try:
            refuse_shared([call.kept for call in self.captured], self.world)
        finally:
            self.captured.clear()

    def call_begin(self):
        gc.disable()
        self.is_calling = True

    def call_end(self, stream):
        self.is_calling = False
        gc.enable()
        due = [call for call in self.calls.values() if call.due]
        try:
            refuse_shared([call.due for call in due], self.world)
            for call in due:
                self.copy(call.due, stream)
        finally:
            for call in due:
                call.due = None
        self.park()

    def park(self):
        """A host needs none but in its first batches, where the judge looks for threads that do not sleep: it is stopped while
        others are timed, and how long it runs is its time.
        """
        self.batches += 1
        if not is_host() or self.batches <= self.BATCHES_FIRST:
            self.world.park()

    def note(self, call):
        """What prepare says: first the version of the library, for the name of the side (record/check_result.h)."""
        version = getattr(self.side.function, "version", None) if self.side.folder is None else None
        mark = VERSION + short_version(version) + " " if version else ""
        parts = ["Python %d.%d.%d" % sys.version_info[:3] + " (forked)" * assay_threads.IS_FORKED] + self.world.versions + self.side.versions
        parts += folders.shared(self.side.folder)[:3]
        said = getattr(self.side.function, "note", None)
        if said and call:
            parts.append(str(said(self.problem, call.inputs, call.outputs) or ""))
        return mark + ", ".join(part for part in parts if part)

    def close(self):
        self.calls.clear()
        self.world.close()


def autotuners(side):
    """Triton's autotuned kernels in the modules of the side's folder, by the names that they have there."""
    if "triton" not in sys.modules:
        return {}
    own = [m for _, m in sorted(sys.modules.items()) if side.folder and folders.is_own(m, side.folder)]
    found = {}
    for module in own or [side.module]:
        for name, value in sorted(vars(module).items()):
            # A heuristic is wrapped around the autotuner, or the autotuner around it.
            while is_of_triton(value) and type(value).__name__ != "Autotuner":
                value = vars(value).get("fn") if hasattr(value, "__dict__") else None
            if is_of_triton(value) and all(value is not tuner for tuner in found.values()):
                found[name if name not in found else "%s.%s" % (module.__name__, name)] = value
    return found


def is_of_triton(value):
    return type(value).__module__.split(".")[0] == "triton"


def config_text(config):
    """"BLOCK_M=64 BLOCK_N=32 num_warps=4": what the kernel declares, and what Triton's compiler is told."""
    settings = dict(getattr(config, "kwargs", None) or {})
    for name in ("num_warps", "num_stages"):
        if getattr(config, name, None) is not None:
            settings[name] = getattr(config, name)
    return " ".join("%s=%s" % item for item in settings.items())


folders = Folders([])  # main names the revisions, when it knows sys.path
sides = {}
prepared = {}


def kind_of_tensors(side):
    """Its `tensors` attribute decides; without it, on cuda whether PyTorch is there, on cpu what the module uses. A function that is
    given the problem gets no arrays of NumPy unless it asks for them. An extension module (pybind11, cpp_extension) names nothing that
    it uses: PyTorch must have been imported before it.
    """
    wanted = getattr(side.function, "tensors", None)
    if wanted in ("torch", "numpy", "assay"):
        return wanted
    if side.backend == "cuda":
        return "torch" if importlib.util.find_spec("torch") else "assay"
    is_extension = isinstance(getattr(side.module, "__loader__", None), importlib.machinery.ExtensionFileLoader)
    if uses(side.module, "torch") or is_extension and "torch" in sys.modules:
        return "torch"
    has_numpy = importlib.util.find_spec("numpy") if is_extension else uses(side.module, "numpy")
    return "numpy" if side.is_bound and has_numpy else "assay"


def uses(module, package):
    """Whether the module's namespace holds anything that comes from the package."""
    names = (getattr(v, "__name__", None) if isinstance(v, type(sys)) else getattr(v, "__module__", None)
             for v in vars(module).values())
    return any(isinstance(name, str) and name.split(".")[0] == package for name in names)


def make_world(side, problem):
    if side.tensors == "assay":
        return assay_tensor.PlainWorld(problem)
    if side.tensors == "numpy":
        import assay_numpy
        return assay_numpy.NumpyWorld(problem)
    import assay_torch
    return assay_torch.TorchWorld(problem, full_mask)


def text_of(value):
    """str(value), or None if it raises: __str__ is code of the kernel's author."""
    try:
        return str(value).strip()
    except BaseException:
        return None


def describe(error, folder=None):
    """"ValueError: text (kern/fa.py:12)": the place is the innermost frame in the kernel's folder, else the innermost of all."""
    text, named = text_of(error), type(error).__name__
    if isinstance(error, assay_call.Mismatch):
        return text
    if text is None:
        named += ", whose text cannot be made"
    elif text:
        named += ": " + text
    frames = [f for f in traceback.extract_tb(error.__traceback__)
              if not f.filename.startswith("<frozen") and os.path.basename(f.filename) not in MACHINERY]
    own = [f for f in frames if folder and f.filename.startswith(folder + os.sep)]
    if isinstance(error, SyntaxError) and error.filename:
        place, line = error.filename, error.lineno
    elif own or frames:
        place, line = (own or frames)[-1].filename, (own or frames)[-1].lineno
    else:
        return named
    if folder and place.startswith(folder + os.sep):
        place = os.path.relpath(place, folder)
    return "%s (%s:%s)" % (named, place, line)


def fail(message, error, code=abi.FAILED):
    """Prints the whole traceback to the worker's output and puts one sentence into the message."""
    with contextlib.suppress(BaseException):
        traceback.print_exception(type(error), error, error.__traceback__)
    abi.say(message, describe(error, folders.active))
    return code


def refuse(message, reason):
    abi.say(message, text_of(reason) or "the kernel gives no reason")
    return abi.UNSUPPORTED


def callback(body):
    """Wraps a function that C calls. When such a function raises, ctypes returns 0, which is ASSAY_OK. So no exception may reach
    ctypes: neither the kernel's, nor one of its __str__, nor one of this file; SystemExit and KeyboardInterrupt included.
    """
    @functools.wraps(body)
    def guarded(*arguments):
        try:
            message = arguments[-1] if isinstance(arguments[-1], abi.MessagePointer) else None
            try:
                result = body(*arguments)
                return abi.OK if result is None else result
            except BaseException as error:
                return fail(message, error)
        except BaseException:
            return abi.FAILED
    return guarded


def find_callable(callable_text, folder, module_text):
    name, _, attribute = assay_call.split(callable_text)[0].partition(":")
    attribute, _, form = attribute.partition(":")  # "reference:compiled"
    if folder is None:
        folders.leave()
    folders.enter(folder)
    is_report = module_text == "report"
    if is_report:
        import assay_perf_report
        assay_perf_report.prepare_testing()
    with full_mask():
        module = importlib.import_module(name)
    if is_report:
        return module, provider(vars(module).get(attribute), form)
    function = module
    if attribute == "reference" and assay_results.is_kernelbench(module):
        attribute = "Model"
    for part in attribute.split("."):
        if not hasattr(function, part):
            known = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")
                     and not isinstance(v, type) and getattr(v, "__module__", name) == name]
            raise NoCallable("module '%s' has no '%s'; its functions are: %s"
                               % (name, attribute, ", ".join(known) or "none"))
        function = getattr(function, part)
    if not callable(function):
        raise NoCallable("'%s' of module '%s' is no function" % (attribute, name))
    if module_text and isinstance(function, type):
        import assay_kernelbench
        return module, assay_kernelbench.ModuleFunction(function, module_text, compiled if form else None)
    return module, compiled(function) if form else function


def provider(mark, name):
    import assay_perf_report
    try:
        return assay_perf_report.Provider(mark, name)
    except (KeyError, AttributeError) as error:
        raise NoCallable(str(error.args[0])) from error


def compiled(function):
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # in this process: none of its own lives on beside kernels
    import torch
    if not hasattr(torch, "compile"):
        raise NoCallable("PyTorch %s has no torch.compile" % torch.__version__)
    return torch.compile(function, dynamic=False)


def is_same_or_parent(missing, name):
    return missing == name or name.startswith((missing or "?") + ".")


@callback
def load(side, callable_bytes, path, backend, told, message):
    kinds, _, module_text = told.decode().partition("\n")
    assay_call.note_kinds(kinds)
    text, folder = callable_bytes.decode(), os.fsdecode(path) if path else None
    name = text.partition(":")[0]
    if backend == b"cpu":
        bind_openmp()
    try:
        module, function = find_callable(text, folder, module_text)
        folders.check(folder)
        sides[side] = Side(function, module, folder, backend.decode(), text)
        return abi.OK
    except NoCallable as error:
        code, said = abi.LOAD_UNKNOWN, str(error)
    except ModuleNotFoundError as error:
        if is_same_or_parent(error.name, name):
            code, said = abi.LOAD_UNKNOWN, "there is no module '%s' in %s or where Python looks" % (name, folder or HERE)
        else:
            code, said = abi.LOAD_INCOMPLETE, lacks(error.name)
    except BaseException as error:
        return fail(message, error, abi.LOAD_RAISED)
    abi.say(message, said)
    return code


def short_version(text):
    """"2.11.0" of "2.11.0+cu130", "9.19.0" of "9.19.0.56"; "2.12.0.dev20261126" stays, since every night's build is another one."""
    parts = text.partition("+")[0].split(".")
    return ".".join(parts[:3] + [part for part in parts[3:4] if not part.isdigit()])


def version_of(packages):
    """The version of the first of the packages that is installed, by what its installer wrote; "" when nothing did, or what
    it left cannot be read: a package that imports is no worse for that.
    """
    from importlib import metadata
    for name in packages:
        with contextlib.suppress(Exception):
            return short_version(metadata.version(name))
    return ""


def lacks(name):
    return "it imports '%s', which %s does not have" % (name, sys.executable)


@callback
def find(callable_bytes, message):
    """Whether the packages that one of assay's own modules imports are installed, and in which version; read from its source,
    without importing it: PACKAGES there are those that have the version of a function.
    """
    import ast
    module, _, function = callable_bytes.decode().partition(":")
    with open(os.path.join(HERE, module + ".py"), "rb") as source:
        statements = ast.parse(source.read()).body
    packages = {}
    for statement in statements:
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", None) == "PACKAGES":
            packages = ast.literal_eval(statement.value)
        names = [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else \
            [statement.module] if isinstance(statement, ast.ImportFrom) else []
        for name in names:
            if importlib.util.find_spec(name.partition(".")[0]) is None:
                abi.say(message, lacks(name))
                return abi.LOAD_INCOMPLETE
    abi.say(message, version_of(packages.get(function, ())))
    return abi.OK


@callback
def supports(side, problem, message):
    mine = sides[side]
    folders.enter(mine.folder)
    asked = getattr(mine.function, "supports", None)
    known = getattr(mine.function, "features", "").split()
    for feature in (problem.contents.features or b"").decode().split():
        if feature not in known:
            return refuse(message, "the function does not know the feature '%s'" % feature)
    try:
        answer = asked(assay_tensor.Problem(problem.contents, mine.backend)) if asked else None
    except NotImplementedError as error:
        return refuse(message, error)
    return abi.OK if answer is None or answer is True else refuse(message, answer or None)


@callback
def prepare(side, problem, env, ret_handle, message):
    mine = sides[side]
    folders.enter(mine.folder)
    try:
        made = Prepared(mine, assay_tensor.Problem(problem.contents, mine.backend, env.contents))
        note = made.warm()
        folders.check(mine.folder)
    except NotImplementedError as error:
        return refuse(message, error)
    handle = max(prepared, default=0) + 1
    prepared[handle] = made
    ret_handle[0] = handle
    abi.say(message, note)


def kernel_of(handle):
    """The prepared kernel of a handle; its folder's modules become the active ones."""
    made = prepared[handle]
    folders.enter(made.side.folder)
    return made


@callback
def launch(handle, tensors, stream, message):
    kernel_of(handle).launch(tensors.contents, stream)


@callback
def release(handle):
    made = prepared.pop(handle, None)
    if made:
        made.close()


@callback
def capture_begin(handle, stream, message):
    kernel_of(handle).capture_begin()


@callback
def capture_end(handle, stream, message):
    kernel_of(handle).capture_end()


@callback
def outputs_in(handle, sets, count, stream, message):
    kernel_of(handle).carry(sets, count, stream, True)


@callback
def outputs_out(handle, sets, count, stream, message):
    kernel_of(handle).carry(sets, count, stream, False)


@callback
def call_begin(handle, stream, message):
    kernel_of(handle).call_begin()


@callback
def call_end(handle, stream, message):
    kernel_of(handle).call_end(stream)


def is_host():
    return sys.argv[2:] == ["host"]


def main():
    library = ctypes.CDLL(sys.argv[1])
    callbacks = abi.Callbacks(
        struct_size=ctypes.sizeof(abi.Callbacks), layout=abi.layout().encode(), load=abi.LoadFn(load),
        supports=abi.SupportsFn(supports), prepare=abi.PrepareFn(prepare), launch=abi.LaunchFn(launch),
        release=abi.ReleaseFn(release), capture_begin=abi.CaptureFn(capture_begin),
        capture_end=abi.CaptureFn(capture_end), outputs_in=abi.OutputsFn(outputs_in),
        outputs_out=abi.OutputsFn(outputs_out), call_begin=abi.CaptureFn(call_begin), call_end=abi.CaptureFn(call_end),
        find=abi.FindFn(find))
    assay_path.restore()
    folders.revisions = assay_revision.told()
    if is_host():
        for revision in folders.revisions:  # of its one side
            revision.enter()
        readable = [os.fsencode(path) for path in read_folders(folders.revisions)]
        code = library.assay_python_host_main(ctypes.byref(callbacks), abi.texts(readable))
    else:
        code = library.assay_python_worker_main(ctypes.byref(callbacks))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # skips the exit handlers of libraries


if __name__ == "__main__":
    main()

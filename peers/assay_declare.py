# SPDX-License-Identifier: Apache-2.0
"""What operators Python files of two functions, `inputs` and `reference`, declare. Started by assay itself, in the folder that the
files' imports may read: python3 assay_declare.py libassay_worker.so SCRATCH MEMORY_BYTES FILE NAME [FILE NAME]...

Of several files each is read by a fork of the interpreter, which knows nothing of the others. The answer of each is a line of JSON:
the mapping that a manifest would have under `operators` ("operator"), a suite of the file's problems ("suite"), or the sentence that
says what is wrong ("error"). What the file itself prints goes to standard error.

`inputs` is called with sizes that have no numbers (assay_sizes.py), so that it writes its own expressions; where it needs numbers, it is
called with several, and expressions are fitted to what it returns. What the reference returns is seen by running it on small tensors.
"""
import contextlib
import ctypes
import difflib
import importlib.util
import inspect
import json
import numbers
import os
import re
import signal
import sys

import assay_abi as abi
import assay_folders
import assay_path
import assay_results
import assay_revision
import assay_sizes
from assay_results import Refused, describe

FAMILIES = ("normal uniform positive probs outliers large small exact zeros ones constant range below unique lengths indptr mask "
            "bits").split()
RULES = ["picks", "used", "steps", "ignored"]  # of results, and of inputs that need not matter
EXAMPLE = "'bf16[{rows}, {hidden}]'"
WORD = r"(\w+)\s*(?:\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\))?\s*"  # arguments may have two levels of parentheses
SPEC = re.compile(r"\s*(\w+)\s*\[(.*?)\]\s*((?:%s)*)$" % WORD, re.S)
ELEMENTS_MAX = 1 << 18  # of the tensors that the reference is tried with
SETS_WANTED = 5


def items_of(text):
    """The items between commas that stand in no parentheses."""
    items, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            items.append("")
        else:
            items[-1] += letter
    return [assay_sizes.bare(item) for item in items] if text.strip() else []


class Spec:
    """A tensor as texts: its type, its sizes, and words with their arguments, of which a family says what fills it."""

    def __init__(self, dtype, sizes, words=(), data=None):
        self.dtype, self.sizes, self.words = dtype, list(sizes), list(words)
        self.data = data  # that inputs has made for these sizes

    def family(self):
        return next((word for word in self.words if word[0] in FAMILIES + ["made"]), ("", []))

    def text(self):
        words = [" " + word + ("(%s)" % ", ".join(arguments) if arguments else "") for word, arguments in self.words]
        return "%s[%s]%s" % (self.dtype, ", ".join(self.sizes), "".join(words))


def spec_of(name, text):
    found = SPEC.match(text)
    if "{" in text:
        raise Refused("'%s' is %r, with braces that stand for themselves; put an f in front of the text: f%r" % (name, text, text))
    if not found:
        raise Refused("'%s' is %r, which is no tensor; write for example %s" % (name, text, EXAMPLE))
    dtype, sizes, rest = found.groups()[:3]
    words = [(word, items_of(arguments)) for word, arguments in re.findall(WORD, rest)]
    for word, known, what in [(dtype, list(assay_results.TYPES), "type")] + [(word, FAMILIES + RULES, "family") for word, _ in words]:
        if word not in known:
            near = assay_results.meant(word) if what == "type" else difflib.get_close_matches(word, known, 1)
            raise Refused("'%s' is %r: there is no %s '%s', %s" % (
                name, text, what, word, "did you mean '%s'?" % near[0] if near else "but " + ", ".join(known)))
    return Spec(dtype, items_of(sizes), words)


def value_of(name, value):
    """One value that `inputs` or `outputs` gives a name: a Spec, a number, a size without a number, or None."""
    if value is None or isinstance(value, assay_sizes.Size):
        return value
    if isinstance(value, str):
        return spec_of(name, value)
    if hasattr(value, "words"):  # of assay_kernelbench.py
        return Spec(value.dtype, value.sizes, value.words)
    if isinstance(value, bool):
        return value
    if isinstance(value, numbers.Real):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        raise Refused("'%s' is %s, and a value is a text such as %s, a tensor of PyTorch or NumPy, a number or None"
                      % (name, "an object of type " + type(value).__name__, EXAMPLE))
    is_torch = hasattr(value, "is_meta")
    dtype = assay_results.Arrays(sys.modules["torch" if is_torch else "numpy"]).name_of(value)
    if not dtype:
        raise Refused("'%s' has the type %s, and types are %s" % (name, value.dtype, ", ".join(assay_results.TYPES)))
    if not (value.is_contiguous() if is_torch else value.flags.c_contiguous):
        raise Refused("'%s' has strides of its own, and inputs are dense: give %s" % (
            name, "%s.contiguous()" % name if is_torch else "numpy.ascontiguousarray(%s)" % name))
    if not assay_results.is_data(value):
        return Spec(dtype, [str(size) for size in value.shape])
    return Spec(dtype, [str(size) for size in value.shape], [("made", [])], value)


def values_of(what, returned):
    if not isinstance(returned, dict):
        raise Refused("%s is no dict but %s; give names and what they are: {'x': %s}"
                      % (what, type(returned).__name__, EXAMPLE))
    values = {name: value_of(name, value) for name, value in returned.items()}
    return {name: value for name, value in values.items() if value is not None}


class Try:
    """What a function returns for one set of sizes."""

    def __init__(self, sizes, values, scalars):
        self.sizes, self.values = sizes, values
        self.numbers = {**sizes, **{name: value for name, value in values.items() if not isinstance(value, Spec)}}
        self.tensors, self.data = {}, {}
        for name, spec in values.items():
            if isinstance(spec, Spec):
                family, arguments = spec.family()
                shape, arguments = ([assay_sizes.evaluate(text, {**scalars, **self.numbers}) for text in texts]
                                    for texts in (spec.sizes, arguments))
                self.tensors[name] = spec.dtype, shape, family, arguments
                if spec.data is not None and self.elements() <= ELEMENTS_MAX:
                    self.data[name] = spec.data
                spec.data = None

    def is_sound(self):
        return all(isinstance(size, int) and size > 0 for _, shape, _, _ in self.tensors.values() for size in shape)

    def elements(self):
        total = 0
        for _, shape, _, _ in self.tensors.values():
            count = 1
            for size in shape:
                count *= size
            total += count
        return total


class Declared:
    """What a function of axes and scalars, `inputs` or `outputs`, returns: specs, numbers and sizes by name, with axes in them."""

    def __init__(self, file, name, function, parameters):
        self.file, self.name, self.function = file, name, function
        self.axes = {p: file.axes[p] for p in parameters if p in file.axes}
        self.scalars = {p: file.scalars[p] for p in parameters if p in file.scalars}
        self.where, self.tries = [], []
        self.failure = None
        sets = list(assay_sizes.sets_of(file.axes))
        for i, sizes in enumerate(sets):
            if sizes not in sets[:i]:
                self.try_sizes(sizes)
        self.values = self.by_symbols() or self.by_numbers()

    def call(self, sizes):
        assay_results.seed_all(0)
        return values_of("what %s returns" % self.name, self.function(**{**sizes, **self.scalars}))

    def try_sizes(self, sizes):
        try:
            made = Try(sizes, self.call({name: sizes[name] for name in self.axes}), self.file.scalars)
        except Refused:
            raise
        except (Exception, SystemExit) as error:
            if not self.tries and not self.failure:  # its own defaults
                raise Refused("%s raises %s" % (self.name, describe(error, self.file.path))) from error
            self.failure = self.failure or "for %s %s raises %s" % (shown(sizes), self.name, describe(error, self.file.path))
            return
        for name, (_, shape, _, _) in made.tensors.items():
            for size in shape:
                if isinstance(size, float):
                    raise Refused("'%s' has the size %s, and sizes are whole numbers: divide by //, as in {rows // 2}, and give axes whole "
                                  "defaults, as in rows=64" % (name, size))
        if made.is_sound() or not self.tries:
            self.tries.append(made)

    def call_symbols(self):
        return self.call({name: assay_sizes.Size(name) for name in self.axes})

    def by_symbols(self):
        """None: it needs numbers, or a call with numbers gives something else."""
        found = assay_sizes.explore(self.call_symbols)
        if not found:
            return None
        values, self.where = found
        for tried in self.tries:
            known = {**tried.sizes, **self.scalars}
            again = {name: assay_sizes.evaluate(str(value), known) if isinstance(value, assay_sizes.Size) else value
                     for name, value in values.items()}
            made = Try(tried.sizes, again, self.file.scalars)
            if made.tensors != tried.tensors or made.numbers != tried.numbers:
                self.where = []
                return None
        return values

    def by_numbers(self):
        found = assay_sizes.explore(self.call_symbols, True)  # what it refuses before it needs numbers
        if found and all(assay_sizes.evaluate(text, tried.sizes) for text in found[1] for tried in self.tries):
            self.where = found[1]
        terms = [(axis, [tried.sizes[axis] for tried in self.tries]) for axis in self.axes]
        if terms and len(self.tries) < SETS_WANTED - 1:
            raise Refused("%s; it needs numbers for its sizes, and too few that were tried do: write the sizes with an f-string, as in %s"
                          % (self.failure or "%s returns tensors without elements" % self.name, EXAMPLE))
        first = self.tries[0].values
        for tried in self.tries:
            if form_of(tried.values) != form_of(first):
                raise Refused("%s returns other names, types or numbers of sizes for %s than for %s"
                              % (self.name, shown(tried.sizes), shown(self.tries[0].sizes)))
        found, left = {}, list(first)
        while left:  # one may be made of another's sizes
            before = len(left)
            for name in list(left):
                try:
                    found[name] = self.fitted(name, [tried.values[name] for tried in self.tries], terms)
                    left.remove(name)
                except Refused as error:
                    refused = error
            if len(left) == before:
                raise refused
        return {name: found[name] for name in first}

    def fitted(self, name, seen, terms):
        if any(isinstance(value, float) for value in seen) and len(set(seen)) > 1:
            raise Refused("'%s' is a number that follows from the axes (%s); let reference and kernel compute it"
                          % (name, ", ".join("%g" % value for value in seen[:3])))
        if not isinstance(seen[0], Spec):
            text = self.fit_texts(name, [str(value) for value in seen], terms)
            return seen[0] if len(set(seen)) == 1 else assay_sizes.Size(text)
        spec = Spec(seen[0].dtype, [])
        spec.sizes = [self.fit_texts(name, texts, terms) for texts in zip(*(s.sizes for s in seen))]
        terms.extend((text, [assay_sizes.evaluate(text, tried.sizes) for tried in self.tries])
                     for text in spec.sizes if not text.isidentifier() and not text.isdigit() and text not in dict(terms))
        for words in zip(*(s.words for s in seen)):
            arguments = zip(*(arguments for _, arguments in words))
            spec.words.append((words[0][0], [self.fit_texts(name, texts, terms) for texts in arguments]))
        return spec

    def fit_texts(self, name, texts, terms):
        if len(set(texts)) == 1:
            return texts[0]
        numbers_seen = [assay_sizes.evaluate(text, tried.sizes) for text, tried in zip(texts, self.tries)]
        found = all(isinstance(n, int) for n in numbers_seen) and assay_sizes.fit(numbers_seen, terms)
        if not found:
            is_data = "made" in dict(getattr(self.tries[0].values[name], "words", ()))
            raise Refused("'%s': %s for %s follow from the axes in a way that assay does not find; %s" % (
                name, ", ".join(texts[:3]), "; ".join(shown(tried.sizes) for tried in self.tries[:3]),
                "make it as large as it can get for its axes, whatever the data are" if is_data else
                "write the sizes with an f-string, as in " + EXAMPLE))
        return found


def form_of(values):
    return {name: (v.dtype, len(v.sizes), [(word, len(arguments)) for word, arguments in v.words]) if isinstance(v, Spec) else type(v)
            for name, v in values.items()}


def shown(sizes):
    return ", ".join("%s=%d" % item for item in sizes.items())


def is_report(path):
    """Whether the file measures by itself (assay_perf_report.py)."""
    with open(path, "rb") as source:
        return b"perf_report" in source.read()


class File:
    """The operator's file: its names, and the declaration that they make."""

    def __init__(self, path, operator):
        self.path, self.operator = path, operator
        self.names = {}
        self.axes, self.scalars, self.given = {}, {}, {}
        self.report = None

    def load(self):
        spec = importlib.util.spec_from_file_location("assay_operator_file", self.path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            if is_report(self.path):
                import assay_perf_report
                assay_perf_report.prepare_testing()
            spec.loader.exec_module(module)
        except SyntaxError as error:
            raise Refused("it does not parse: " + describe(error, self.path)) from error
        except ModuleNotFoundError as error:
            raise Refused("it imports '%s', which %s does not have; install it there, or name another interpreter with "
                          "'python_interpreter' in the manifest" % (error.name, sys.executable)) from error
        except (Exception, SystemExit) as error:
            raise Refused("loading it raises " + describe(error, self.path) + assay_results.advice(error)) from error
        self.module, self.names = module, vars(module)
        if is_report(self.path) and assay_perf_report.reports_of(module):
            self.report = assay_perf_report.Problem(module, self.operator)
            self.names, self.axes = {"problems": self.report.problems}, self.report.axes
            return
        if assay_results.is_kernelbench(module):
            import assay_kernelbench
            problem = assay_kernelbench.Problem(module, self.path)
            self.names = {"inputs": lambda: dict(problem.inputs), "reference": module.Model, "outputs": problem.outputs, "module": problem.text}
        for name in ("inputs", "reference"):
            if not callable(self.names.get(name)):
                raise Refused("there is no function '%s'%s; write for example 'def %s'" % (name, assay_results.instead(self.names, name), {
                    "inputs": "inputs(rows=4096): return {'x': f%s}" % EXAMPLE.replace("hidden", "rows"),
                    "reference": "reference(x): return x.float()"}[name]))
        if "accept" in self.names:
            self.check_accept(self.names["accept"])
        if not callable(self.names.get("plain", len)):
            raise Refused("'plain' is no function; it takes what reference takes, and computes as kernels do")

    def check_accept(self, accept):
        try:
            inspect.signature(accept).bind({}, {}, {})
        except TypeError:
            raise Refused("'accept' must be a function of three dicts by name; write 'def accept(inputs, outputs, expected): return None' "
                          "with None for right results, else a sentence") from None
        if self.names.get("tolerance") is not None:
            raise Refused("'tolerance' has no effect beside 'accept', which decides alone; remove one of them")

    def is_random(self):
        """Whether it says how results are drawn; a module of that name says nothing."""
        value = self.names.get("random", False)
        if value is not False and not isinstance(value, (bool, str)) and not inspect.ismodule(value):
            raise Refused("'random' is %r; write True, or the name of the input that is the seed" % (value,))
        return value is not False and not inspect.ismodule(value)

    def read_parameters(self):
        for p in inspect.signature(self.names["inputs"]).parameters.values():
            what = "inputs: parameter '%s'" % p.name
            takes = "a whole number makes it an axis, another number, True or False a scalar"
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY):
                raise Refused("%s has no name to be given by; write every axis and scalar as NAME=DEFAULT" % what)
            if p.default is p.empty:
                advice = "; inputs is a method: write a function of no class"
                raise Refused("%s has no default%s" % (what, advice if p.name == "self" else "; %s: '%s=4096'" % (takes, p.name)))
            if not isinstance(p.default, (int, float)):
                raise Refused("%s is %r; %s, and nothing else is taken" % (what, p.default, takes))
            is_axis = isinstance(p.default, int) and not isinstance(p.default, bool)
            if is_axis and not 1 <= p.default <= 1 << 40:
                raise Refused("axis '%s': its default is %d, and a size is at least 1 and at most 2^40" % (p.name, p.default))
            (self.axes if is_axis else self.scalars)[p.name] = p.default

    def parameters_of(self, name, function):
        """Of a function of axes and scalars."""
        known = {**self.axes, **self.scalars}
        found = [p for p in inspect.signature(function).parameters]
        for p in found:
            if p not in known:
                raise Refused("%s: parameter '%s' is no axis and no scalar of inputs (%s)" % (name, p, ", ".join(known)))
        return found

    def declare(self):
        if self.report:
            return {"operator": {"axes": self.axes}, "report": self.report.name, "module": self.report.text, "suite": self.suite()}
        inputs = Declared(self, "inputs", self.names["inputs"], list(self.axes) + list(self.scalars))
        where = self.list_of("where", str, "where = ['hidden % 8 == 0']")
        self.where = list(dict.fromkeys(inputs.where + where))
        axes = dict(self.axes)
        tensors, self.given = {}, {}
        for name, value in inputs.values.items():
            if isinstance(value, Spec):
                tensors[name] = value
            elif name in axes:
                if str(value) != name and value != axes[name]:
                    raise Refused("'%s' is an axis, and inputs returns %s for it; give the number another name" % (name, value))
            elif isinstance(value, assay_sizes.Size):
                axes[name] = assay_sizes.bare(str(value))
            else:
                self.given[name] = value
        outputs, changed = self.outputs(inputs, tensors)
        operator = {
            "axes": axes, "where": self.where,
            "inputs": {**{n: s.text() for n, s in tensors.items() if n not in changed}, **self.given},
            "inout": {n: s.text() for n, s in tensors.items() if n in changed},
            "outputs": {n: s.text() for n, s in outputs.items()},
        }
        for name in ("flops", "bytes"):
            if name in self.names:
                operator[name] = self.work(name, self.names[name])
        answer = {"operator": {key: value for key, value in operator.items() if value}}
        answer.update({name: name for name in ("plain", "accept") if name in self.names})
        answer.update({"module": self.names["module"]} if isinstance(self.names.get("module"), str) else {})
        if self.is_random():
            answer["random"] = "true" if self.names["random"] is True else self.names["random"]
        suite = self.suite()
        return {**answer, "suite": suite} if suite else answer

    def outputs(self, inputs, tensors):
        """Specs of the results by name, and the names of inputs that are changed."""
        if "outputs" not in self.names:
            return self.look_at_results(inputs, tensors)
        declared = self.names["outputs"]
        if callable(declared):
            values = Declared(self, "outputs", declared, self.parameters_of("outputs", declared)).values
        else:
            values = values_of("outputs", declared)
        for name, value in values.items():
            if not isinstance(value, Spec):
                raise Refused("'%s' of outputs is no tensor; write for example 'bf16[rows, hidden]'" % name)
        for name in tensors:
            if name in values:  # what is right of it, behind what fills it
                tensors[name].words += values[name].words
        return {n: v for n, v in values.items() if n not in tensors}, [n for n in values if n in tensors]

    def holds(self, sizes):
        return all(assay_sizes.evaluate(text, sizes) for text in self.where)

    def run(self, arrays, tried, seed):
        return assay_results.run(arrays, self.names["reference"], (tried.tensors, {**self.given, **tried.numbers}, tried.data), seed)

    def look_at_results(self, inputs, tensors):
        arrays = assay_results.arrays_of(self.module)
        if not arrays:
            raise Refused("what reference returns cannot be seen, since %s has neither PyTorch nor NumPy; write outputs = {'y': 'bf16[rows, "
                          "hidden]'} into the file" % sys.executable)
        small = [t for t in inputs.tries if t.is_sound() and t.elements() <= ELEMENTS_MAX and self.holds(t.sizes)]
        small.sort(key=Try.elements)
        seen, failure = [], None
        for tried in small[:1] + small[:1:-1][:1] + small[1:-1]:  # the smallest, the largest, those in between
            try:
                seen.append((tried, self.run(arrays, tried, 7)))
                again = self.run(arrays, tried, 8)
            except Refused:
                raise
            except (Exception, SystemExit) as error:
                failure = failure or "for %s reference raises %s" % (shown(tried.sizes) or "its inputs", describe(error, self.path))
                continue
            if again.results != seen[-1][1].results:
                raise Refused("what reference returns has other shapes for other data, as for %s; of a result a part may be used, but its "
                              "sizes follow from the axes" % (shown(tried.sizes) or "its inputs"))
            if len(seen) == SETS_WANTED:
                break
        if len(seen) < (SETS_WANTED - 2 if self.axes else 1):
            raise Refused("%s; correct it, or write outputs = {'y': 'bf16[rows, hidden]'} into the file"
                          % (failure or "inputs has no small problem that could be tried" if small or inputs.tries[0].is_sound() else
                             "a tensor of the default problem has the size 0, and a size is at least 1"))
        first = seen[0][1]
        terms = [(axis, [tried.sizes[axis] for tried, _ in seen]) for axis in self.axes]
        for name in tensors:
            for i, text in enumerate(tensors[name].sizes):
                if not text.isidentifier() and not text.isdigit():
                    terms.append((text, [tried.tensors[name][1][i] for tried, _ in seen]))
        for tried, run in seen:
            if form_of_results(run) != form_of_results(first):
                raise Refused("reference returns other names, types or numbers of sizes for %s than for %s"
                              % (shown(tried.sizes), shown(seen[0][0].sizes)))
        outputs = {}
        for name, (dtype, shape) in first.results.items():
            columns = list(zip(*(run.results[name][1] for _, run in seen)))
            sizes = [assay_sizes.fit(list(column), terms) for column in columns]
            if None in sizes:
                shapes = [run.results[name][1] for _, run in seen]
                raise Refused("the shapes of '%s', %s for %s, follow from the axes in no way that assay finds; write outputs = {'%s': "
                              "'%s[...]'} into the file" % (name, ", ".join(map(str, shapes[:3])),
                                                            "; ".join(shown(tried.sizes) for tried, _ in seen[:3]), name, dtype))
            outputs[name] = Spec(dtype, sizes)
        return outputs, first.changed

    def work(self, name, value):
        if callable(value):
            sizes = {p: assay_sizes.Size(p) if p in self.axes else self.scalars[p] for p in self.parameters_of(name, value)}
            try:
                value = value(**sizes)
            except Exception as error:
                raise Refused("%s raises %s; it gets sizes without numbers, for + - * // and %%" % (name, describe(error, self.path))) from error
        if isinstance(value, (str, assay_sizes.Size)) or (isinstance(value, int) and not isinstance(value, bool)):
            return assay_sizes.bare(str(value))
        raise Refused("%s is %r; write an expression of axes, such as %s = '4 * rows * hidden'" % (name, value, name))

    def list_of(self, name, kind, example):
        values = self.names.get(name, [])
        if isinstance(values, (list, tuple)) and all(isinstance(value, kind) for value in values):
            return list(values)
        raise Refused("'%s' is %r; write for example %s" % (name, values, example))

    def suite(self):
        """A suite of the operator's name."""
        suite, known = {}, {**self.axes, **self.given}
        problems = self.list_of("problems", dict, "problems = [{'rows': 17}, {'rows': 4096}]")
        for sizes in problems:
            for name, value in sizes.items():
                if name not in known or not isinstance(value, (int, float)) or isinstance(value, bool) != isinstance(known[name], bool):
                    raise Refused("problems: '%s' is %r; name axes and scalars (%s) and give numbers" % (name, value, ", ".join(known)))
            fields = ["%s%r" % item for item in sizes.items()] or ["default"]
            short = ".".join(fields).replace("+", "")
            if short in suite.setdefault("problems", {}):
                raise Refused("problems: %s is there twice; keep one" % sizes)
            suite["problems"][short] = "/".join([self.operator] + fields)
        tolerance = self.names.get("tolerance")
        if tolerance is not None:
            if not isinstance(tolerance, dict):
                raise Refused("'tolerance' is %r; write for example tolerance = {'atol': 2e-3, 'why': 'sums in fp16'}" % (tolerance,))
            switch = {True: "on", False: "off"}
            suite["tolerance"] = {key: switch[value] if isinstance(value, bool) else value for key, value in tolerance.items()}
        return suite


def form_of_results(run):
    return {name: (dtype, len(shape)) for name, (dtype, shape) in run.results.items()}, sorted(run.changed)


def answer_of(path, name, revisions=()):
    try:
        file = File(path, name)
        file.load()
        if not file.report:
            file.read_parameters()
        answer = file.declare()
        for revision in revisions:
            revision.check()
        return answer
    except (Refused, ImportError) as error:
        return {"error": str(error)}


def plain(text):
    """Without characters that a reader of JSON and YAML may refuse."""
    return "".join(c if c.isprintable() and ord(c) < 0xfffe else "?" for c in text)


def confine(library, folders, scratch, memory_bytes, revisions):
    """The sandbox of kernels' processes (docs/sandbox.md), before a line of the file runs."""
    text = ctypes.create_string_buffer(512)
    folders = abi.texts([os.fsencode(folder) for folder in assay_folders.read_folders(revisions) + folders])
    if ctypes.CDLL(library).assay_python_confine(os.fsencode(scratch), folders, ctypes.c_uint64(memory_bytes), text, len(text)):
        sys.exit(text.value.decode(errors="replace"))


def declare(path, name, revisions, settings, answers):
    """Ends the process."""
    library, scratch, memory_bytes = settings
    folders = [os.path.dirname(path)]  # as for the reference's process
    confine(library, folders, scratch, 0 if is_report(path) else int(memory_bytes), revisions)  # 0: as kernels on a GPU
    sys.path[:] = folders + sys.path[1:] + sys.path[:1]
    line = plain(json.dumps(answer_of(path, name, revisions), ensure_ascii=False, default=str))
    with os.fdopen(answers, "wb") as out:
        out.write((line + "\n").encode("utf-8", "replace"))
    sys.stdout.flush()
    os._exit(0)  # whatever threads the file has left


def import_shared(files):
    """What all files import is imported once, unless a folder has a module of that name."""
    texts = [open(path, "rb").read() for path, _ in files]
    for package in ("torch", "numpy"):
        word = re.compile(rb"^(?:import|from)\s+%s\b" % package.encode(), re.M)
        own = [os.path.join(place, package) for place in [os.path.dirname(path) for path, _ in files] + assay_path.places()]
        if all(map(word.search, texts)) and not any(os.path.exists(place + end) for place in own for end in ("", ".py")):
            with contextlib.suppress(Exception):  # the files say what is wrong
                __import__(package)


def declare_apart(file, revisions, settings, answers):
    """In a process of its own; one that gives no answer ends this one in the same way."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading), os.close(answers)
        declare(*file, revisions, settings, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        line = pipe.readline()
    status = os.waitpid(child, 0)[1]
    if line.startswith(b"{"):
        os.write(answers, line)
    elif os.WIFSIGNALED(status):
        with contextlib.suppress(OSError):  # SIGKILL needs none
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    else:
        os._exit(os.WEXITSTATUS(status))


def main():
    answers = os.dup(1)
    os.dup2(2, 1)  # what a file prints is no answer
    sys.dont_write_bytecode = True
    settings, files = sys.argv[1:4], list(zip(sys.argv[4::2], sys.argv[5::2]))
    if len(files) > 1:
        import_shared(files)
    assay_path.restore()
    revisions = assay_revision.told()
    for revision in revisions:
        revision.enter()
    if len(files) == 1:
        declare(*files[0], revisions, settings, answers)
    for file in files:
        declare_apart(file, revisions, settings, answers)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
#
# Runs what `assay init --github` wrote, as the runner does: usage _workflow.py WORKFLOW JOB CONTEXT.
# CONTEXT is JSON: the contexts `github`, `inputs`, `matrix`, `needs`, `vars`, `strategy`, `secrets`. A job's and a step's `if` are
# evaluated, `env` and `with` are filled in, and the scripts run by bash as GitHub runs them. A local action's steps run in their place.
# Prints "skipped" or what other actions would have got; ends with the exit code of the first step that fails.
import json
import os
import re
import subprocess
import sys

import yaml


class Missing(dict):  # a context's member that is not there is null, and so are its own
    def __missing__(self, key):
        return Missing()


def member(value, key):
    if key == "*":
        return value if isinstance(value, list) else []
    if isinstance(value, list):
        return [member(item, key) for item in value]
    return value.get(key, Missing()) if isinstance(value, dict) else Missing()


def plain(value):
    return "" if value is None or isinstance(value, Missing) else value


def evaluate(text, contexts):
    tokens = re.findall(r"'(?:[^']|'')*'|\|\||&&|==|!=|!|[(),]|[\w.*-]+", text)

    def atom():
        token = tokens.pop(0)
        if token == "(":
            value = either()
            tokens.pop(0)
            return value
        if token == "!":
            return not plain(atom())
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if token in ("true", "false"):
            return token == "true"
        if tokens and tokens[0] == "(":
            return call(token)
        value = contexts
        for key in token.split("."):
            value = member(value, key)
        return plain(value)

    def call(name):
        arguments = []
        while tokens.pop(0) != ")":
            if tokens[0] != ")":
                arguments.append(either())
        return {"contains": lambda a, b: b in a, "always": lambda: True}[name](*arguments)

    def compared():
        value = atom()
        while tokens and tokens[0] in ("==", "!="):
            is_same = tokens.pop(0) == "=="
            value = (value == atom()) == is_same
        return value

    def both():
        value = compared()
        while tokens and tokens[0] == "&&":
            tokens.pop(0)
            other = compared()
            value = other if value else value
        return value

    def either():
        value = both()
        while tokens and tokens[0] == "||":
            tokens.pop(0)
            other = both()
            value = value or other
        return value

    return either()


def shown(value):
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def filled(text, contexts):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda m: shown(evaluate(m.group(1), contexts)), str(text))


def run_steps(steps, contexts):
    code = 0
    for step in steps:
        if code and "always()" not in str(step.get("if", "")):
            continue
        given = {key: filled(value, contexts) for key, value in step.get("with", {}).items()}
        if "run" in step:
            if "${{" in step["run"]:
                sys.exit("an expression in a script: " + step["name"])
            environment = dict(os.environ, **{key: filled(value, contexts) for key, value in step.get("env", {}).items()})
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], env=environment)
            code = code or done.returncode
        elif step["uses"].startswith("./"):
            action = yaml.safe_load(open(step["uses"] + "/action.yml"))
            inputs = {key: given.get(key, value.get("default", "")) for key, value in action["inputs"].items()}
            unknown = set(given) - set(action["inputs"])
            if unknown:
                sys.exit(f"no input of the action: {unknown}")
            code = run_steps(action["runs"]["steps"], dict(contexts, inputs=inputs)) or code
        else:
            print("uses", step["uses"].split("@")[0], *sorted(f"{k}={v.split()}" for k, v in given.items() if "token" not in k))
    return code


workflow, job_name, context_text = sys.argv[1:]
job = yaml.safe_load(open(workflow))["jobs"][job_name]
contexts = json.loads(context_text)
if not evaluate(str(job.get("if", "true")), contexts):
    print("skipped")
    sys.exit(0)
sys.exit(run_steps(job["steps"], contexts))

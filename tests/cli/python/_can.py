# SPDX-License-Identifier: Apache-2.0
"""What a process may do: the beginning of modules that try it."""


def can(action, *arguments):
    try:
        action(*arguments)
        return "yes"
    except Exception as error:
        return type(error).__name__


def write(path):
    with open(path, "w") as out:
        out.write("x")



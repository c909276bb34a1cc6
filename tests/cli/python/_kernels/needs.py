# SPDX-License-Identifier: Apache-2.0
import no_such_package_of_anyone


def f(problem, inputs, outputs, stream):
    pass

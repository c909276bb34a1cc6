# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: python3 becomes one that has pytest and the packages of the arguments, and the module of this tree with its plugin. The
# program is that of ASSAY.
for python in python3 /usr/bin/python3; do
    "$python" -c 'import importlib, sys; [importlib.import_module(one) for one in sys.argv[1:]]' pytest "$@" 2>python.err && break
done
[ ! -s python.err ] || { echo "SKIPPED: no Python with pytest${*:+ and $*}"; exit 0; }
mkdir -p bin && ln -s "$("$python" -c 'import sys; print(sys.executable)')" bin/python3 && rm python.err
export PATH=$PWD/bin:$PATH PYTHONPATH=$ASSAY_SOURCE/python PYTHONDONTWRITEBYTECODE=1 PYTEST_PLUGINS=assay.pytest_plugin
export PYTEST_ADDOPTS="-p no:cacheprovider --color=no"
unset VIRTUAL_ENV

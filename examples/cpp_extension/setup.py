# SPDX-License-Identifier: Apache-2.0
"""python3 setup.py build_ext --inplace: makes norms/_C.*.so, as `pip install -e .` does."""
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(name="norms", packages=["norms"], ext_modules=[CppExtension("norms._C", ["norms.cpp"], extra_compile_args=["-O3"])],
      cmdclass={"build_ext": BuildExtension})

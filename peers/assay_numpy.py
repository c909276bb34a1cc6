# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays on assay's memory, for kernels that are written with NumPy. A type that NumPy does not have is its bits: uint16, uint8
(assay_tensor.py).
"""
import numpy

import assay_tensor


class NumpyWorld(assay_tensor.PlainWorld):
    """The tensors of a PlainWorld as arrays: those of inputs cannot be written."""

    def __init__(self, problem):
        super().__init__(problem)
        if self.backend != "cpu":
            raise RuntimeError("NumPy has no arrays on a GPU; take PyTorch's tensors there")
        self.versions = ["NumPy %s" % numpy.__version__]

    def wrap(self, spec, ptr):
        return numpy.asarray(super().wrap(spec, ptr))

    def scratch(self, spec):
        return numpy.asarray(super().scratch(spec))

    def is_new(self, item, output, role, inputs):
        """Whether the item, which a kernel returned, is not the output itself."""
        if item is None or item is output:
            return False
        if not isinstance(item, numpy.ndarray):
            raise TypeError("it returned %s where the array '%s' belongs" % (type(item).__name__, role))
        if type(item) is not numpy.ndarray:
            raise TypeError("it returned %s as '%s', a class of its own that may compute when it is read; it must return a plain "
                            "numpy.ndarray" % (type(item).__name__, role))
        if item.shape != output.shape or item.dtype != output.dtype:
            raise TypeError("it returned %s %s as '%s', which is %s %s"
                            % (item.dtype, item.shape, role, output.dtype, output.shape))
        if item.base is not None:  # else its memory is its own
            for tensor, name in zip(inputs, inputs.roles):
                if numpy.may_share_memory(item, tensor):
                    raise TypeError("it returned a view of its input '%s' as '%s'; it must return an array of its own, or write "
                                    "the output" % (name, role))
            if self.place_of(item) == self.place_of(output) and item.strides == output.strides:
                return False
        if not item.flags.writeable:
            raise TypeError("it returned an array as '%s' that cannot be written; return a copy" % role)
        return True

    def place_of(self, array):
        return array.ctypes.data

    def copy(self, pairs):
        for to, source in pairs:
            numpy.copyto(to, source)

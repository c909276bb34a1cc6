// SPDX-License-Identifier: Apache-2.0
//
// The module as Python's users import it. Nothing here is of assay.
#include "norms.h"

#include <pybind11/numpy.h>

namespace py = pybind11;
using array = py::array_t<float, py::array::c_style | py::array::forcecast>;

static array rmsnorm_of(const array &x, const array &weight, float eps) {
    array y({x.shape(0), x.shape(1)});
    rmsnorm(x.data(), weight.data(), y.mutable_data(), (int)x.shape(0), (int)x.shape(1), eps);
    return y;
}

PYBIND11_MODULE(norms, module) {
    module.def("rmsnorm", &rmsnorm_of, py::arg("x"), py::arg("weight"), py::arg("eps") = 1e-6f);
}

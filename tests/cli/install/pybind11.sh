# The example of pybind11, built by CMake against an installation: its function is found by `python:` in the build folder.
build=$(dirname "$(readlink -f "$ASSAY")")
python=/usr/bin/python3
[ -e "$build/help/_assay" ] && [ -e "$build/libassay_worker.so" ] || { echo "SKIPPED: this build has no manual pages or no libassay_worker.so"; exit 0; }
"$python" -c 'import numpy, pybind11' 2>/dev/null || { echo "SKIPPED: $python lacks NumPy or pybind11"; exit 0; }
cmake --install "$build" --prefix "$PWD/tree" >install.log 2>&1 || { tail -5 install.log; exit 1; }
cp -r tree/share/assay/examples/pybind11 project && cd project || exit 1
echo "python_interpreter: $python" >>assay.yaml
sed -i '/^assay_add_kernel/s|)$| PROBLEMS rmsnorm/rows3/hidden17)|' CMakeLists.txt # of 117
cmake -B build -G Ninja -DCMAKE_PREFIX_PATH="$PWD/../tree" -DPython_EXECUTABLE=$python -DCMAKE_CXX_FLAGS=-fno-lto >log 2>&1 &&
    cmake --build build >>log 2>&1 || { tail -20 log; exit 1; }
ctest --test-dir build >out 2>&1 || cat build/Testing/Temporary/LastTest.log
grep -oE 'assay\.[a-z]+ \.+.*(Passed|Failed)' out | sed 's/ [.* ]*/ /' | sort

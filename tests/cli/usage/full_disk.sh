assay list suites >/dev/full

export XDG_CACHE_HOME=$PWD/cache
assay calibrate --device sim:hot --only p0,p1

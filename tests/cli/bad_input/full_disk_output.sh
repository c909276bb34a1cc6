assay bench --kernel naive --problem attention/fp32/b1/h1/s16/d16 --iters 6 --output /dev/full

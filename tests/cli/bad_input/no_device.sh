assay bench --device cuda:0 --kernel naive

assay fuzz --list | tail -3; assay fuzz --list | grep -c attention/fp16/

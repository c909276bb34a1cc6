assay fuzz --list >out && [ ! -e runs ] && echo "listed, nothing was run"
tail -1 out; grep -c attention/fp16/ out

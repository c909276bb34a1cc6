# --cpus: where threads run; the report says it. What is no list of processors of ours is an error.
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
assay bench --kernel naive --problem attention/fp32/b1/h1/s16/d16 --iters 6 --sample-time 100us --cpus "$first" --quiet --output a.json >/dev/null
grep -o '"threads": "1 pinned: [0-9]*"' a.json | sed "s/: $first\"/: FIRST\"/"
assay bench --kernel naive --problem attention/fp32/b1/h1/s16/d16 --iters 6 --sample-time 100us --threads 1 --quiet --output b.json >/dev/null
grep -o '"threads": "1 pinned' b.json
for list in 1023 a 3-1 0,,1; do assay gate --cpus $list; echo "$list: $?"; done 2>&1 | sed -E 's/may use: .*/may use: .../'
assay bench --kernel naive --cpus "$first" --threads 2 --only s128 --quiet 2>&1 >/dev/null | sed -E 's/[0-9]+ processors/N processors/'; echo "${PIPESTATUS[0]}"

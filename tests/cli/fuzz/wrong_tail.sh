# One wrong tail element: found, located, and repeated alone by the command that was printed.
cp "$ASSAY_SOURCE/tests/cli/_slow_attention.c" wrong.c
python3 - <<'P'
text = open('wrong.c').read()
old = "    cpu->parallel_for(cpu, job.q->shape[0] * job.q->shape[1], body, &job);\n"
assert old in text
new = old + """    if (job.q->shape[2] % 64) { /* the tail tile's last element */
        const struct assay_tensor *o = job.o;
        int64_t last = (o->shape[0] - 1) * o->stride[0] + (o->shape[1] - 1) * o->stride[1] +
                       (o->shape[2] - 1) * o->stride[2] + o->shape[3] - 1;
        ((float *)o->data)[last] += 0.01f;
    }
"""
open('wrong.c', 'w').write(text.replace(old, new))
P
printf 'version: 1\nkernels: {wrong: {operator: attention, backend: cpu, source: wrong.c}}\nsuites: {both: {problems: {even: attention/fp32/b1/h2/s64/d16, odd: attention/fp32/b1/h2/s65/d16}}}\n' >assay.yaml
assay fuzz --kernel wrong --suite both >out; code=$?
cat out
repeat=$(sed -n 's/^ *repeat: //p' out | head -1)
echo "repeating: $repeat"
eval "$repeat" >again; [ $? = 1 ] || { echo "the printed command does not fail"; exit 9; }
grep -q '\[1/1\]' again || { echo "the printed command runs more than one case"; exit 9; }
exit $code

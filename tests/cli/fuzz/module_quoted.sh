# The command that repeats a failing case can be typed again, whatever the module's path holds.
mkdir "it's here" && cp "$ASSAY_SOURCE/tests/cli/_slow_attention.c" wrong.c
python3 - <<'P'
text = open('wrong.c').read()
old = "    cpu->parallel_for(cpu, job.q->shape[0] * job.q->shape[1], body, &job);\n"
assert old in text
open('wrong.c', 'w').write(text.replace(old, "    (void)body;\n"))
P
cc -O1 -fPIC -shared -I"$ASSAY_SOURCE/include" wrong.c -o "it's here/wrong.so" -lm || exit 9
assay fuzz --module "it's here/wrong.so" --problem attention/fp32/b1/h1/s16/d16 >out
echo "exit $?"
repeat=$(sed -n 's/^ *repeat: //p' out | head -1)
eval "$repeat" >again
echo "again: exit $?"

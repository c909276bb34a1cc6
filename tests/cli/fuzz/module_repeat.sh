# The command that a failing --module prints repeats the case.
sed 's/sum += a\[d\] \* b\[d\]/sum += a[d] * b[d] * 1.1f/' "$ASSAY_SOURCE/tests/cli/_slow_attention.c" >wrong.c
gcc -std=gnu17 -O2 -fPIC -shared -I"$ASSAY_SOURCE/include" wrong.c -o wrong.so -lm
assay fuzz --module wrong.so --problem attention/fp32/b1/h1/s40/d16 --repeat 2 --threads 1 >out; echo "first: $?"
repeat=$(sed -n 's/^ *repeat: //p' out | head -1)
case $repeat in *--module*wrong.so*--repeat\ 2*) ;; *) echo "not whole: $repeat" ;; esac
cd / && eval "$repeat --output-dir $OLDPWD/runs" >/dev/null; echo "repeated: $?"

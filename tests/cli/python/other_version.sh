# a bridge that was written for another library is refused with what differs
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
. "$ASSAY_SOURCE/tests/cli/python/_installed.sh"
"$installed" fuzz --kernel plain --problem attention/fp32/b1/h1/s2/d2 | grep '^1/1'
sed -i 's/("role", c_int32), ("access", c_int32)/("access", c_int32), ("role", c_int32)/' own/share/assay/peers/assay_abi.py
"$installed" fuzz --kernel plain --problem attention/fp32/b1/h1/s2/d2 2>&1
echo "exit $?"

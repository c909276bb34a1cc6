# what is missing has a code and a sentence: interpreter, package, module, function
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
say() { "$@" 2>&1; echo "exit $?"; }
say assay fuzz --kernel needs --suite tiny
say assay fuzz --kernel broken --suite tiny
say assay fuzz --kernel missing --suite tiny
say assay fuzz --kernel kern.plain:nothing --suite tiny
say assay fuzz --kernel torch:nothing --suite tiny
say assay fuzz --kernel torch:cudnn --suite tiny --device cpu
VIRTUAL_ENV=$PWD say assay fuzz --kernel plain --suite tiny
assay=$(command -v assay)
PATH=$PWD say "$assay" fuzz --kernel plain --suite tiny
echo 'python_interpreter: no/python3' >>assay.yaml
say assay fuzz --kernel plain --suite tiny
sed -i 's|^python_interpreter: .*|python_interpreter: '"$(python3 -c "import sys; print(sys.executable)")"'|' assay.yaml
PATH=$PWD say "$assay" fuzz --kernel plain --suite tiny | tail -1
sed -i 's|^python_interpreter: .*|python_interpreter: /bin/true|' assay.yaml
say assay fuzz --kernel plain --suite tiny

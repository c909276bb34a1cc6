# what a kernel says it does not do is no failure, said by raising NotImplementedError or by its supports()
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
assay fuzz --kernel picky --suite tiny
assay fuzz --kernel modest --suite tiny

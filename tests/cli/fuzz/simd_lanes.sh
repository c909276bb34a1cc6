# long: the boundary matrix twice, with narrower vectors
# simd's narrower vector units, which no other test runs where the widest is there; and scores that rise, whose bases move over several
# chunks of keys.
. "$ASSAY_SOURCE/tests/cli/_sums.sh"
fuzz() { report_of fuzz --kernel simd --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs "$@" | sums; }
for lanes in 8 4; do fuzz --suite quick --boundary --config VECTOR_LANES=$lanes; done
for distribution in rising normal10; do fuzz --problem attention/fp32/b1/h1/sq33/sk4200/d256 --distribution $distribution --config BLOCK_N=64; done

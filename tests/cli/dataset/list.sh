# The definitions of a set, of both forms; and what is wrong with a set, a definition, an option: one sentence.
. "$ASSAY_SOURCE/tests/cli/dataset/_set.sh"
assay list --dataset "$set/trace" | short
assay list --dataset "$set/trace" --input 'chosen=below(rows)' | grep gather
assay list --dataset "$set/sol" --json
says list --dataset nowhere
mkdir empty && says list --dataset empty
says fuzz --dataset "$set/trace"
says fuzz --definition paged_sum_h8
says fuzz --dataset "$set/trace" --definition paged_sum
says fuzz --dataset "$set/trace" --definition gather_v32
says fuzz --dataset "$set/trace" --definition gather_v32 --input 'chosen=under(rows)'
says fuzz --dataset "$set/trace" --definition gather_v32 --input 'chose=below(rows)'
cp -r "$set/trace" ffi && sed -i 's/"torch"/"tvm-ffi"/' ffi/solutions/sum_cuda.json
says fuzz --dataset ffi --definition paged_sum_h8 --solution sum_cuda
says fuzz --dataset "$set/trace" --definition paged_sum_h8 --solution sum_fill
says bench --dataset "$set/trace" --definition paged_sum_h8 --solution sum_fills --kernel simd

# A GPU is named by number or by UUID, of which a beginning is enough when only one has it.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
run="assay fuzz --module $kernel --problem attention/fp32/b1/h1/s32/d16"
export ASSAY_FAKE_CUDA=devices=2
for device in cuda cuda:1 cuda:GPU-fa4e0000-0000-0000-0000-000000000001 GPU-fa4e0000-0000-0000-0000-000000000000 \
    gpu-FA4E0000-0000-0000-0000-000000000001; do
    ends_with 0 $run --device $device
done
ends_with 69 $run --device cuda:2
says "device 'cuda:2': there is no such GPU, only cuda:0 to cuda:1"
ends_with 69 $run --device GPU-17
says "no GPU has a UUID that begins with 'GPU-17'; there is GPU-fa4e0000-0000-0000-0000-000000000000, GPU-fa4e0000-"
ends_with 64 $run --device cuda:GPU-fa
says "2 GPUs have a UUID that begins with 'GPU-fa'"
# Whoever asks for the device is told the same: what is compiled for it, whose clocks are held, what it is.
source="--manifest $ASSAY_SOURCE/assay.yaml --kernel plain --problem attention/fp16/b1/h1/s32/d64"
for device in GPU-fa gpu-FA cuda:GPU-FA4E; do
    ends_with 64 assay bench $source --device $device
    says "2 GPUs have a UUID that begins with"
    ends_with 69 assay bench $small --device $device --lock-clocks base
    says "2 GPUs have a UUID that begins with"
    says "nothing was measured"
    [ ! -e nvml.log ] || complain "clocks were touched"
    ends_with 64 assay worker 3>records <<<"{\"schema\":1,\"kind\":\"devices\",\"device\":\"$device\"}"
    says "2 GPUs have a UUID that begins with"
done
ends_with 69 assay bench $source --device cuda:2
says "there is no such GPU, only cuda:0 to cuda:1"
ends_with 0 assay worker 3>records <<<'{"schema":1,"kind":"devices","device":"gpu-FA4E0000-0000-0000-0000-000000000001"}'
[ "$(grep -o '"device":"[^"]*"' records)" = '"device":"cuda:1"' ] || complain "another device answers: $(cat records)"
ends_with 64 $run --device cuda:first
says "say cuda, cuda:0, or a UUID (GPU-...)"
ASSAY_FAKE_CUDA=devices=0 ends_with 69 $run --device cuda:0
says "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected; no GPU is visible"
exit $failed

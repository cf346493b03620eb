// host.cpp: the kernels of engine.cu as plain functions of the CPU, one thread after the other: slow, and made so that
// what surrounds the cores on a GPU is tested where there is none (worlds/cuda_kernels.py, device="cpu").
#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__

struct SlHostIndex { unsigned x; };
static SlHostIndex blockIdx, blockDim, threadIdx;

static unsigned long long atomicAdd(unsigned long long *at, unsigned long long more) {
    unsigned long long before = *at;
    *at += more;
    return before;
}

#include "engine.cu"

extern "C" __global__ void sl_cuda_host_index(unsigned index) { blockIdx.x = index; blockDim.x = 1; }

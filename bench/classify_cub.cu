/* SPDX-License-Identifier: Apache-2.0
 *
 * What Thrust and CUB take for the rows of `check --bench` that label or count f32 elements:
 * thrust::upper_bound writes labels as narrow as ours, cub::DeviceHistogram counts without
 * labelling. scripts/gpu-check builds and runs it; by hand:
 *     nvcc -O3 -std=c++17 -arch=native bench/classify_cub.cu -o classify_cub
 *     ./classify_cub [--json=FILE] [--filter=GLOB]
 */
#include <cub/cub.cuh>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>

#include <string>

#include "cuda_bench.cuh"

// How many thresholds are not above x, counted one by one.
__device__ unsigned class_of(float x, const float *thresholds, unsigned n)
{
    unsigned reached = 0;
    for (unsigned k = 0; k < n; k++)
        reached += thresholds[k] <= x;
    return reached;
}

template <class Label>
__global__ void compare_labels(const float *x, const Label *labels, unsigned n,
                               const float *thresholds, unsigned n_thresholds, unsigned *wrong)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && labels[i] != class_of(x[i], thresholds, n_thresholds))
        atomicAdd(wrong, 1u);
}

// Halves instead of counting: here all elements are looked at.
__global__ void count(const float *x, size_t n, const float *thresholds, unsigned n_thresholds,
                      unsigned *counts)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        unsigned low = 0, high = n_thresholds;
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            if (thresholds[middle] <= x[i])
                low = middle + 1;
            else
                high = middle;
        }
        atomicAdd(&counts[low], 1u);
    }
}

struct classes {
    bench &b;
    unsigned n; // classes
    size_t elements;
    const float *x;
    float *levels; // n + 1, from 1 to 2; without the first and the last they are thresholds

    classes(bench &bench_, unsigned n_)
        : b(bench_), n(n_), elements(bench_.bytes / 16), x((const float *)bench_.memory)
    {
        std::vector<float> even(n + 1);
        for (unsigned k = 0; k <= n; k++)
            even[k] = (float)(1 + (double)k / n);
        CHECK(cudaMalloc(&levels, even.size() * sizeof(float)));
        CHECK(cudaMemcpy(levels, even.data(), even.size() * sizeof(float),
                         cudaMemcpyHostToDevice));
    }
    ~classes()
    {
        cudaFree(levels);
    }
    classes(const classes &) = delete;

    row described(const std::string &name, size_t written, const char *how) const
    {
        return { name.c_str(), "f32", elements, (double)(elements * sizeof(float) + written),
                 written,      false, how };
    }

    template <class Label> void labels()
    {
        const std::string name =
            "u" + std::to_string(8 * sizeof(Label)) + "/" + std::to_string(n - 1) + "/even";
        const auto call = [&](void *, size_t &bytes, void *out) {
            bytes = 1;
            // The first call only asks how much memory is needed; one more of this is no harm.
            thrust::upper_bound(thrust::cuda::par_nosync.on(b.stream), levels + 1, levels + n,
                                x, x + elements, (Label *)out);
            return cudaGetLastError();
        };
        b.measure(described(name, elements * sizeof(Label), "thrust::upper_bound"), call,
                  [&](void *out) { return labels_are_right((const Label *)out); });
    }

    template <class Label> bool labels_are_right(const Label *labels)
    {
        enum { SOME = 1 << 20 };
        unsigned *wrong, value = 0;
        CHECK(cudaMalloc(&wrong, sizeof *wrong));
        CHECK(cudaMemset(wrong, 0, sizeof *wrong));
        // The last ones: what is wrong there would not have been written at all.
        const size_t first = elements - SOME;
        compare_labels<<<SOME / 256, 256, 0, b.stream>>>(
            x + first, labels + first, (unsigned)SOME, levels + 1, n - 1, wrong);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(b.stream));
        CHECK(cudaMemcpy(&value, wrong, sizeof value, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(wrong));
        return value == 0;
    }

    void counts()
    {
        const std::string of = "counts/" + std::to_string(n);
        const auto even = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceHistogram::HistogramEven(t, bytes, x, (unsigned *)out, (int)n + 1,
                                                       1.0f, 2.0f, (int)elements, b.stream);
        };
        const auto range = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceHistogram::HistogramRange(t, bytes, x, (unsigned *)out,
                                                        (int)n + 1, (const float *)levels,
                                                        (int)elements, b.stream);
        };
        const auto right = [&](void *out) { return counts_are_right((const unsigned *)out); };
        const size_t written = n * sizeof(unsigned);
        const std::string uniform = of + "/uniform", thresholds = of + "/thresholds";
        b.measure(described(uniform, written, "DeviceHistogram::HistogramEven"), even, right);
        b.measure(described(thresholds, written, "DeviceHistogram::HistogramRange"), range,
                  right);
    }

    bool counts_are_right(const unsigned *counts)
    {
        std::vector<unsigned> got(n), wanted(n);
        unsigned *exact;
        CHECK(cudaMalloc(&exact, n * sizeof *exact));
        CHECK(cudaMemset(exact, 0, n * sizeof *exact));
        count<<<1024, 256, 0, b.stream>>>(x, elements, levels + 1, n - 1, exact);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(b.stream));
        CHECK(cudaMemcpy(got.data(), counts, n * sizeof *exact, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(wanted.data(), exact, n * sizeof *exact, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(exact));
        return got == wanted;
    }
};

int main(int argc, char **argv)
{
    bench b;
    b.primitive = "classify";
    b.open(argc, argv,
           "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
               std::to_string(CUB_MINOR_VERSION) + "." + std::to_string(CUB_SUBMINOR_VERSION));
    for (unsigned n : { 8, 16, 64, 256 })
        classes(b, n).labels<uint8_t>();
    for (unsigned n : { 1024, 4096 })
        classes(b, n).labels<uint16_t>();
    for (unsigned n : { 256, 1024, 4096 })
        classes(b, n).counts();
    return b.close();
}

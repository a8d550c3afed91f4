/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures Thrust and CUB on the rows of `check --bench` that label or count f32 elements.
 * thrust::upper_bound writes labels as narrow as ours; cub::DeviceHistogram counts without
 * labelling. scripts/gpu-check builds and runs this program; by hand:
 *     nvcc -O3 -std=c++17 -arch=native bench/classify/cub.cu -o classify_cub
 *     ./classify_cub [--json=FILE] [--filter=GLOB]
 */
#include <cub/cub.cuh>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>

#include <cmath>
#include <string>

#include "../cuda_bench.cuh"

// The number of thresholds <= x, counted one by one.
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

// The counts of all elements, by binary search.
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

// Moves elements from [1, 2) to [0, 1).
__global__ void move(float *x, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        x[i] -= 1;
}

__global__ void set(float *x, size_t n, float value)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        x[i] = value;
}

// The elements and thresholds of tests/classify/bench.c.
struct classes {
    bench &b;
    size_t elements;
    const float *x;
    unsigned n;    // classes
    float *levels; // n + 1 from 0 to 1; all but the first and the last are the thresholds

    classes(bench &bench_, const char *spread, unsigned n_thresholds, const float *x_)
        : b(bench_), elements(bench_.bytes / 16), x(x_), n(n_thresholds + 1)
    {
        std::vector<float> host(n + 1, 0.0f);
        for (unsigned k = 1; k <= n; k++) {
            const double part = (double)k / n;
            host[k] = (float)(k == n || spread[0] == 'e' ? part
                              : spread[0] == 'l'         ? std::pow(2, -24 * (1 - part))
                                                         : part / 1000);
        }
        const size_t bytes = host.size() * sizeof(float);
        CHECK(cudaMalloc(&levels, bytes));
        CHECK(cudaMemcpy(levels, host.data(), bytes, cudaMemcpyHostToDevice));
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

    template <class Label> void labels(const std::string &name)
    {
        const auto call = [&](void *, size_t &bytes, void *out) {
            bytes = 1;
            // The first call asks only for the size of temporary memory; doing the work once
            // more does no harm.
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
        const size_t first = elements - SOME; // the last ones
        compare_labels<<<SOME / 256, 256, 0, b.stream>>>(
            x + first, labels + first, (unsigned)SOME, levels + 1, n - 1, wrong);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(b.stream));
        CHECK(cudaMemcpy(&value, wrong, sizeof value, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(wrong));
        return value == 0;
    }

    void counts_of_bins(const std::string &name)
    {
        const auto call = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceHistogram::HistogramEven(t, bytes, x, (unsigned *)out, (int)n + 1,
                                                       0.0f, 1.0f, (int)elements, b.stream);
        };
        b.measure(described(name, n * sizeof(unsigned), "DeviceHistogram::HistogramEven"), call,
                  [&](void *out) { return counts_are_right((const unsigned *)out); });
    }

    void counts_of_thresholds(const std::string &name)
    {
        const auto call = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceHistogram::HistogramRange(t, bytes, x, (unsigned *)out,
                                                        (int)n + 1, (const float *)levels,
                                                        (int)elements, b.stream);
        };
        b.measure(described(name, n * sizeof(unsigned), "DeviceHistogram::HistogramRange"),
                  call, [&](void *out) { return counts_are_right((const unsigned *)out); });
    }

    bool counts_are_right(const unsigned *counts)
    {
        std::vector<unsigned> got(n), wanted(n);
        const size_t bytes = n * sizeof(unsigned);
        unsigned *exact;
        CHECK(cudaMalloc(&exact, bytes));
        CHECK(cudaMemset(exact, 0, bytes));
        count<<<1024, 256, 0, b.stream>>>(x, elements, levels + 1, n - 1, exact);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(b.stream));
        CHECK(cudaMemcpy(got.data(), counts, bytes, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(wanted.data(), exact, bytes, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(exact));
        return got == wanted;
    }
};

static void labels(bench &b, const char *spread, unsigned n, const float *x)
{
    const std::string name = std::to_string(n) + " " + spread + " thresholds, labels";
    classes c(b, spread, n, x);
    n < 256 ? c.labels<uint8_t>(name) : c.labels<uint16_t>(name);
}

static void counts(bench &b, unsigned n, const float *x, const std::string &where)
{
    classes c(b, "even", n - 1, x);
    c.counts_of_bins(std::to_string(n) + " bins, counts" + where);
    c.counts_of_thresholds(std::to_string(n - 1) + " even thresholds, counts" + where);
}

int main(int argc, char **argv)
{
    bench b;
    b.primitive = "classify";
    b.open(argc, argv,
           "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
               std::to_string(CUB_MINOR_VERSION) + "." + std::to_string(CUB_SUBMINOR_VERSION));
    const size_t n = b.bytes / 16;
    float *spread = (float *)b.memory, *one = spread + n;
    move<<<4096, 256, 0, b.stream>>>(spread, n);
    set<<<4096, 256, 0, b.stream>>>(one, n, 0.3f);
    CHECK(cudaGetLastError());

    for (unsigned thresholds : { 7, 15, 63, 255, 1023, 4095 })
        labels(b, "even", thresholds, spread);
    for (unsigned thresholds : { 255, 1023, 4095 }) {
        labels(b, "clustered", thresholds, spread);
        labels(b, "log-spaced", thresholds, spread);
    }
    for (unsigned bins : { 256, 1024, 4096 }) {
        counts(b, bins, spread, "");
        counts(b, bins, one, " in one class");
    }
    return b.close();
}

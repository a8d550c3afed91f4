/* SPDX-License-Identifier: Apache-2.0
 *
 * The expected results of reductions, by a simple kernel and the host: each thread reduces its
 * share in a wide type, and the host merges the results of the threads.
 */
#ifndef REDUCE_EXPECTED_CUH
#define REDUCE_EXPECTED_CUH

#include <cuda_fp16.h>

#include <cmath>
#include <type_traits>

#include "../cuda_bench.cuh"

template <class T>
constexpr bool is_float = std::is_floating_point<T>::value || std::is_same<T, __half>::value;

// Integers modulo 2^64; signed ones are sign-extended first.
template <class T>
using wide =
    std::conditional_t<is_float<T>, double,
                       std::conditional_t<std::is_signed<T>::value, int64_t, uint64_t>>;

// A type like T that has the usual operators.
template <class T> using plain = std::conditional_t<std::is_same<T, __half>::value, float, T>;

template <class T> struct expected {
    wide<T> sum, squares, product;
    uint64_t count, lowest_at, highest_at;
    plain<T> lowest, highest;
    bool any;

    __host__ __device__ static expected none()
    {
        return { 0, 0, 1, 0, 0, 0, 0, 0, false };
    }
    __host__ __device__ static expected one(T element, uint64_t at)
    {
        const plain<T> x = (plain<T>)element;
        const wide<T> w = (wide<T>)x;
        return { w, w * w, w, x != 0, at, at, x, x, true };
    }
    // Of equal elements the first wins.
    __host__ __device__ void add(const expected &o)
    {
        if (!o.any)
            return;
        if (!any || o.lowest < lowest || (o.lowest == lowest && o.lowest_at < lowest_at)) {
            lowest = o.lowest;
            lowest_at = o.lowest_at;
        }
        if (!any || o.highest > highest ||
            (o.highest == highest && o.highest_at < highest_at)) {
            highest = o.highest;
            highest_at = o.highest_at;
        }
        sum += o.sum;
        squares += o.squares;
        product *= o.product;
        count += o.count;
        any = true;
    }
};

template <class T> __global__ void fold(const T *x, uint64_t n, expected<T> *out)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    const uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    expected<T> all = expected<T>::none();
    for (uint64_t i = first; i < n; i += step)
        all.add(expected<T>::one(x[i], i));
    out[first] = all;
}

template <class T> expected<T> expect(const bench &b, uint64_t n)
{
    enum { GROUPS = 264, ITEMS = 256 };
    std::vector<expected<T>> parts(GROUPS * ITEMS);
    const size_t bytes = parts.size() * sizeof parts[0];
    expected<T> *device, all = expected<T>::none();
    CHECK(cudaMalloc(&device, bytes));
    fold<<<GROUPS, ITEMS, 0, b.stream>>>((const T *)b.memory, n, device);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(b.stream));
    CHECK(cudaMemcpy(parts.data(), device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    for (const expected<T> &part : parts)
        all.add(part);
    return all;
}

// Float results may differ by rounding; all others must be equal bit by bit.
template <class Out> bool agrees(Out result, double should_be)
{
    const double x = (double)(plain<Out>)result, y = (double)(plain<Out>)(Out)should_be;
    return x == y || std::fabs(x - y) <= (sizeof(Out) == 8 ? 1e-9 : 1e-3) * std::fabs(y);
}

template <class Out> Out fetch(const void *from)
{
    Out value;
    CHECK(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

// Sums of rows, one thread per row; *wrong counts the wrong ones.
__global__ void compare_rows(const float *x, uint64_t rows, uint64_t columns, const float *sums,
                             unsigned *wrong)
{
    const uint64_t r = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    double sum = 0;
    for (uint64_t i = 0; i < columns; i++)
        sum += (double)x[r * columns + i];
    if (!(fabs((double)sums[r] - sum) <= 1e-4 * sum))
        atomicAdd(wrong, 1u);
}

#endif

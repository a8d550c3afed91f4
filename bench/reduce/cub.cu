/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures CUB on the rows of `check --bench` that it offers. scripts/gpu-check builds and runs
 * this program; by hand:
 *     nvcc -O3 -std=c++17 -arch=native bench/reduce/cub.cu -o reduce_cub
 *     ./reduce_cub [--json=FILE] [--filter=GLOB]
 *
 * `sum` is the sum of gpuprim: integers in 64 bits, f16 in f32. `sum natural` is CUB's Sum into
 * the element's own type, which wraps or saturates. CUB has no mean and no minmax in one pass.
 * They are measured as the sum, and as a TransformReduce to pairs.
 */
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <string>

#include "expected.cuh"

template <class T>
using result = std::conditional_t<std::is_same<T, __half>::value, float,
                                  std::conditional_t<is_float<T>, T, wide<T>>>;

// CUB needs more registers for 64-bit numbers of elements, so they are used only where needed.
template <class T> using counter = std::conditional_t<sizeof(T) == 1, uint64_t, uint32_t>;

template <class T> struct extrema {
    T lowest, highest;
};

template <class T> struct as_extrema {
    __host__ __device__ extrema<T> operator()(T x) const
    {
        return { x, x };
    }
};

template <class T> struct merge_extrema {
    __host__ __device__ extrema<T> operator()(const extrema<T> &a, const extrema<T> &b) const
    {
        return { b.lowest < a.lowest ? b.lowest : a.lowest,
                 b.highest > a.highest ? b.highest : a.highest };
    }
};

template <class Out> struct widen {
    template <class T> __host__ __device__ Out operator()(T x) const
    {
        return (Out)x;
    }
};

template <class Out> struct not_zero {
    template <class T> __host__ __device__ Out operator()(T x) const
    {
        return x != 0;
    }
};

template <class Out> struct absolute {
    template <class T> __host__ __device__ Out operator()(T x) const
    {
        return x < 0 ? -(Out)x : (Out)x;
    }
};

template <class Out> struct square {
    template <class T> __host__ __device__ Out operator()(T x) const
    {
        return (Out)x * (Out)x;
    }
};

// The rows of one type at one size.
template <class T> struct reductions {
    bench &b;
    const char *type;
    uint64_t n;
    expected<T> right;
    const T *x;
    counter<T> count;

    reductions(bench &bench_, const char *type_, uint64_t n_)
        : b(bench_), type(type_), n(n_), right(expect<T>(bench_, n_)),
          x((const T *)bench_.memory), count((counter<T>)n_)
    {
    }

    template <class Out> row described(const char *name, const char *how) const
    {
        return {
            name, type, n, (double)(n * sizeof(T) + sizeof(Out)), sizeof(Out), false, how
        };
    }

    template <class Out> void sum(const char *name, bool to_host = false)
    {
        row r = described<Out>(name, "DeviceReduce::Sum");
        r.to_host = to_host;
        const auto call = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceReduce::Sum(t, bytes, x, (Out *)out, count, b.stream);
        };
        b.measure(r, call, [&](void *out) {
            const Out value = fetch<Out>(out);
            if constexpr (is_float<T>)
                return agrees(value, right.sum);
            else
                return value == (Out)right.sum;
        });
    }

    template <class Out, class Merge, class Map>
    void mapped(const char *name, Merge merge, Map map, Out init, wide<T> should_be)
    {
        const row r = described<Out>(name, "DeviceReduce::TransformReduce");
        const auto call = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceReduce::TransformReduce(t, bytes, x, (Out *)out, count, merge,
                                                      map, init, b.stream);
        };
        b.measure(r, call, [&](void *out) {
            const Out value = fetch<Out>(out);
            if constexpr (std::is_integral<Out>::value)
                return value == (Out)should_be;
            else
                return agrees(value, (double)should_be);
        });
    }

    void extremes()
    {
        const auto lowest = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceReduce::Min(t, bytes, x, (T *)out, count, b.stream);
        };
        const auto highest = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceReduce::Max(t, bytes, x, (T *)out, count, b.stream);
        };
        b.measure(described<T>("min", "DeviceReduce::Min"), lowest,
                  [&](void *out) { return (plain<T>)fetch<T>(out) == right.lowest; });
        b.measure(described<T>("max", "DeviceReduce::Max"), highest,
                  [&](void *out) { return (plain<T>)fetch<T>(out) == right.highest; });
    }

    void both()
    {
        using limits = cuda::std::numeric_limits<plain<T>>;
        const extrema<T> none = { (T)limits::max(), (T)limits::lowest() };
        const auto call = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceReduce::TransformReduce(t, bytes, x, (extrema<T> *)out, count,
                                                      merge_extrema<T>(), as_extrema<T>(), none,
                                                      b.stream);
        };
        b.measure(described<extrema<T>>("minmax", "DeviceReduce::TransformReduce to pairs"),
                  call, [&](void *out) {
                      const auto found = fetch<extrema<T>>(out);
                      return (plain<T>)found.lowest == right.lowest &&
                             (plain<T>)found.highest == right.highest;
                  });
    }

    // The extreme value is written beside the position, which is verified.
    void positions()
    {
        T *value = (T *)(b.result + 64);
        const auto lowest = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceReduce::ArgMin(t, bytes, x, value, (int64_t *)out, (int64_t)n,
                                             b.stream);
        };
        const auto highest = [&](void *t, size_t &bytes, void *out) {
            return cub::DeviceReduce::ArgMax(t, bytes, x, value, (int64_t *)out, (int64_t)n,
                                             b.stream);
        };
        b.measure(described<int64_t>("argmin", "DeviceReduce::ArgMin"), lowest,
                  [&](void *out) { return fetch<int64_t>(out) == (int64_t)right.lowest_at; });
        b.measure(described<int64_t>("argmax", "DeviceReduce::ArgMax"), highest,
                  [&](void *out) { return fetch<int64_t>(out) == (int64_t)right.highest_at; });
    }

    void others()
    {
        using out = result<T>;
        const cuda::std::plus<> add;
        mapped<out>("product", cuda::std::multiplies<>(), widen<out>(), (out)1, right.product);
        mapped<uint64_t>("count", add, not_zero<uint64_t>(), (uint64_t)0, (wide<T>)right.count);
        mapped<out>("sum_abs", add, absolute<out>(), (out)0,
                    right.sum); // no element is negative
        mapped<out>("sum_squares", add, square<out>(), (out)0, right.squares);
        sum<out>("mean");
    }
};

template <class T> void large(bench &b, const char *type)
{
    for (size_t bytes : { b.bytes, b.bytes / 4 }) {
        reductions<T> r(b, type, bytes / sizeof(T));
        if constexpr (std::is_same<T, __half>::value)
            r.template mapped<float>("sum", cuda::std::plus<>(), widen<float>(), 0.0f,
                                     r.right.sum);
        else
            r.template sum<result<T>>("sum");
        if (!std::is_same<T, result<T>>::value)
            r.template sum<T>("sum natural");
        r.extremes();
        r.both();
        r.positions();
        if constexpr (std::is_same<T, int32_t>::value || std::is_same<T, float>::value)
            if (bytes != b.bytes)
                r.others();
    }
}

struct starts {
    int64_t columns;

    __host__ __device__ int64_t operator()(int64_t row) const
    {
        return row * columns;
    }
};

static void matrix(bench &b, uint64_t columns)
{
    const uint64_t rows = b.bytes / 16 / columns, n = rows * columns;
    const std::string name = "sum rows of " + std::to_string(columns);
    const row r = { name.c_str(),
                    "f32",
                    n,
                    4.0 * (double)(n + rows),
                    4 * rows,
                    false,
                    "DeviceSegmentedReduce::Sum" };
    const auto begin = thrust::make_transform_iterator(
        thrust::make_counting_iterator((int64_t)0), starts{ (int64_t)columns });
    const auto call = [&](void *t, size_t &bytes, void *out) {
        return cub::DeviceSegmentedReduce::Sum(t, bytes, (const float *)b.memory, (float *)out,
                                               (int64_t)rows, begin, begin + 1, b.stream);
    };
    b.measure(r, call, [&](void *out) {
        unsigned *wrong = (unsigned *)(b.result + 4 * rows);
        CHECK(cudaMemsetAsync(wrong, 0, sizeof *wrong, b.stream));
        compare_rows<<<(unsigned)((rows + 255) / 256), 256, 0, b.stream>>>(
            (const float *)b.memory, rows, columns, (const float *)out, wrong);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(b.stream));
        return fetch<unsigned>(wrong) == 0;
    });
}

int main(int argc, char **argv)
{
    bench b;
    b.open(argc, argv,
           "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
               std::to_string(CUB_MINOR_VERSION) + "." + std::to_string(CUB_SUBMINOR_VERSION));
    for (unsigned bits : { 0, 10, 16, 20, 24, 27 })
        reductions<float>(b, "f32", (uint64_t)1 << bits).sum<float>("sum", true);
    for (uint64_t columns : { 3, 32, 33, 256, 1000, 4096, 65536 })
        matrix(b, columns);
    large<int8_t>(b, "i8");
    large<uint8_t>(b, "u8");
    large<int16_t>(b, "i16");
    large<uint16_t>(b, "u16");
    large<int32_t>(b, "i32");
    large<uint32_t>(b, "u32");
    large<int64_t>(b, "i64");
    large<uint64_t>(b, "u64");
    large<__half>(b, "f16");
    large<float>(b, "f32");
    large<double>(b, "f64");
    return b.close();
}

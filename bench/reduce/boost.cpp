/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures Boost.Compute on the default OpenCL device, for the rows of `check --bench` that it
 * offers. Build it by hand, where Boost is installed:
 *     c++ -O2 -std=c++17 -w bench/reduce/boost.cpp -lOpenCL -o boost_peers
 *     ./boost_peers [--json=FILE]
 *
 * Its calls return when the value is on the host, so that only the host's clock can measure
 * them. The sum is the faster one of reduce and accumulate. Its f32 sums may be wrong, because
 * the single accumulator of a thread stops growing; such rows are marked.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <boost/compute/algorithm/accumulate.hpp>
#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/min_element.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/core.hpp>
#include <boost/version.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

namespace compute = boost::compute;

struct program {
    compute::command_queue &queue;
    FILE *json;
    unsigned rows;
};

// The bits with which tests/harness/bench_ceilings.c fills memory.
static uint32_t bits(uint32_t i)
{
    uint32_t h = i * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    h *= 3266489917u;
    h ^= h >> 16;
    return 0x3f800000u | ((h >> 9) & 0x007f3fffu);
}

template <class Call> static double median_us(Call call)
{
    using clock = std::chrono::steady_clock;
    std::vector<double> us;
    call();
    const auto start = clock::now();
    for (int i = 0; i < 101 && (i < 5 || clock::now() - start < std::chrono::milliseconds(400));
         i++) {
        const auto begin = clock::now();
        call();
        us.push_back(std::chrono::duration<double, std::micro>(clock::now() - begin).count());
    }
    std::sort(us.begin(), us.end());
    return us[us.size() / 2];
}

static void row(program &p, const char *name, const char *type, size_t n, double us,
                bool verified, const char *how)
{
    std::printf("%-8s %-4s %10zu %12.2f us %8.1f GB/s  %s%s\n", name, type, n, us,
                4e-3 * (double)n / us, how, verified ? "" : "  WRONG");
    if (p.json)
        std::fprintf(p.json,
                     "%s\n  {\"primitive\": \"reduce\", \"name\": \"%s\", \"type\": \"%s\", "
                     "\"n\": %zu, \"device_us\": %.3f, \"wall_us\": %.3f, \"rate\": %.3f, "
                     "\"unit\": \"GB/s\", \"verified\": %s, \"how\": \"%s\"}",
                     p.rows ? "," : "", name, type, n, n < 1 << 23 ? 0 : us, us,
                     4e-3 * (double)n / us, verified ? "true" : "false", how);
    p.rows++;
}

template <class T> static void rows(program &p, const char *type, size_t n)
{
    std::vector<T> host(n);
    double exact = 0;
    uint32_t wrapped = 0; // int wraps on every device; gpuprim's sum does not
    for (size_t i = 0; i < n; i++) {
        const uint32_t x = bits((uint32_t)i);
        std::memcpy(&host[i], &x, sizeof x);
        exact += (double)host[i];
        wrapped += x;
    }
    compute::vector<T> device(n, p.queue.get_context());
    compute::copy(host.begin(), host.end(), device.begin(), p.queue);
    T sum = 0, total = 0;
    size_t lowest = 0;
    const double reduce = median_us([&] {
        compute::reduce(device.begin(), device.end(), &sum, compute::plus<T>(), p.queue);
    });
    const double accumulate = median_us(
        [&] { total = compute::accumulate(device.begin(), device.end(), (T)0, p.queue); });
    const double least = median_us([&] {
        lowest = compute::min_element(device.begin(), device.end(), p.queue) - device.begin();
    });
    const T found = reduce < accumulate ? sum : total;
    const bool right = std::is_integral<T>::value ? (uint32_t)found == wrapped
                                                  : std::fabs((double)found / exact - 1) < 1e-3;
    row(p, "sum", type, n, std::min(reduce, accumulate), right,
        reduce < accumulate ? "reduce" : "accumulate");
    row(p, "argmin", type, n, least,
        host[lowest] == *std::min_element(host.begin(), host.end()), "min_element");
}

int main(int argc, char **argv)
{
    const compute::device device = compute::system::default_device();
    const compute::context context(device);
    compute::command_queue queue(context, device);
    const bool wants_json = argc > 1 && std::strncmp(argv[1], "--json=", 7) == 0;
    program p = { queue, wants_json ? std::fopen(argv[1] + 7, "w") : nullptr, 0 };
    char date[32];
    const std::time_t today = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&today));
    std::printf("Boost.Compute %s on %s, %s\n", BOOST_LIB_VERSION, device.name().c_str(), date);
    if (p.json)
        std::fprintf(p.json,
                     "{\"peer\": \"Boost.Compute %s\", \"device\": \"%s\", \"driver\": \"%s\", "
                     "\"date\": \"%s\", \"rows\": [",
                     BOOST_LIB_VERSION, device.name().c_str(), device.driver_version().c_str(),
                     date);
    for (size_t n : { (size_t)100, (size_t)10000, (size_t)2 << 20, (size_t)64 << 20 }) {
        rows<int32_t>(p, "i32", n);
        rows<float>(p, "f32", n);
    }
    if (p.json) {
        std::fputs("\n]}\n", p.json);
        std::fclose(p.json);
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Timing for the programs that measure CUDA's libraries on the rows of `check --bench`. They
 * use the same random bits, names, sizes and numbers of samples.
 *
 * CUDA does not report the time of a call. Two events enclose it:
 *     device_us  on an idle stream; includes the host's launches and the events
 *     queued_us  after a kernel that keeps the device busy until everything is enqueued; includes
 *                the events only. empty_pair_us is the time of two events with nothing between
 *                them, measured once per run.
 *     wall_us    by the host's clock, until the result is in pinned memory
 *     mapped_us  the same, but the kernel itself writes to pinned memory
 */
#ifndef CUDA_BENCH_CUH
#define CUDA_BENCH_CUH

#include <fnmatch.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#define CHECK(call) check(call, #call, __FILE__, __LINE__)

inline void check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    std::exit(1);
}

// Random bits that are finite and positive as f16, f32 (from 1 to 2) and f64.
__global__ void fill(uint32_t *x, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        uint32_t h = (uint32_t)i * 2654435761u;
        h ^= h >> 15;
        h *= 2246822519u;
        h ^= h >> 13;
        h *= 3266489917u;
        h ^= h >> 16;
        x[i] = 0x3f800000u | ((h >> 9) & 0x007f3fffu);
    }
}

__global__ void busy(long long cycles)
{
    const long long start = clock64();
    while (clock64() - start < cycles)
        ;
}

struct samples {
    std::vector<double> us;

    double at(double part)
    {
        if (us.empty())
            return 0;
        std::sort(us.begin(), us.end());
        return us[(size_t)(part * (double)us.size())];
    }
    double median()
    {
        return at(0.5);
    }
    double spread()
    {
        return median() > 0 ? (at(0.75) - at(0.25)) / median() : 0;
    }
};

enum { IDLE, QUEUED, WALL, MAPPED, KINDS };

struct row {
    const char *name, *type;
    uint64_t n;       // elements that are read
    double bytes;     // the fewest that must be read and written
    size_t out_bytes; // of the result
    bool to_host;     // measure wall_us and mapped_us
    const char *how;  // the call that was measured
};

struct bench {
    size_t bytes = (size_t)4 << 30;
    unsigned char *memory, *result, *pinned, *mapped, *temporary = nullptr;
    size_t temporary_bytes = 0;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    const char *primitive = "reduce", *filter = nullptr;
    FILE *json = nullptr;
    unsigned rows = 0, failed = 0;

    void open(int argc, char **argv, const std::string &peer);
    int close();
    bool wanted(const row &r) const;

    // call(temporary, temporary_bytes, out) enqueues work as CUB's functions do. verify(out)
    // returns whether the result on the device is right.
    template <class Call, class Verify> void measure(const row &r, Call call, Verify verify);

  private:
    template <class Enqueue> double pair_us(bool queued, Enqueue enqueue);
    template <class Enqueue> double until_done_us(Enqueue enqueue);
    void print(const row &r, samples *times, bool verified);
};

template <class Enqueue> double bench::pair_us(bool queued, Enqueue enqueue)
{
    if (queued) {
        busy<<<1, 1, 0, stream>>>(200000); // some 100 us
        CHECK(cudaGetLastError());
    }
    CHECK(cudaEventRecord(begin, stream));
    enqueue();
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return 1e3 * (double)ms;
}

template <class Enqueue> double bench::until_done_us(Enqueue enqueue)
{
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    enqueue();
    CHECK(cudaStreamSynchronize(stream));
    return std::chrono::duration<double, std::micro>(clock::now() - start).count();
}

template <class Call, class Verify> void bench::measure(const row &r, Call call, Verify verify)
{
    using clock = std::chrono::steady_clock;
    if (!wanted(r))
        return;
    size_t needed = 0;
    CHECK(call(nullptr, needed, result));
    if (needed > temporary_bytes) {
        CHECK(cudaFree(temporary));
        CHECK(cudaMalloc(&temporary, needed));
        temporary_bytes = needed;
    }
    const auto to = [&](void *out) { CHECK(call(temporary, needed, out)); };
    const auto copied = [&] {
        to(result);
        CHECK(cudaMemcpyAsync(pinned, result, r.out_bytes, cudaMemcpyDeviceToHost, stream));
    };
    samples times[KINDS];
    const auto start = clock::now();
    const auto within = [&] {
        return std::chrono::duration<double>(clock::now() - start).count() < 0.2;
    };
    for (int i = -1; i < 101 && (i < 5 || within()); i++) {
        double us[KINDS] = {};
        us[IDLE] = pair_us(false, [&] { to(result); });
        us[QUEUED] = pair_us(true, [&] { to(result); });
        if (r.to_host) {
            us[WALL] = until_done_us(copied);
            us[MAPPED] = until_done_us([&] { to(mapped); });
        }
        for (int kind = 0; i >= 0 && kind < KINDS; kind++)
            times[kind].us.push_back(us[kind]);
    }
    bool verified = verify(result);
    if (r.to_host)
        verified = verified && std::memcmp(pinned, mapped, r.out_bytes) == 0;
    verified = verified && times[QUEUED].median() > 0;
    print(r, times, verified);
}

inline bool bench::wanted(const row &r) const
{
    const std::string name =
        std::string(primitive) + "/" + r.name + "/" + r.type + "/" + std::to_string(r.n);
    return !filter || fnmatch(filter, name.c_str(), 0) == 0;
}

inline void bench::print(const row &r, samples *times, bool verified)
{
    const double idle = times[IDLE].median(), queued = times[QUEUED].median();
    const double rate = idle > 0 ? 1e-3 * r.bytes / idle : 0;
    std::printf("%-15s %-4s %12llu ", r.name, r.type, (unsigned long long)r.n);
    std::printf("%11.2f us idle %11.2f us queued %8.1f GB/s", idle, queued, rate);
    if (r.to_host)
        std::printf("  %8.2f us copied, %8.2f us mapped", times[WALL].median(),
                    times[MAPPED].median());
    std::printf("%s\n", verified ? "" : "  WRONG");
    std::fflush(stdout);
    if (json)
        std::fprintf(
            json,
            "%s\n  {\"primitive\": \"%s\", \"name\": \"%s\", \"type\": \"%s\", "
            "\"n\": %llu, \"device_us\": %.3f, \"queued_us\": %.3f, "
            "\"wall_us\": %.3f, \"mapped_us\": %.3f, \"spread\": %.4f, \"rate\": %.2f, "
            "\"unit\": \"GB/s\", \"verified\": %s, \"how\": \"%s\"}",
            rows ? "," : "", primitive, r.name, r.type, (unsigned long long)r.n, idle, queued,
            times[WALL].median(), times[MAPPED].median(), times[QUEUED].spread(), rate,
            verified ? "true" : "false", r.how);
    rows++;
    failed += !verified;
}

inline void bench::open(int argc, char **argv, const std::string &peer)
{
    const char *file = nullptr;
    for (int i = 1; i < argc; i++)
        if (std::strncmp(argv[i], "--json=", 7) == 0)
            file = argv[i] + 7;
        else if (std::strncmp(argv[i], "--filter=", 9) == 0)
            filter = argv[i] + 9;
        else {
            std::fprintf(stderr, "usage: %s [--json=FILE] [--filter=GLOB]\n", argv[0]);
            std::exit(2);
        }
    CHECK(cudaSetDeviceFlags(
        cudaDeviceScheduleSpin)); // the host polls, which is the fastest way to wait
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    while (bytes > properties.totalGlobalMem / 4)
        bytes /= 2;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMalloc(&memory, bytes));
    CHECK(cudaMalloc(&result, bytes / 2));
    CHECK(cudaHostAlloc(&pinned, 64, cudaHostAllocDefault));
    CHECK(cudaHostAlloc(&mapped, 64, cudaHostAllocMapped));
    fill<<<4096, 256, 0, stream>>>((uint32_t *)memory, bytes / 4);
    CHECK(cudaGetLastError());

    samples copy, empty;
    for (int i = 0; i < 25; i++) {
        copy.us.push_back(pair_us(true, [&] {
            CHECK(cudaMemcpyAsync(result, memory, bytes / 2, cudaMemcpyDeviceToDevice, stream));
        }));
        empty.us.push_back(pair_us(true, [] {}));
    }
    const double copy_gbps = 1e-3 * (double)bytes / copy.at(0);
    int driver = 0;
    CHECK(cudaDriverGetVersion(&driver));
    char date[32];
    const std::time_t today = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&today));
    std::printf("%s on %s, CUDA %d.%d, %s\ncopy %.1f GB/s, empty pair of events %.2f us\n",
                peer.c_str(), properties.name, driver / 1000, driver % 1000 / 10, date,
                copy_gbps, empty.median());
    if (!file)
        return;
    json = std::fopen(file, "w");
    if (!json) {
        std::perror(file);
        std::exit(2);
    }
    std::fprintf(json,
                 "{\"peer\": \"%s\", \"device\": \"%s\", \"driver\": \"CUDA %d.%d\", "
                 "\"date\": \"%s\", \"copy_gbps\": %.2f, \"empty_pair_us\": %.3f, \"rows\": [",
                 peer.c_str(), properties.name, driver / 1000, driver % 1000 / 10, date,
                 copy_gbps, empty.median());
}

inline int bench::close()
{
    if (json) {
        std::fputs("\n]}\n", json);
        std::fclose(json);
    }
    return failed ? 1 : 0;
}

#endif

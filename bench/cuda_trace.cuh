/* SPDX-License-Identifier: Apache-2.0
 *
 * From the first kernel's start to the last one's end, by the device's own clock, as CUPTI
 * records it: what OpenCL's events give. Compiled in by -DWITH_CUPTI; without it, 0. */
#ifndef CUDA_TRACE_CUH
#define CUDA_TRACE_CUH

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#ifdef WITH_CUPTI
#include <cupti.h>

namespace trace
{

inline uint64_t first = UINT64_MAX, last = 0;

inline void check(CUptiResult result, const char *call)
{
    if (result == CUPTI_SUCCESS)
        return;
    const char *words = "";
    cuptiGetResultString(result, &words);
    std::fprintf(stderr, "%s: %s\n", call, words);
    std::exit(1);
}

inline void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *size = 1 << 20;
    *buffer = (uint8_t *)std::aligned_alloc(64, *size);
    *max_records = 0;
}

inline void CUPTIAPI take(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
    CUpti_Activity *record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            const auto *kernel = (const CUpti_ActivityKernel9 *)record; // later ones only add
            first = kernel->start < first ? kernel->start : first;
            last = kernel->end > last ? kernel->end : last;
        }
    std::free(buffer);
}

inline void start()
{
    check(cuptiActivityRegisterCallbacks(give, take), "cuptiActivityRegisterCallbacks");
    check(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable");
}

// Of what has run since the last call; the device must be idle.
inline double kernels_us()
{
    check(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
    const double us = last > first ? 1e-3 * (double)(last - first) : 0;
    first = UINT64_MAX;
    last = 0;
    return us;
}

} // namespace trace

#else

namespace trace
{

inline void start()
{
    std::fprintf(stderr, "built without -DWITH_CUPTI\n");
    std::exit(2);
}

inline double kernels_us()
{
    return 0;
}

} // namespace trace

#endif
#endif

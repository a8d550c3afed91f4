// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: copies from memory to local memory without a register, which NVIDIA's
// GPUs have from sm_80 on. All copies of an item are under way at once. They are there behind
// wait_for_copies() and a barrier. And how an item gets from one element to the next.

#if PTX >= 80
// local pointers are addresses of local memory.
#define COPY_BYTES(way, bytes, to, from)                                              \
    asm volatile("cp.async." way ".shared.global [%0], [%1], " bytes ";"              \
                 :                                                                    \
                 : "r"((uint)(size_t)(to)), "l"(from)                                 \
                 : "memory")
static void wait_for_copies(void)
{
    asm volatile("cp.async.wait_all;" : : : "memory");
}
#else
static void wait_for_copies(void)
{
}
#endif

// p, `elements` further. Compilers add multiples of a distance to one pointer, three
// instructions each, where adding it again and again takes two.
static global const ELEM *beyond(global const ELEM *p, long elements)
{
#if PTX
    asm("add.s64 %0, %0, %1;" : "+l"(p) : "l"(elements * (long)sizeof(ELEM)));
    return p;
#else
    return p + elements;
#endif
}

// SPDX-License-Identifier: Apache-2.0
//
// reduce: the end of a group that has one row, or a part of one.
//
// Macros: those of reduce.cl. Barriers: emit_group() has one, and those of fold_group(); all
// items of a group reach it.

#if PTX
// Signals: partials for a group that waits for them. A partial is told in words of 64 bits, of
// which the lower half is 32 bits of the acc and the upper half the number of the launch. No
// earlier launch had that number, so a word that has it is there. Words of 64 bits are written
// and read whole, in any order. So nobody needs a fence or a counter, which take two trips to
// the memory one behind the other.
#define ACC_WORDS (sizeof(acc) / 4)

// Where the signals of a launch begin: in scratch memory, or in the program's if there is none.
static global ulong *signal_words(global uint *scratch, const struct arguments *g)
{
    return scratch ? (global ulong *)scratch : ticket_words(g->ticket);
}

union acc_words {
    acc r;
    uint word[ACC_WORDS];
};

static void signal(global ulong *to, const acc *r, uint launch)
{
    union acc_words w;
    w.r = *r;
    #pragma unroll
    for (uint k = 0; k < ACC_WORDS; k++)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
                     :
                     : "l"(to + k), "l"(as_ulong((uint2)(w.word[k], launch)))
                     : "memory");
}

static void await_signal(acc *r, global const ulong *from, uint launch)
{
    union acc_words w;
    bool there;
    do {
        there = true;
        #pragma unroll
        for (uint k = 0; k < ACC_WORDS; k++) {
            ulong word;
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                         : "=l"(word)
                         : "l"(from + k)
                         : "memory");
            w.word[k] = (uint)word;
            there &= as_uint2(word).y == launch;
        }
    } while (!there);
    *r = w.r;
}

// The same for n accs, from 1 to AWAITED, of which each lies `apart` words behind the one before.
#define AWAITED (ACC_WORDS <= 2 ? 4 : ACC_WORDS <= 4 ? 2 : 1)

static void await_signals(acc *r, global const ulong *from, ulong apart, uint n, uint launch)
{
    union acc_words w[AWAITED];
    bool there;
    do {
        there = true;
        #pragma unroll
        for (uint i = 0; i < AWAITED; i++)
            #pragma unroll
            for (uint k = 0; k < ACC_WORDS; k++) {
                ulong word;
                asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                             : "=l"(word)
                             : "l"(from + min(i, n - 1) * apart + k)
                             : "memory");
                w[i].word[k] = (uint)word;
                there &= as_uint2(word).y == launch;
            }
    } while (!there);
    #pragma unroll
    for (uint i = 0; i < AWAITED; i++)
        r[i] = w[i].r;
}
#endif

// Writes shared[0], a group's partial of a row. With ONE_LAUNCH the group of the row's last slot
// waits for those of the others and writes the result. It would wait forever on a device on
// which groups of lower numbers have not begun. NVIDIA's begin groups in the order of their
// numbers; CUB's scans rely on that, too. All items call this.
static void emit_group(global uint *scratch, global OUT_T *out, SHARED acc *shared, uint item,
                       const struct arguments *g, ulong row, uint slot)
{
    acc r = shared[0];
#if PTX
    if (g->flags & ONE_LAUNCH) {
        const uint slots = (uint)g->slots;
        global ulong *signals = signal_words(scratch, g) + row * slots * ACC_WORDS;
        if (item == 0)
            signal(signals + slot * ACC_WORDS, &r, g->launch);
        if (slot < slots - 1)
            return;
        acc_start(&r);
        for (uint i = item; i < slots; i += WG) {
            acc q;
            await_signal(&q, signals + i * ACC_WORDS, g->launch);
            merge(&r, &q);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read shared[0]
        shared[item] = r;
        fold_group(shared, item, item, WG, 1);
        r = shared[0];
        if (item == 0)
            finish(out, g->out_first + (long)row * g->out_row, g->out_step, &r, g->total);
        return;
    }
#endif
    if (item == 0)
        emit(partials_of(scratch), out, g, row, slot + 1, &r);
}

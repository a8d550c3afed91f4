// SPDX-License-Identifier: Apache-2.0
//
// Memory that a program itself has, for the signals that groups of a launch give each other. A
// launch has a buffer less, which takes the host 0.35 to 0.5 us of 5
// (docs/measurements/calls.md). The memory is zero when the program is loaded. A launch uses the
// words of one slot, which its ticket names (src/core/call.h). Launches of other slots may run
// beside it. Only where PTX is known.
//
// Macros  SLOT_WORDS    words of 64 bits of a slot
//         TICKET_WORDS  words of all slots, a plain number, as PTX takes it
//
// Defines ticket_words(slot)  where the slot's words are

#if !defined(SLOT_WORDS) || !defined(TICKET_WORDS)
#error "SLOT_WORDS and TICKET_WORDS must be defined"
#endif

#if PTX
#define TEXT_OF(number) #number
#define AS_TEXT(number) TEXT_OF(number)

__asm__(".global .align 8 .b64 gpuprim_tickets[" AS_TEXT(TICKET_WORDS) "];");

static global ulong *ticket_words(uint slot)
{
    global ulong *all;
    // volatile, so that no register holds it from one use to the next
    asm volatile("mov.u64 %0, gpuprim_tickets;" : "=l"(all));
    return all + slot * SLOT_WORDS;
}
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What to do with each of a million packets, by a chain of cases over the protocol and the
 * source address of their IPv4 headers. The packets stay where they are: the element of a
 * packet is 8 bytes of its header. Masks and values are written as bytes in the packet's order,
 * so that nobody turns big-endian fields. */
#include <gpuprim/gpuprim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKETS = 1 << 20, BYTES = 64 /* of a slot */, AT = 8 /* the element in its header */ };
enum { ICMP = 1, TCP = 6, UDP = 17 };
enum { DROP, PING, INNER, WEB, OTHER, ACTIONS };

// Bytes 8 to 15 of the header: time to live, protocol, checksum (2), source address (4).
static const struct {
    uint8_t mask[8], value[8];
    uint32_t action;
} chain[] = {
    { { 0xff }, { 0 }, DROP },                                            // no time to live
    { { 0, 0xff }, { 0, ICMP }, PING },                                   //
    { { 0, 0, 0, 0, 0xff }, { 0, 0, 0, 0, 10 }, INNER },                  // from 10.0.0.0/8
    { { 0, 0xff, 0, 0, 0xff, 0xff }, { 0, UDP, 0, 0, 192, 168 }, INNER }, // 192.168.0.0/16
    { { 0, 0xff }, { 0, TCP }, WEB },                                     //
    { { 0, 0xff, 0, 0, 0xff }, { 0, TCP, 0, 0, 172 }, DROP },             // never decides
};
enum { CASES = sizeof chain / sizeof chain[0] };

static uint32_t action_by_chain(const uint8_t *h)
{
    if (h[0] == 0)
        return DROP;
    else if (h[1] == ICMP)
        return PING;
    else if (h[4] == 10 || (h[1] == UDP && h[4] == 192 && h[5] == 168))
        return INNER;
    else
        return h[1] == TCP ? WEB : OTHER;
}

static int classify(gpuprim *gp, const uint8_t *packets, uint8_t *actions, uint64_t *counts)
{
    struct gpuprim_case cases[CASES];
    for (int i = 0; i < CASES; i++) {
        memcpy(&cases[i].mask, chain[i].mask, 8);
        memcpy(&cases[i].value, chain[i].value, 8);
        cases[i].label = chain[i].action;
    }
    const struct gpuprim_cases rule = { .list = cases, .count = CASES, .otherwise = OTHER };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_U64 };
    struct gpuprim_array in = gpuprim_host(GPUPRIM_U64, packets, PACKETS);
    in.first = AT / 8;
    in.stride = BYTES / 8;
    const struct gpuprim_array labels = gpuprim_host(GPUPRIM_U8, actions, PACKETS);
    const struct gpuprim_array totals = gpuprim_host(GPUPRIM_U64, counts, ACTIONS);

    char text[2048] = "";
    gpuprim_classifier *classifier = NULL;
    int status = gpuprim_classifier_create(gp, &params, &classifier);
    if (!status)
        status = gpuprim_classify(gp, classifier, &in, &labels, &totals, NULL);
    gpuprim_classifier_describe(classifier, text, sizeof text); // names the case that is dead
    gpuprim_classifier_destroy(&classifier);
    printf("%s\n", text);
    return status;
}

int main(void)
{
    static const uint8_t protocols[] = { ICMP, TCP, TCP, UDP, UDP, 50 };
    static const uint8_t nets[] = { 10, 172, 192, 8 };
    uint8_t *packets = calloc(PACKETS, BYTES), *actions = malloc(PACKETS);
    uint64_t counts[ACTIONS] = { 0 };
    for (uint32_t i = 0; packets && i < PACKETS; i++) {
        const uint32_t random = i * 2654435761u ^ i >> 7;
        const uint8_t header[] = { (uint8_t)(random >> 27), protocols[(random >> 8) % 6], 0, 0,
                                   nets[random >> 4 & 3],   random & 1 ? 168 : 1 };
        memcpy(packets + (size_t)i * BYTES + AT, header, sizeof header);
    }
    gpuprim *gp = NULL;
    int status = packets && actions ? gpuprim_create(NULL, &gp) : GPUPRIM_E_MEMORY;
    if (!status)
        status = classify(gp, packets, actions, counts);
    if (status)
        fprintf(stderr, "packets: %s\n", gp ? gpuprim_last_error() : gpuprim_strerror(status));
    gpuprim_destroy(&gp);

    uint64_t wrong = 0, left[ACTIONS];
    memcpy(left, counts, sizeof left);
    for (size_t i = 0; !status && i < PACKETS; i++) {
        const uint32_t action = action_by_chain(packets + i * BYTES + AT);
        wrong += actions[i] != action;
        left[action]--;
    }
    for (int a = 0; !status && a < ACTIONS; a++) {
        static const char *const names[] = { "drop", "ping", "inner", "web", "other" };
        printf("%-5s %7llu\n", names[a], (unsigned long long)counts[a]);
        wrong += left[a] != 0;
    }
    free(actions);
    free(packets);
    return !status ? wrong != 0 : status == GPUPRIM_E_NO_DEVICE ? 77 : 1;
}

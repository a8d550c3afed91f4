/* SPDX-License-Identifier: Apache-2.0
 *
 * The smallest program: the sum of an array in host memory. */
#include <gpuprim/gpuprim.h>
#include <stdio.h>

int main(void)
{
    int x[1000];
    for (int i = 0; i < 1000; i++)
        x[i] = i + 1;

    gpuprim *gp;
    int64_t sum = 0;
    struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, 1000);
    struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, &sum, 1);

    int status = gpuprim_create(NULL, &gp);
    if (status == GPUPRIM_OK) {
        status = gpuprim_reduce(gp, &in, &out,
                                &(struct gpuprim_reduce_params){ .op = GPUPRIM_SUM }, NULL);
        gpuprim_destroy(&gp);
    }
    if (status != GPUPRIM_OK) {
        fprintf(stderr, "sum: %s\n", gpuprim_last_error());
        return status == GPUPRIM_E_NO_DEVICE ? 77 : 1;
    }
    printf("1 + 2 + ... + 1000 = %lld\n", (long long)sum);
    return sum == 500500 ? 0 : 1;
}

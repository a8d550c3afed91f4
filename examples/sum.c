/* SPDX-License-Identifier: Apache-2.0
 * The sum of an array in host memory. */
#include <gpuprim/gpuprim.h>
#include <stdio.h>

int main(void)
{
    int x[1000], status;
    for (int i = 0; i < 1000; i++)
        x[i] = i + 1;

    gpuprim *gp;
    int64_t sum = 0;
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, 1000);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, &sum, 1);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };

    if ((status = gpuprim_create(NULL, &gp)) == GPUPRIM_OK) {
        status = gpuprim_reduce(gp, &in, &out, &params, NULL);
        gpuprim_destroy(&gp);
    }
    if (status != GPUPRIM_OK) {
        fprintf(stderr, "sum: %s\n", gpuprim_last_error());
        return status == GPUPRIM_E_NO_DEVICE ? 77 : 1;
    }
    printf("1 + 2 + ... + 1000 = %lld\n", (long long)sum);
    return 0;
}

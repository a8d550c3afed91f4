/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that knows gpuprim only as installed, or as a subproject. Compiled as C and as C++.
 */
#include <gpuprim/gpuprim.h>
#include <gpuprim/gpuprim_cl.h>

#include <stdio.h>

int main(void)
{
    const float x[] = { 1, 2, 3, 4, 5, 6 }; // two rows of three
    float sums[3] = { 0, 0, 0 };            // of the columns
    gpuprim *gp = NULL;
    int status = gpuprim_create(NULL, &gp);
    if (status == GPUPRIM_E_NO_DEVICE)
        return 77;
    if (status == GPUPRIM_OK) {
        const struct gpuprim_array in =
            gpuprim_as_columns(gpuprim_host(GPUPRIM_F32, x, 6), 2, 3);
        const struct gpuprim_array out =
            gpuprim_as_rows(gpuprim_host(GPUPRIM_F32, sums, 3), 3, 1);
        struct gpuprim_reduce_params params = {
            GPUPRIM_SUM, GPUPRIM_TYPE_INVALID, GPUPRIM_NAN_PROPAGATE, { 0, 0, 0, 0 }
        };
        status = gpuprim_reduce(gp, &in, &out, &params, NULL);
    }
    if (status != GPUPRIM_OK)
        fprintf(stderr, "%s: %s\n", gpuprim_strerror(status), gpuprim_last_error());
    gpuprim_destroy(&gp);
    printf("gpuprim %s: %g %g %g\n", gpuprim_version(), sums[0], sums[1], sums[2]);
    return status == GPUPRIM_OK && sums[0] == 5 && sums[1] == 7 && sums[2] == 9 ? 0 : 1;
}

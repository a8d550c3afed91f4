/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests that need a process of their own: no OpenCL platform, a broken driver beside a good
 * one, exit without gpuprim_destroy, and fork. All but the last start this program again,
 * because the OpenCL loader reads its environment only once.
 */
#include "api.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------
// The child processes, `check --child=NAME`. They exit with 0 if all is well.

static int say(const char *what)
{
    printf("# child: %s (%s)\n", what, gpuprim_last_error());
    return 1;
}

static int no_platform(void)
{
    static char anchor;
    gpuprim *const sentinel = (gpuprim *)&anchor;
    gpuprim *gp = sentinel;
    if (gpuprim_create(NULL, &gp) != GPUPRIM_E_NO_DEVICE)
        return say("a device without any platform");
    if (gp != sentinel)
        return say("*out was touched");
    unsigned n = 77;
    if (gpuprim_devices(NULL, 0, &n) || n != 0)
        return say("the list of devices is not empty");
    gpuprim_create(NULL, &gp); // for its message
    if (!gpuprim_last_error()[0])
        return say("no message");
    return 0;
}

static int works(void)
{
    gpuprim *gp = NULL;
    const int32_t x[] = { 1, 2, 3 };
    int64_t sum = 0;
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, 3);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, &sum, 1);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    if (gpuprim_create(NULL, &gp))
        return say("no context");
    if (gpuprim_reduce(gp, &in, &out, &params, NULL) || sum != 6)
        return say("no sum");
    gpuprim_destroy(&gp);
    return 0;
}

// Exits without gpuprim_destroy: nothing may hang or crash.
static int exits_without_destroy(void)
{
    gpuprim *gp = NULL;
    const float x = 1;
    float sum;
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, &x, 1);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, &sum, 1);
    if (gpuprim_create(NULL, &gp) ||
        gpuprim_reduce(gp, &in, &out, &(struct gpuprim_reduce_params){ 0 }, NULL))
        return say("no sum");
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} children[] = { { "no_platform", no_platform },
                 { "works", works },
                 { "exits_without_destroy", exits_without_destroy } };

int api_child(const char *name)
{
    for (unsigned i = 0; i < sizeof children / sizeof *children; i++)
        if (strcmp(name, children[i].name) == 0)
            return children[i].run();
    return 2;
}

// Starts a child. `vendors`: its OCL_ICD_VENDORS, or NULL.
static void start(struct check *check, const char *name, const char *vendors)
{
    char option[64];
    snprintf(option, sizeof option, "--child=%s", name);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (vendors)
            setenv("OCL_ICD_VENDORS", vendors, 1);
        if (strcmp(name, "no_platform") == 0)
            unsetenv("OCL_ICD_FILENAMES"); // the loader reads these, too
        alarm(100);
        execl("/proc/self/exe", "check", option, (char *)NULL);
        _exit(3);
    }
    int status = -1;
    check->cases++;
    if (child > 0)
        waitpid(child, &status, 0);
    CHECK(check, status == 0, "--child=%s%s%s: wait status 0x%x", name,
          vendors ? " with OCL_ICD_VENDORS=" : "", vendors ? vendors : "", (unsigned)status);
}

// ---------------------------------------------------------------------------------------
// Folders of drivers

static bool write_icd(const char *folder, const char *name, const char *library)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file, "%s\n", library);
    return fclose(file) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

// Copies the .icd files that this process uses into `folder`. Returns their number.
static unsigned copy_drivers(const char *folder)
{
    const char *from = getenv("OCL_ICD_VENDORS");
    if (from && ends_with(from, ".so"))
        return write_icd(folder, "real.icd", from);
    if (!from)
        from = "/etc/OpenCL/vendors";
    DIR *vendors = opendir(from);
    unsigned n = 0;
    for (const struct dirent *entry; vendors && (entry = readdir(vendors));) {
        char path[512], library[512] = "";
        if (!ends_with(entry->d_name, ".icd"))
            continue;
        snprintf(path, sizeof path, "%s/%s", from, entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(library, sizeof library, file)) {
            library[strcspn(library, "\n")] = '\0';
            n += write_icd(folder, entry->d_name, library);
        }
        if (file)
            fclose(file);
    }
    if (vendors)
        closedir(vendors);
    return n;
}

static void remove_folder(const char *folder)
{
    DIR *open = opendir(folder);
    for (const struct dirent *entry; open && (entry = readdir(open));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (ends_with(path, ".icd"))
            unlink(path);
    }
    if (open)
        closedir(open);
    rmdir(folder);
}

static void platforms(struct check *check, bool good_ones)
{
    char folder[] = "/tmp/gpuprim-check-XXXXXX";
    if (!CHECK(check, mkdtemp(folder), "no folder")) {
        check_end(check);
        return;
    }
    const unsigned n = good_ones ? copy_drivers(folder) : 0;
    if (good_ones && n == 0) {
        check_skip(check, "the drivers in use are not in a folder of .icd files");
    } else {
        if (!good_ones)
            start(check, "no_platform", folder);
        write_icd(folder, "aaa.icd", "libno-such-driver.so.9");
        write_icd(folder, "zzz.icd", "/dev/null");
        start(check, good_ones ? "works" : "no_platform", folder);
        check_end(check);
    }
    remove_folder(folder);
}

// ---------------------------------------------------------------------------------------
// Fork

// In the child of a fork every call must return E_FORKED; none may hang.
static int forked(gpuprim *gp)
{
    const float x[] = { 1, 2, 3 };
    float sum = -1;
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, 3);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, &sum, 1);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    gpuprim *other = NULL;
    if (gpuprim_reduce(gp, &in, &out, &params, NULL) != GPUPRIM_E_FORKED || sum != -1)
        return say("reduce");
    if (!gpuprim_last_error()[0])
        return say("no message");
    if (gpuprim_reduce_prepare(gp, &in, &out, &params) != GPUPRIM_E_FORKED)
        return say("prepare");
    if (gpuprim_create(NULL, &other) != GPUPRIM_E_FORKED || other)
        return say("create");
    unsigned n = 77;
    if (gpuprim_devices(NULL, 0, &n) != GPUPRIM_E_FORKED || n != 77)
        return say("devices");
    if (strncmp(gpuprim_last_error(), "gpuprim_devices: ", 17) != 0)
        return say("the function is not named");
    gpuprim_destroy(&gp);
    return gp ? say("destroy") : 0;
}

static void forks(struct check *check)
{
    gpuprim *gp = check_context(check, NULL, 0);
    const float x[] = { 1, 2, 3 };
    float sum = 0;
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, 3);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, &sum, 1);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    gpuprim_reduce(gp, &in, &out, &params, NULL);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        const int status = forked(gp);
        fflush(stdout);
        _exit(status);
    }
    int status = -1;
    check->cases++;
    if (child > 0)
        waitpid(child, &status, 0);
    CHECK(check, status == 0, "the child's wait status is 0x%x", (unsigned)status);
    CHECK(check, !gpuprim_reduce(gp, &in, &out, &params, NULL) && sum == 6,
          "the parent afterwards: %s", gpuprim_last_error());
    gpuprim_destroy(&gp);
}

void api_process_run(struct check *check)
{
    if (check_begin(check, "api/process/no_platform"))
        platforms(check, false);
    if (check_begin(check, "api/process/broken_driver"))
        platforms(check, true);
    if (check_begin(check, "api/process/exit_without_destroy")) {
        start(check, "exits_without_destroy", NULL);
        check_end(check);
    }
    if (check_begin(check, "api/process/fork")) {
        forks(check);
        check_end(check);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures CASES against the same cases compiled into a kernel, as a chain of if and as a
 * switch. Build it by hand:
 *     cc -O2 -Iinclude bench/classify/chains.c -lOpenCL -ldl -lm -o chains
 *     ./chains [--elements=N] [--rounds=N] [--only=TEXT] [--gpu] LIBRARY...
 *
 * A LIBRARY is a file libgpuprim.so; with several, such as before and after a change, each gets a
 * column. Labels of all are compared with a plain search through the cases. Times are medians of
 * rounds in which all take turns: of processor time on CPUs, by the host's clock on GPUs, where
 * eight calls are enqueued at once.
 * The copy moves as many bytes. Compilers take minutes for long chains, so that those are left
 * out. */
#define _POSIX_C_SOURCE          200809L
#define CL_TARGET_OPENCL_VERSION 120
#include <gpuprim/gpuprim_cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LIBRARIES = 4, MOST_CASES = 65536, MOST_WAYS = MOST_LIBRARIES + 3, ROUNDS = 64 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_mem x, y;
static size_t n = (size_t)1 << 25;
static int rounds = 9, calls = 1;
static int is_gpu;
static const char *only = ""; // rows whose name has this

static void must(int status, const char *what)
{
    if (status) {
        fprintf(stderr, "%s: %d\n", what, status);
        exit(1);
    }
}

static uint64_t state = 1;
static uint64_t random_bits(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// ---------------------------------------------------------------------------------------
// What is measured

static struct gpuprim_case cases[MOST_CASES];
static struct gpuprim_cases rule = { .list = cases, .otherwise = 255 };
static enum gpuprim_type type;
static size_t size;

struct library {
    gpuprim *gp;
    gpuprim_classifier *classifier;
    int (*create_cl)(cl_context, cl_device_id, const struct gpuprim_options *, gpuprim **);
    int (*create)(gpuprim *, const struct gpuprim_classifier_params *, gpuprim_classifier **);
    void (*destroy)(gpuprim_classifier **);
    int (*classify)(gpuprim *, const gpuprim_classifier *, const struct gpuprim_array *,
                    const struct gpuprim_array *, const struct gpuprim_array *,
                    const struct gpuprim_sync *);
    size_t (*describe)(const gpuprim_classifier *, char *, size_t);
    const char *(*last_error)(void);
} libraries[MOST_LIBRARIES];
static int n_libraries;

static void *symbol(void *file, const char *name)
{
    void *found = dlsym(file, name);
    must(!found, name);
    return found;
}

static void open_library(const char *path)
{
    struct library *l = &libraries[n_libraries++];
    void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!file)
        fprintf(stderr, "%s\n", dlerror());
    must(!file, "dlopen");
    *(void **)&l->create_cl = symbol(file, "gpuprim_create_cl");
    *(void **)&l->create = symbol(file, "gpuprim_classifier_create");
    *(void **)&l->destroy = symbol(file, "gpuprim_classifier_destroy");
    *(void **)&l->classify = symbol(file, "gpuprim_classify");
    *(void **)&l->describe = symbol(file, "gpuprim_classifier_describe");
    *(void **)&l->last_error = symbol(file, "gpuprim_last_error");
    must(l->create_cl(context, device, NULL, &l->gp), "gpuprim_create_cl");
}

// The cases as source text.
static char *text_of(int is_switch)
{
    char *text = malloc(rule.count * 96 + 4096), *to = text;
    const char *name = size == 8 ? "ulong" : "uint";
    to += sprintf(to, "static uchar label_of(%s x)\n{\n", name);
    if (is_switch)
        to += sprintf(to, "switch (x & 0x%llxu) {\n", (unsigned long long)cases[0].mask);
    for (uint32_t k = 0; k < rule.count; k++)
        to += is_switch ? sprintf(to, "case 0x%llxu: return %u;\n",
                                  (unsigned long long)cases[k].value, cases[k].label)
                        : sprintf(to, "%sif ((x & 0x%llxu) == 0x%llxu) return %u;\n",
                                  k ? "else " : "", (unsigned long long)cases[k].mask,
                                  (unsigned long long)cases[k].value, cases[k].label);
    to += sprintf(to, "%sreturn %u;\n}\n", is_switch ? "}\n" : "", rule.otherwise);
    sprintf(to,
            "#if FOUR\n"
            "kernel void f(global const %s4 *x, global uchar4 *y)\n"
            "{ size_t i = get_global_id(0); %s4 v = x[i];\n"
            "  y[i] = (uchar4)(label_of(v.x), label_of(v.y), label_of(v.z), label_of(v.w)); }\n"
            "#else\n"
            "kernel void f(global const %s *x, global uchar *y)\n"
            "{ size_t i = get_global_id(0); y[i] = label_of(x[i]); }\n"
            "#endif\n",
            name, name, name);
    return text;
}

static cl_kernel build(const char *text, double *seconds)
{
    struct timespec a, b;
    cl_int error;
    clock_gettime(CLOCK_MONOTONIC, &a);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(error, "clCreateProgramWithSource");
    must(clBuildProgram(program, 1, &device, is_gpu ? "-DFOUR=1" : "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    must(error, "clCreateKernel");
    must(clSetKernelArg(kernel, 0, sizeof x, &x), "x");
    must(clSetKernelArg(kernel, 1, sizeof y, &y), "y");
    clReleaseProgram(program);
    clock_gettime(CLOCK_MONOTONIC, &b);
    *seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    return kernel;
}

// One way to do the work: a kernel, a library, or, with neither, the copy.
struct way {
    const char *name;
    cl_kernel kernel;
    size_t items;
    struct library *library;
    double seconds[ROUNDS];
    int is_wrong;
};

static void enqueue(const struct way *w)
{
    if (w->library) {
        const struct gpuprim_array in = gpuprim_buffer(type, x, 0, n);
        const struct gpuprim_array labels = gpuprim_buffer(GPUPRIM_U8, y, 0, n);
        const struct gpuprim_sync sync = { .queue = queue };
        const struct library *l = w->library;
        if (l->classify(l->gp, l->classifier, &in, &labels, NULL, &sync)) {
            fprintf(stderr, "%s\n", l->last_error());
            exit(1);
        }
    } else {
        const size_t group = 256;
        must(
            clEnqueueNDRangeKernel(queue, w->kernel, 1, NULL, &w->items, &group, 0, NULL, NULL),
            "launch");
    }
}

// The seconds of a call. CPU devices share their cores with other work, so that processor time
// tells more than the clock.
static double run(const struct way *w)
{
    struct timespec a, b;
    const clockid_t clock = is_gpu ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    clFinish(queue);
    clock_gettime(clock, &a);
    for (int i = 0; i < calls; i++)
        enqueue(w);
    clFinish(queue);
    clock_gettime(clock, &b);
    return ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)) / calls;
}

static int by_size(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

// ---------------------------------------------------------------------------------------
// Data and rows

// Fills x with values of which three in four meet a case; returns how many of the first labels
// `right` has. Long chains are not checked on all elements.
static size_t fill(uint8_t *right)
{
    uint64_t *wide = malloc(n * size);
    uint32_t *narrow = (uint32_t *)(void *)wide;
    const size_t checked = 20000000 / (rule.count + 20) < n ? 20000000 / (rule.count + 20) : n;
    for (size_t i = 0; i < n; i++) {
        const struct gpuprim_case *c = &cases[random_bits() % rule.count];
        uint64_t v = random_bits();
        if (i % 4)
            v = (v & ~c->mask) | c->value;
        if (size == 8)
            wide[i] = v;
        else
            narrow[i] = (uint32_t)v;
        for (uint32_t k = 0; i < checked && k <= rule.count; k++) {
            right[i] = (uint8_t)(k < rule.count ? cases[k].label : rule.otherwise);
            if (k < rule.count &&
                ((size == 8 ? v : (uint32_t)v) & cases[k].mask) == cases[k].value)
                break;
        }
    }
    must(clEnqueueWriteBuffer(queue, x, CL_TRUE, 0, n * size, wide, 0, NULL, NULL), "write");
    free(wide);
    return checked;
}

static void row(const char *name, const uint64_t *masks, unsigned n_masks, uint32_t count,
                enum gpuprim_type of, int is_switch)
{
    struct way ways[MOST_WAYS];
    int n_ways = 0;
    double seconds;
    if (!strstr(name, only))
        return;
    static uint8_t right[1 << 26], got[1 << 26];
    type = of;
    size = of == GPUPRIM_U64 ? 8 : 4;
    rule.count = count;
    for (uint32_t k = 0; k < count; k++) {
        const uint64_t mask = masks[k % n_masks] & (size == 8 ? ~(uint64_t)0 : 0xffffffff);
        // A switch has each value once; that of a golden ratio comes once in 2^32.
        const uint64_t v = is_switch ? (uint32_t)(k * 2654435761u) : random_bits();
        cases[k] = (struct gpuprim_case){ .mask = mask, .value = v & mask, .label = k % 200 };
    }
    const size_t checked = fill(right);
    ways[n_ways++] = (struct way){
        .name = "copy",
        .kernel = build("kernel void f(global const uint4 *x, global uint4 *y)"
                        "{ size_t i = get_global_id(0); y[i] = x[i]; }",
                        &seconds),
        .items = n * (size + 1) / 32,
    };
    for (int i = 0; i < n_libraries; i++) {
        struct library *l = &libraries[i];
        const struct gpuprim_classifier_params params = { .cases = &rule, .in = type };
        if (l->create(l->gp, &params, &l->classifier)) {
            fprintf(stderr, "%s\n", l->last_error());
            exit(1);
        }
        char text[400] = "";
        l->describe(l->classifier, text, sizeof text);
        printf("# %.200s\n", text);
        ways[n_ways++] = (struct way){ .name = "library", .library = l };
    }
    for (int s = 0; s < 2; s++) {
        if (s ? !is_switch || count > 1000 : count > 100)
            continue;
        char *text = text_of(s);
        ways[n_ways] =
            (struct way){ .name = s ? "switch" : "if chain", .items = is_gpu ? n / 4 : n };
        ways[n_ways++].kernel = build(text, &seconds);
        free(text);
    }
    for (int w = 0; w < n_ways; w++) {
        memset(got, 254, checked);
        must(clEnqueueWriteBuffer(queue, y, CL_TRUE, 0, checked, got, 0, NULL, NULL), "write");
        run(&ways[w]);
        must(clEnqueueReadBuffer(queue, y, CL_TRUE, 0, checked, got, 0, NULL, NULL), "read");
        ways[w].is_wrong = w > 0 && memcmp(got, right, checked) != 0;
    }
    for (int r = 0; r < rounds; r++)
        for (int w = 0; w < n_ways; w++)
            ways[w].seconds[r] = run(&ways[w]);
    printf("%-28s", name);
    for (int w = 0; w < n_ways; w++) {
        qsort(ways[w].seconds, (size_t)rounds, sizeof(double), by_size);
        const double t = ways[w].seconds[rounds / 2];
        printf(" | %s %.1f ms %.2f Gelem/s %.3f%s", ways[w].name, 1e3 * t, 1e-9 * (double)n / t,
               ways[0].seconds[rounds / 2] / t, ways[w].is_wrong ? " WRONG" : "");
        if (ways[w].library)
            ways[w].library->destroy(&ways[w].library->classifier);
        else
            clReleaseKernel(ways[w].kernel);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    cl_platform_id platforms[16];
    cl_uint n_platforms = 0;
    cl_int error;
    for (int i = 1; i < argc; i++)
        is_gpu |= !strcmp(argv[i], "--gpu");
    clGetPlatformIDs(16, platforms, &n_platforms);
    for (cl_uint i = 0; !device && i < n_platforms && i < 16; i++)
        clGetDeviceIDs(platforms[i], is_gpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU, 1,
                       &device, NULL);
    must(!device, "no such device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    must(error, "clCreateCommandQueue");
    n = is_gpu ? (size_t)1 << 28 : n;
    calls = is_gpu ? 8 : 1;
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--elements=", 11))
            n = strtoull(argv[i] + 11, NULL, 0) / 1024 * 1024;
        else if (!strncmp(argv[i], "--rounds=", 9))
            rounds = atoi(argv[i] + 9) < ROUNDS ? atoi(argv[i] + 9) : ROUNDS;
        else if (!strncmp(argv[i], "--only=", 7))
            only = argv[i] + 7;
        else if (strcmp(argv[i], "--gpu") != 0 && n_libraries < MOST_LIBRARIES)
            open_library(argv[i]);
    x = clCreateBuffer(context, CL_MEM_READ_WRITE, n * 8, NULL, &error);
    must(error, "clCreateBuffer");
    y = clCreateBuffer(context, CL_MEM_READ_WRITE, n * 8, NULL, &error);
    must(error, "clCreateBuffer");

    static const uint64_t one[] = { 0xfff0ff }, all[] = { ~(uint64_t)0 },
                          three[] = { 0xfff0ff, 0xff00ff00, 0x0fffff0f };
    static uint64_t any[32], prefixes[8];
    for (int i = 0; i < 32; i++)
        any[i] = (random_bits() | random_bits()) & ~(random_bits() & random_bits());
    for (int i = 0; i < 8; i++)
        prefixes[i] = 0xffffffffull << (8 + i) & 0xffffffff;
    static const uint32_t counts[] = { 4, 14, 100, 1000, 5000, 20000 };
    char name[64];
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "%u cases, 1 mask", counts[i]);
        row(name, one, 1, counts[i], GPUPRIM_U32, 1);
    }
    for (int i = 1; i < 4; i++) {
        snprintf(name, sizeof name, "%u values", counts[i]);
        row(name, all, 1, counts[i], GPUPRIM_U32, 1);
    }
    row("1000 values of u64", all, 1, 1000, GPUPRIM_U64, 1);
    row("14 cases, 3 masks", three, 3, 14, GPUPRIM_U32, 0);
    row("240 cases, 3 masks", three, 3, 240, GPUPRIM_U32, 0);
    row("32 cases, 32 masks", any, 32, 32, GPUPRIM_U32, 0);
    row("100 cases, 32 masks", any, 32, 100, GPUPRIM_U32, 0);
    row("1000 cases, 32 masks", any, 32, 1000, GPUPRIM_U32, 0);
    row("100 prefixes of 2 lengths", prefixes, 2, 100, GPUPRIM_U32, 0);
    row("1000 prefixes of 2 lengths", prefixes, 2, 1000, GPUPRIM_U32, 0);
    row("1000 prefixes of 8 lengths", prefixes, 8, 1000, GPUPRIM_U32, 0);
    return 0;
}

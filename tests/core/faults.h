/* SPDX-License-Identifier: Apache-2.0
 *
 * Failing OpenCL calls and allocations. faults.c runs each scenario many times and lets another
 * call or allocation fail in each run. fault_arm.c says what fails and what is left afterwards,
 * fault_list.c lists the scenarios, fault_fixture.c keeps their arrays, and fault_calls.c makes
 * their calls and knows the right results.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "tests/harness/check.h"

enum {
    FAULT_ROWS = 3,
    FAULT_N = 50021, // i32 in a row: element i is i, in each row
    FAULT_TAPS = 5,
    FAULT_BOUND = 1000, // row r of thresholds: (r + 1) times this
    FAULT_STAGING = 1 << 19,
};

enum fault_call { REDUCE, CONVOLVE1D, CLASSIFY, CLASSIFIER, PREPARE, DESCRIBE, DEVICES };
enum fault_how { BLOCKING, ENQUEUED, OUT_OF_ORDER };

struct fault_scenario {
    const char *name;
    enum fault_call call;
    enum gpuprim_memory in, out;
    enum gpuprim_memory second; // of what else comes out: the history after, counts
    enum gpuprim_memory rule;   // of the history before; of taps or thresholds
    enum fault_how how;
    bool streamed; // as on a device that is not a CPU
    bool one_row;  // REDUCE: so that it has partial results
    bool no_rows;  // REDUCE
    bool gaps;     // REDUCE: lines with gaps that are left out of the copies
    bool strided;  // CONVOLVE1D: outputs
    bool history;
    bool per_row;     // CLASSIFY: counts
    bool rule_rows;   // a row of taps or thresholds for each row
    bool accumulate;  // CLASSIFY: counts
    bool crowded;     // as many calls are in flight as find scratch memory ready
    bool repeated;    // it is made once without a failure before
    unsigned variety; // CLASSIFIER: which rule; DESCRIBE: which primitive
};

// Memory of one kind.
struct fault_store {
    enum gpuprim_memory memory;
    size_t bytes;
    void *host;
    cl_mem buffer;
    void *svm;
};

// fault_list.c: those on programs that were built before, and those that build.
extern const struct fault_scenario fault_warm[], fault_cold[];
extern const unsigned fault_n_warm, fault_n_cold;

enum { FAULT_OUTPUTS = 2 };

struct fault_output {
    struct fault_store store;
    unsigned char *painted; // what is there before the call
    unsigned char *wanted;  // what has to be there after it
    unsigned char *seen;
};

struct fault_fixture {
    struct check *check;
    const struct fault_scenario *scenario;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue, out_of_order; // the latter may be NULL
    bool has_svm;
    int32_t *x; // FAULT_ROWS x FAULT_N
    struct fault_store in, before, rule;
    struct fault_output outputs[FAULT_OUTPUTS];
    cl_event gate; // what enqueued calls wait for
};

// ---------------------------------------------------------------------------------------
// fault_arm.c

enum failing { CALL, TWO_CALLS, ALLOCATION };

enum { FAULT_CODES = 6 };
extern const cl_int fault_codes[FAULT_CODES];

// From now on call or allocation number `nth` fails, calls with `code`; or nothing.
void fault_arm(enum failing failing, int nth, cl_int code);
void fault_disarm(void);

// Whether the last failure has a message that is newer than fault_arm.
bool fault_has_message(void);

// OpenCL objects, and memory from malloc.
struct fault_alive {
    long objects, blocks;
};
struct fault_alive fault_alive_now(void);

// ---------------------------------------------------------------------------------------
// fault_fixture.c. Each of these counts a failure and returns false where it cannot.

bool fault_fixture_make(struct check *check, struct fault_fixture *fixture);
void fault_fixture_free(struct fault_fixture *fixture);

// What a scenario needs; NULL or why the device cannot run it.
const char *fault_lacks(const struct fault_fixture *fixture,
                        const struct fault_scenario *scenario);
bool fault_set_up(struct fault_fixture *fixture, const struct fault_scenario *scenario);
void fault_tear_down(struct fault_fixture *fixture);

// Paints the outputs; later: whether they are as painted, or as wanted.
void fault_paint(struct fault_fixture *fixture);
void fault_look(struct fault_fixture *fixture);
bool fault_is_untouched(const struct fault_fixture *fixture);
bool fault_is_right(const struct fault_fixture *fixture);

bool fault_gate_make(struct fault_fixture *fixture);
void fault_gate_open(struct fault_fixture *fixture, cl_int status);

// As a view: packed, `count` in each of `rows`.
struct gpuprim_array fault_view(const struct fault_store *store, enum gpuprim_type type,
                                uint64_t count, uint64_t rows);

// ---------------------------------------------------------------------------------------
// fault_calls.c

// Bytes of what comes out, 0 for nothing, and what it is before and after a call.
size_t fault_bytes(const struct fault_scenario *scenario, int output);
void fault_expect(const struct fault_fixture *fixture);

// The rule's bytes: taps or thresholds.
size_t fault_rule(const struct fault_scenario *scenario,
                  int32_t values[FAULT_ROWS * FAULT_TAPS]);

// The call itself, on a context; filters and classifiers are made and ended within. Allocates
// nothing of its own.
int fault_call(struct fault_fixture *fixture, gpuprim *gp);

#endif

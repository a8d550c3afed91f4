/* SPDX-License-Identifier: Apache-2.0
 *
 * A line on a terminal that says what takes long. A thread writes it from the first second of a
 * phase on, four times a second, and it vanishes with the phase. The library's calls and the
 * reference do not say how far they are, so that their line has the seconds alone; of what is read
 * there are bytes and their rate.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "command.h"
#include "progress.h"

static struct {
    bool is_allowed, is_on, is_over;
    const char *phase;
    double start;
    _Atomic uint64_t bytes;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t over;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER };

void tool_progress_allow(const struct tool_common *common)
{
    progress.is_allowed =
        tool_is_terminal(stderr) && !common->quiet && !common->json && !common->verbose;
}

void tool_progress_bytes(uint64_t bytes)
{
    progress.bytes = bytes;
}

static void print_line(double seconds)
{
    const double bytes = (double)progress.bytes, mib = 1048576;
    if (bytes > 0)
        fprintf(stderr, "\r\033[K%s: %.1f MiB, %.1f MiB/s", progress.phase, bytes / mib,
                bytes / mib / seconds);
    else
        fprintf(stderr, "\r\033[K%s: %.0f s", progress.phase, seconds);
    fflush(stderr);
}

static void *watch(void *unused)
{
    bool is_shown = false;
    pthread_mutex_lock(&progress.lock);
    while (!progress.is_over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 250000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&progress.over, &progress.lock, &until);
        const double seconds = tool_seconds() - progress.start;
        if (progress.is_over || seconds < 1)
            continue;
        print_line(seconds);
        is_shown = true;
    }
    if (is_shown)
        fputs("\r\033[K", stderr);
    pthread_mutex_unlock(&progress.lock);
    return unused;
}

void tool_progress_begin(const char *phase)
{
    if (!progress.is_allowed || progress.is_on)
        return;
    progress.phase = phase;
    progress.start = tool_seconds();
    progress.bytes = 0;
    progress.is_over = false;
    progress.is_on = pthread_create(&progress.thread, NULL, watch, NULL) == 0;
}

void tool_progress_end(void)
{
    if (!progress.is_on)
        return;
    pthread_mutex_lock(&progress.lock);
    progress.is_over = true;
    pthread_cond_signal(&progress.over);
    pthread_mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
    progress.is_on = false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* librankscope_rank.so: how a program that is not our trainer reports what one rank does. It writes the rank's board
 * and journal (docs/dev/telemetry.md) and reads the control page, without Python and LibTorch. The process has one
 * rank; its functions may be called before rs_open(), after rs_close() and in a forked child, and do nothing there.
 *
 * All times are CLOCK_MONOTONIC ns. Nothing blocks, allocates or makes a system call, except for functions marked
 * "slow". No function throws or ends the process. Text is UTF-8, ended by NUL, and cut at the length of its field. */
#ifndef RANKSCOPE_RANK_INTERFACE_H
#define RANKSCOPE_RANK_INTERFACE_H

/* NOLINTBEGIN: this is C */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define RS_INTERFACE_VERSION 1
/* Returns the RS_INTERFACE_VERSION that the library was built with. */
int rs_interface_version(void);

/* Which rank the process is. */
typedef struct {
    int32_t rank, world_size; /* of the whole job, over all hosts */
    int32_t local_rank;       /* on its host */
    int64_t total_steps;      /* 0: not known */
    int64_t steps_per_epoch;  /* 0: not known */
    const char* device;       /* "cpu", "cuda:0" */
} rs_identity;

/* Slow. Creates ranks/<rank> below `folder` (0700) with board and journal and appends the anchor. Returns 0, or -1 with
 * a sentence in `error`. A second call changes the identity of the rank that is open; another rank is refused. */
int rs_open(const char* folder, const rs_identity* identity, char* error, size_t error_size);
/* Slow. Appends the end record and sets the stage: cause 0 finished, 1 stopped, 2 failed. The first call counts. */
void rs_close(int cause, int exit_code, const char* text);
/* Slow. Sets what is reported if the process calls exit(3) before rs_close(): `cause` if its exit code is 0, otherwise
 * failed, with the exit code and `text`. The last call counts. */
void rs_at_exit(int cause, const char* text);
/* Returns 1 between rs_open() and rs_close(), else 0. */
int rs_is_open(void);
/* Returns the time now, by the calling thread. */
int64_t rs_now(void);

/* Values of stages, phases, operations and severities: docs/dev/telemetry.md. Any thread may call these functions; the
 * records get the time of the call and the step that the training thread is in. */
/* Sets the stage that the board shows. */
void rs_stage(int stage);
/* Appends name and version of a library that the rank uses. */
void rs_software(const char* name, const char* version);
/* Appends a note for people. */
void rs_note(int severity, const char* text);
/* Appends a value that the program logs under a name; it may be NaN or infinite. */
void rs_scalar(const char* name, double value);
/* Sets the file or sample that a loader is reading; an empty text: none. Any thread. */
void rs_reading(const char* what);
/* Sets how many batches are ready, and how many can be. Any thread. */
void rs_queue(int ready, int capacity);

/* Ends the training thread's phase, which is recorded, and begins another one. Returns the time of both. Only the
 * training thread calls this and the functions of steps. */
int64_t rs_phase(int phase);
/* Returns the phase that the training thread is in; 0: none. Any thread. */
int rs_current_phase(void);

/* Begins a step: the records that follow belong to it. Steps and epochs are counted from 0. */
void rs_step_begin(int64_t step, int epoch);

typedef struct {
    int32_t size;                                  /* items; -1: not known, and so are the lengths */
    int32_t ready;                                 /* batches that were ready when it was asked for */
    int64_t samples_min, samples_max, samples_sum; /* audio samples of an item; -1: not known */
    int64_t frames_min, frames_max, frames_sum;    /* mel frames of an item; -1: not known */
    int64_t padded_frames;                         /* frames of the model's input, with padding; -1: not known */
    int64_t load_ns;                               /* duration of loading, by the loader; -1: not known */
    int64_t wait_ns;                               /* how long the training thread waited for it; -1: not known */
    uint64_t index_hash;                           /* of the items' indices in the data, in order; 0: not known */
} rs_batch_facts;
/* The batch of the step that runs. If a step has several micro-batches, each call describes all of them so far. */
void rs_batch(const rs_batch_facts* batch);

typedef struct {
    int64_t step; /* may be an earlier one, whose loss was not known at its end */
    int32_t epoch;
    int32_t flags;                       /* bits: 0 loss, 1 gradient, 3 batch not finite; 2 optimizer step skipped */
    double loss;                         /* this rank's own; NaN without bit 0: not known */
    double learning_rate, gradient_norm; /* NaN: not known */
    int64_t begin_ns, end_ns;            /* by the training thread */
    int64_t exposed_gradient_ns;         /* as rs_backward_end() returned it */
} rs_step_facts;
/* Appends the record of a step that has ended. */
void rs_step_end(const rs_step_facts* step);

typedef struct {
    int64_t step; /* that it belongs to, from 0 */
    int32_t epoch;
    double loss;              /* as the program reports it, which may be the mean of all ranks; NaN: not known */
    double local_loss;        /* of this rank's batches; NaN: not known */
    int64_t batches;          /* of this rank */
    int64_t begin_ns, end_ns; /* by the training thread */
} rs_validation_facts;
/* Appends the record of a validation that has ended. */
void rs_validation(const rs_validation_facts* validation);

/* Returns the step before which all ranks leave; INT64_MAX: continue. Makes one system call. */
int64_t rs_stop_at_step(void);

/* Slow, once for a group. Returns the number of a process group: 0 for the one that has all ranks and came first,
 * otherwise a hash of its name and members, equal on all of them. Its sends and receives are numbered separately, in
 * the group whose number has bit 31 set. `ranks`: global. */
uint32_t rs_group(const char* name, const char* backend, const int32_t* ranks, int count);

/* Begins a collective, on the thread that calls it. `tag`: what it is for; null: that of rs_tag(), or in backward the
 * next gradient bucket. `blocking`: the caller waits for its end, so that its wait counts as exposed. Returns a handle
 * for the next two functions; 0: not recorded. */
uint64_t rs_enter(uint32_t group, int op, int dtype, int64_t elements, const char* tag, int blocking);
/* Reports that the backend has accepted it. The same thread. */
void rs_handed(uint64_t handle);
/* Reports that it has ended; failed = 1: with an error. Any thread, once. Appends its record. */
void rs_done(uint64_t handle, int failed);

/* Sets what the calling thread's collectives are for ("gather loss") until the matching rs_untag(). The innermost of
 * nested tags counts. */
void rs_tag(const char* tag);
void rs_untag(void);
/* Returns the thread's tag; null: none. */
const char* rs_current_tag(void);

/* Between these, all-reduces and reduce-scatters without a tag are gradient buckets, numbered from 0. Only the training
 * thread. rs_backward_end() returns how long it was blocked after the last one had been handed over, in ns. */
void rs_backward_begin(void);
int64_t rs_backward_end(void);

/* Several of the functions above in one call, for callers to whom each call is expensive. A phase below 0 changes none.
 * The first two return the time of the phase. `ended` may be null, and its `end_ns` 0: that time. */
int64_t rs_next_step(const rs_step_facts* ended, int64_t step, int epoch, int phase);
int64_t rs_use_batch(const rs_batch_facts* batch, int phase);
void rs_enter_backward(int phase);
/* Returns what rs_backward_end() does. */
int64_t rs_leave_backward(int phase);

/* Returns the number of records that were lost because no segment of the journal was ready. */
uint64_t rs_dropped(void);
/* Slow. Returns 0, or -1 with a sentence in `error` if records are missing because they could not be written, or
 * because the rank's folder was removed. */
int rs_check(char* error, size_t error_size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
/* NOLINTEND */
#endif

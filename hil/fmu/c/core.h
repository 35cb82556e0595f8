/* One model behind FMI 2.0 and 3.0 co-simulation. model.h, made for each model, defines
   MODEL_NAME, MODEL_TOKEN, INPUTS, OUTPUTS, MEMORY, PERIOD_S (0: any step), LONGEST_STEP_S,
   CONSTANTS_OF_MODEL, STARTS_OF_MODEL and declares model_call. Value references: 0 time, then
   inputs, then outputs. */
#ifndef CORE_H
#define CORE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { BEGIN, STEP, TELL };
enum { INSTANTIATED, INITIALISING, STEPPING, TERMINATED };
enum { DONE, NOT_FINITE, NOT_A_STEP, WRONG_STATE, NO_SUCH_VARIABLE };

/* Of the runtime below the kernels: room for arrays of a call, whether it gave up in one. */
int runtime_failed(void);
void runtime_begin(unsigned char *arena, size_t size);
#define ARENA (64 * 1024)

typedef struct {
    double time;
    double given[INPUTS];
    double told[OUTPUTS];
    double memory[MEMORY];
    int state;
    int changed; /* inputs since what follows from them was told */
    max_align_t arena[ARENA / sizeof(max_align_t)];
} Model;

static const double CONSTANTS[] = CONSTANTS_OF_MODEL;
static const double STARTS[] = STARTS_OF_MODEL;

static const char *const TEXTS[] = {
    "",
    "an input is not finite",
    "the step is not positive, too long, or no whole number of the model's own steps",
    "not allowed in this state",
    "no such variable",
};

static void core_reset(Model *m) {
    memset(m, 0, sizeof *m);
    memcpy(m->given, STARTS, sizeof m->given);
    m->state = INSTANTIATED;
}

static Model *core_made(const char *token) {
    Model *m;
    if (token == NULL || strcmp(token, MODEL_TOKEN) != 0) return NULL;
    m = malloc(sizeof *m);
    if (m != NULL) core_reset(m);
    return m;
}

static int core_call(Model *m, int task, double step_s) {
    runtime_begin((unsigned char *)m->arena, sizeof m->arena);
    if (!model_call(task, CONSTANTS, m->given, m->told, m->memory, step_s) || runtime_failed())
        return NOT_FINITE;
    m->changed = 0;
    return DONE;
}

static int core_initialise(Model *m, double start_time) {
    if (m->state != INSTANTIATED || !isfinite(start_time)) return WRONG_STATE;
    m->time = start_time;
    m->state = INITIALISING;
    m->changed = 1;
    return DONE;
}

/* The model begins anew whenever it is asked while it initialises: inputs may change meanwhile. */
static int core_begin(Model *m) {
    memset(m->memory, 0, sizeof m->memory);
    memset(m->told, 0, sizeof m->told);
    return core_call(m, BEGIN, 0.0);
}

static int core_start(Model *m) {
    int how;
    if (m->state != INITIALISING) return WRONG_STATE;
    how = core_begin(m);
    if (how == DONE) m->state = STEPPING;
    return how;
}

static int core_step(Model *m, double time, double step_s) {
    long count = 1;
    int how = DONE;
    if (m->state != STEPPING) return WRONG_STATE;
    if (!(step_s > 0.0) || !(step_s <= LONGEST_STEP_S * (1.0 + 1e-9)) || !isfinite(time)) return NOT_A_STEP;
    if (PERIOD_S > 0.0) {
        double ratio = step_s / PERIOD_S;
        count = lround(ratio);
        if (count < 1 || fabs(ratio - (double)count) > 1e-9 * (double)count) return NOT_A_STEP;
    }
    for (long k = 0; k < count && how == DONE; k++)
        how = core_call(m, STEP, PERIOD_S > 0.0 ? PERIOD_S : step_s);
    if (how == DONE) m->time = time + step_s;
    return how;
}

static int core_get(Model *m, const uint32_t vr[], size_t n, double values[]) {
    for (size_t k = 0; k < n; k++)
        if (vr[k] > INPUTS + OUTPUTS) return NO_SUCH_VARIABLE;
    if (m->changed) {
        int how = DONE;
        if (m->state == INITIALISING) how = core_begin(m);
        if (m->state == STEPPING) how = core_call(m, TELL, 0.0);
        if (how != DONE) return how;
    }
    for (size_t k = 0; k < n; k++)
        values[k] = vr[k] == 0 ? m->time
            : vr[k] <= INPUTS ? m->given[vr[k] - 1] : m->told[vr[k] - 1 - INPUTS];
    return DONE;
}

static int core_set(Model *m, const uint32_t vr[], size_t n, const double values[]) {
    if (m->state == TERMINATED) return WRONG_STATE;
    for (size_t k = 0; k < n; k++) {
        if (vr[k] < 1 || vr[k] > INPUTS) return NO_SUCH_VARIABLE;
        if (!isfinite(values[k])) return NOT_FINITE;
    }
    for (size_t k = 0; k < n; k++) m->given[vr[k] - 1] = values[k];
    m->changed = 1;
    return DONE;
}

#endif

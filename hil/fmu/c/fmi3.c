/* FMI 3.0 co-simulation around core.h. */
#include "fmi3Functions.h"

#include "core.h"

typedef struct {
    Model model;
    fmi3LogMessageCallback log;
    fmi3InstanceEnvironment environment;
} Instance;

static fmi3Status status(Instance *i, int how) {
    fmi3Status told = how == DONE ? fmi3OK : how == NOT_A_STEP ? fmi3Discard : fmi3Error;
    if (told != fmi3OK && i->log != NULL)
        i->log(i->environment, told, "logStatusError", TEXTS[how]);
    return told;
}

const char *fmi3GetVersion(void) { return fmi3Version; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String names[]) {
    (void)c; (void)on; (void)n; (void)names;
    return fmi3OK;
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
    const fmi3ValueReference required[], size_t n, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
    Instance *i;
    Model *made = core_made(token);
    (void)name; (void)resources; (void)visible; (void)logging; (void)events; (void)early;
    (void)required; (void)n; (void)update;
    if (made == NULL) return NULL;
    i = calloc(1, sizeof *i);
    if (i != NULL) {
        i->model = *made;
        i->log = log;
        i->environment = environment;
    }
    free(made);
    return i;
}

void fmi3FreeInstance(fmi3Instance c) { free(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean defined, fmi3Float64 tolerance,
    fmi3Float64 start, fmi3Boolean ends, fmi3Float64 stop) {
    (void)defined; (void)tolerance; (void)ends; (void)stop;
    return status(c, core_initialise(&((Instance *)c)->model, start));
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
    return status(c, core_start(&((Instance *)c)->model));
}

fmi3Status fmi3Terminate(fmi3Instance c) {
    ((Instance *)c)->model.state = TERMINATED;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance c) {
    core_reset(&((Instance *)c)->model);
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
    fmi3Float64 value[], size_t count) {
    if (count != n) return status(c, NO_SUCH_VARIABLE);
    return status(c, core_get(&((Instance *)c)->model, vr, n, value));
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
    const fmi3Float64 value[], size_t count) {
    if (count != n) return status(c, NO_SUCH_VARIABLE);
    return status(c, core_set(&((Instance *)c)->model, vr, n, value));
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_return,
    fmi3Boolean *event, fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last) {
    Instance *i = c;
    int how = core_step(&i->model, time, step);
    (void)no_return;
    *event = *end = *early = fmi3False;
    *last = i->model.time;
    return status(i, how);
}

/* FMI 2.0 co-simulation around core.h. */
#include "fmi2Functions.h"

#include "core.h"

typedef struct {
    Model model;
    fmi2CallbackLogger log;
    fmi2ComponentEnvironment environment;
    char name[64];
} Instance;

static fmi2Status status(Instance *i, int how) {
    fmi2Status told = how == DONE ? fmi2OK : how == NOT_A_STEP ? fmi2Discard : fmi2Error;
    if (told != fmi2OK && i->log != NULL)
        i->log(i->environment, i->name, told, "logStatusError", TEXTS[how]);
    return told;
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]) {
    (void)c; (void)on; (void)n; (void)names;
    return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String token,
    fmi2String resources, const fmi2CallbackFunctions *functions, fmi2Boolean visible,
    fmi2Boolean logging) {
    Instance *i;
    Model *made = type == fmi2CoSimulation ? core_made(token) : NULL;
    (void)resources; (void)visible; (void)logging;
    if (made == NULL) return NULL;
    i = calloc(1, sizeof *i);
    if (i != NULL) {
        i->model = *made;
        if (functions != NULL) {
            i->log = functions->logger;
            i->environment = functions->componentEnvironment;
        }
        if (name != NULL) strncpy(i->name, name, sizeof i->name - 1);
    }
    free(made);
    return i;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean defined, fmi2Real tolerance,
    fmi2Real start, fmi2Boolean ends, fmi2Real stop) {
    Instance *i = c;
    (void)defined; (void)tolerance; (void)ends; (void)stop;
    if (i->model.state != INSTANTIATED || !isfinite(start)) return status(i, WRONG_STATE);
    i->model.time = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    Instance *i = c;
    return status(i, core_initialise(&i->model, i->model.time));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    return status(c, core_start(&((Instance *)c)->model));
}

fmi2Status fmi2Terminate(fmi2Component c) {
    ((Instance *)c)->model.state = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
    core_reset(&((Instance *)c)->model);
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    return status(c, core_get(&((Instance *)c)->model, vr, n, value));
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
    const fmi2Real value[]) {
    return status(c, core_set(&((Instance *)c)->model, vr, n, value));
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_return) {
    (void)no_return;
    return status(c, core_step(&((Instance *)c)->model, time, step));
}

fmi2Status fmi2CancelStep(fmi2Component c) {
    return status(c, WRONG_STATE); /* no step is ever under way */
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = ((Instance *)c)->model.time;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    (void)c;
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = fmi2False;
    return fmi2OK;
}

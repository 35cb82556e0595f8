/* A vehicle of closed form for FMI 2 and 3 co-simulation, with faults that are asked for.
   Value references: 0 time; 1..6 f_x f_y f_z p q r; 7 steer (input); 8 echo; 9 fault; 10 at_s;
   11 steps done (integer); 12 force, an array of 1..3 (FMI 3). Faults 9 and 10 are of its beginning:
   it logs why, if it may, and refuses or ends its process. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#if FMI == 2
#include "fmi2Functions.h"
#define STATUS fmi2Status
#define OK fmi2OK
#define DISCARD fmi2Discard
#define FAILED fmi2Error
#define INSTANCE fmi2Component
#define VR fmi2ValueReference
#else
#include "fmi3Functions.h"
#define STATUS fmi3Status
#define OK fmi3OK
#define DISCARD fmi3Discard
#define FAILED fmi3Error
#define INSTANCE fmi3Instance
#define VR fmi3ValueReference
#endif

enum { NONE, CRASH, HANG, NOT_A_NUMBER, REFUSE, EARLY, END, FAIL, EXIT };

typedef struct Vehicle Vehicle;
struct Vehicle { double v[11]; int steps; void *to; void (*say)(Vehicle *, const char *); };

static void drive(Vehicle *m, double t) {
    double w = 2.0 * 3.14159265358979323846 * 0.25;
    m->v[0] = t;
    m->v[1] = 1.5 * sin(w * t);
    m->v[2] = 0.8 * (1.0 - cos(w * t));
    m->v[3] = -9.80665;
    m->v[4] = 0.02 * sin(w * t);
    m->v[5] = -0.01 * sin(w * t);
    m->v[6] = 0.1 * sin(w * t);
    m->v[8] = 2.0 * m->v[7];
}

static int due(const Vehicle *m, double t, int fault) {
    return (int)m->v[9] == fault && t >= m->v[10] - 1e-9;
}

static STATUS step(Vehicle *m, double t, double h) {
    double end = t + h;
    if (due(m, end, CRASH)) { volatile int *nowhere = NULL; *nowhere = 1; }
    if (due(m, end, HANG)) for (;;) pause();
    if (due(m, end, EXIT)) _exit(3);
    if (due(m, end, REFUSE)) return DISCARD;
    if (due(m, end, FAIL)) return FAILED;
    drive(m, end);
    m->steps++;
    if (due(m, end, NOT_A_NUMBER)) m->v[2] = NAN;
    return OK;
}

__attribute__((unused)) static STATUS get(Vehicle *m, const VR vr[], size_t n, double value[]) {
    for (size_t i = 0; i < n; i++) { if (vr[i] > 10) return FAILED; value[i] = m->v[vr[i]]; }
    return OK;
}

static STATUS set(Vehicle *m, const VR vr[], size_t n, const double value[]) {
    for (size_t i = 0; i < n; i++) { if (vr[i] > 10) return FAILED; m->v[vr[i]] = value[i]; }
    return OK;
}

static STATUS begin(Vehicle *m) {
    int fault = (int)m->v[9];
    if (fault < 9) return OK;
    if (m->say) m->say(m, "no licence for this machine");
    if (fault == 10) _exit(4);
    return FAILED;
}

static Vehicle *made(void) {
    Vehicle *m = calloc(1, sizeof *m);
    drive(m, 0.0);
    return m;
}

#if FMI == 2
const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }
static void say(Vehicle *m, const char *text) {
    const fmi2CallbackFunctions *f = m->to;
    f->logger(f->componentEnvironment, "bench", fmi2OK, "logAll", text);
}
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String place,
    const fmi2CallbackFunctions *f, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name; (void)type; (void)guid; (void)place; (void)visible;
    Vehicle *m = made();
    m->to = (void *)f;
    m->say = logging ? say : NULL;
    return m;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean d, fmi2Real e, fmi2Real s,
    fmi2Boolean p, fmi2Real q) { (void)c; (void)d; (void)e; (void)s; (void)p; (void)q; return OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return begin(c); }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { drive(c, 0.0); return OK; }
fmi2Status fmi2Terminate(fmi2Component c) { (void)c; return OK; }
fmi2Status fmi2GetReal(fmi2Component c, const VR vr[], size_t n, fmi2Real value[]) {
    return get(c, vr, n, value);
}
fmi2Status fmi2SetReal(fmi2Component c, const VR vr[], size_t n, const fmi2Real value[]) {
    return set(c, vr, n, value);
}
fmi2Status fmi2GetInteger(fmi2Component c, const VR vr[], size_t n, fmi2Integer value[]) {
    for (size_t i = 0; i < n; i++) { if (vr[i] != 11) return FAILED; value[i] = ((Vehicle *)c)->steps; }
    return OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no) {
    (void)no;
    if (due(c, t + h, END) || due(c, t + h, EARLY)) return DISCARD;
    return step(c, t, h);
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value) {
    *value = s == fmi2Terminated && (int)((Vehicle *)c)->v[9] == END;
    return OK;
}
#else
const char *fmi3GetVersion(void) { return fmi3Version; }
static void say(Vehicle *m, const char *text) {
    ((fmi3LogMessageCallback)m->to)(NULL, fmi3Error, "logStatusError", text);
}
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String place,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
    const fmi3ValueReference required[], size_t n, fmi3InstanceEnvironment e,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
    (void)name; (void)token; (void)place; (void)visible; (void)events; (void)early;
    (void)required; (void)n; (void)e; (void)update;
    Vehicle *m = made();
    m->to = (void *)log;
    m->say = logging ? say : NULL;
    return m;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean d, fmi3Float64 e, fmi3Float64 s,
    fmi3Boolean p, fmi3Float64 q) { (void)d; (void)e; (void)s; (void)p; (void)q; return begin(c); }
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { drive(c, 0.0); return OK; }
fmi3Status fmi3Terminate(fmi3Instance c) { (void)c; return OK; }
fmi3Status fmi3GetFloat64(fmi3Instance c, const VR vr[], size_t n, fmi3Float64 v[], size_t nv) {
    Vehicle *m = c;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] == 12) { for (int k = 1; k <= 3; k++) v[at++] = m->v[k]; continue; }
        if (vr[i] > 10) return FAILED;
        v[at++] = m->v[vr[i]];
    }
    return at == nv ? OK : FAILED;
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const VR vr[], size_t n, const fmi3Float64 v[], size_t nv) {
    (void)nv; return set(c, vr, n, v);
}
fmi3Status fmi3GetInt32(fmi3Instance c, const VR vr[], size_t n, fmi3Int32 v[], size_t nv) {
    (void)nv;
    for (size_t i = 0; i < n; i++) { if (vr[i] != 11) return FAILED; v[i] = ((Vehicle *)c)->steps; }
    return OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no,
    fmi3Boolean *event, fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last) {
    (void)no;
    *event = *end = *early = false;
    *last = t + h;
    if (due(c, t + h, END)) { *end = true; return OK; }
    if (due(c, t + h, EARLY)) { *early = true; *last = t + 0.5 * h; return OK; }
    return step(c, t, h);
}
#endif

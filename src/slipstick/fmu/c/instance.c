/* Loading, steps and values of an instance. The model itself is in the object file of the compiled steps. */
#include "instance.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* compiled by slipstick.native, see step_loop.py; each takes the record `Fmu` of an instance, and whole numbers return as doubles */
extern double fmu_begin(double *record, double start);
extern double fmu_step(double *record, double until);
extern void fmu_set(double *record, int64_t reference, double value, int64_t tunes);
extern void fmu_outputs(double *record);
extern double fmu_value(double *record, int64_t reference);
extern double fmu_slope_of(double *record, int64_t reference);

static const char MAGIC[8] = "SLIPFMU1";
static const double TIME_REL = 1e-9;    /* of the step: tolerance of a communication point */
static const double TIME_ROUNDINGS = 8; /* of the time, in the host's sums or products */

static const char *reason(int64_t why)
{
    switch (why) {
    case 2: case 3: return "the record of a step is full";
    case 4: return "more than a million segments within one communication step; take shorter ones, or a slower damper or spring";
    case 5: return "events accumulate at one instant; add damping or inertia to the contacts";
    case 6: return "the motion grows without bound; look for a negative damper or spring";
    case 7: case 11: return "no state of the massless coordinates satisfies the laws; give them an inertia or viscous friction";
    case 8: case 1: return "massless coordinates pass through a state without a table";
    case 9: return "the forces of sticking contacts could not be determined; add a little damping";
    case 12: return "no state of the rigid contacts satisfies Coulomb's law (Painleve's paradox); take less friction, or FrictionContact";
    case 13: return "an impact with this friction and restitution would gain energy; take restitution 0, less friction, or FrictionContact";
    case 10: return "a spring or contact stays at its switching point within rounding";
    default: return "the step failed";
    }
}

static const char STEPS_CATEGORY[] = "logSteps"; /* as the description names it */

static void say(Instance *x, int status, const char *category, const char *format, va_list more)
{
    char message[512];
    vsnprintf(message, sizeof message, format, more);
    if (x->report && x->logger) x->report(x, status, category, message);
}

int instance_fail(Instance *x, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    say(x, STATUS_ERROR, "logStatusError", format, more);
    va_end(more);
    return STATUS_ERROR;
}

int instance_refuse(Instance *x, const char *function)
{
    return instance_fail(x, "%s is not supported: this FMU has no such variables or functions", function);
}

/* a message that hosts ask for by debug logging */
static void note(Instance *x, const char *format, ...)
{
    if (!x->logging) return;
    va_list more;
    va_start(more, format);
    say(x, STATUS_OK, STEPS_CATEGORY, format, more);
    va_end(more);
}

int instance_set_logging(Instance *x, int on, size_t count, const char *const categories[])
{
    if (count == 0) x->logging = on;
    for (size_t i = 0; i < count; i++)
        if (strcmp(categories[i], STEPS_CATEGORY) == 0) x->logging = on; /* errors are always reported */
    return STATUS_OK;
}

static double *record_of(Instance *x)
{
    return x->numbers + x->data.record;
}

static void relocate(Instance *x)
{
    for (int64_t i = 0; i < x->data.relocation_count; i++) {
        int64_t address = (int64_t)(intptr_t)(x->numbers + x->data.relocations[2 * i + 1]);
        memcpy(x->numbers + x->data.relocations[2 * i], &address, sizeof address);
    }
}

static char *read_file(const char *folder, size_t *size)
{
    size_t length = strlen(folder);
    char *path = malloc(length + 16);
    if (!path) return NULL;
    memcpy(path, folder, length);
    strcpy(path + length, length && (folder[length - 1] == '/' || folder[length - 1] == '\\') ? "model.bin" : "/model.bin");
    FILE *file = fopen(path, "rb");
    free(path);
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *content = malloc(*size);
    if (content && fread(content, 1, *size, file) != *size) {
        free(content);
        content = NULL;
    }
    fclose(file);
    return content;
}

static int parse(ModelData *d, char *content, size_t size)
{
    d->file = content;
    if (size < 80 || memcmp(content, MAGIC, 8) != 0) return 0;
    const int64_t *head = (const int64_t *)(content + 8);
    d->record = head[0];
    d->number_count = head[1];
    d->relocation_count = head[2];
    d->variable_count = head[3];
    d->text_size = head[4];
    d->token = head[5];
    size_t need = 8 + 6 * 8 + 8 * (size_t)d->number_count + 16 * (size_t)d->relocation_count
                  + sizeof(Variable) * (size_t)d->variable_count + (size_t)d->text_size;
    if (size != need) return 0;
    d->pristine = (double *)(head + 6);
    d->relocations = (const int64_t *)(d->pristine + d->number_count);
    d->variables = (const Variable *)(d->relocations + 2 * d->relocation_count);
    d->text = (const char *)(d->variables + d->variable_count);
    return 1;
}

Instance *instance_create(const char *name, const char *token, const char *folder, int logging, Report report,
                          void *environment, void (*logger)(void))
{
    Instance *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->report = report;
    x->environment = environment;
    x->logger = logger;
    x->logging = logging;
    x->name = malloc(strlen(name) + 1);
    if (x->name) strcpy(x->name, name);
    size_t size = 0;
    char *content = folder ? read_file(folder, &size) : NULL;
    if (!content || !parse(&x->data, content, size)) {
        instance_fail(x, "resources/model.bin cannot be read in \"%s\"", folder ? folder : "");
    } else if (!token || strcmp(token, x->data.text + x->data.token) != 0) {
        instance_fail(x, "the token or GUID is not that of this model: \"%s\"", token ? token : "");
    } else {
        x->numbers = malloc(sizeof(double) * (size_t)x->data.number_count);
        if (x->numbers && x->name) {
            instance_reset(x);
            return x;
        }
    }
    if (content && !x->data.file) free(content);
    instance_free(x);
    return NULL;
}

void instance_free(Instance *x)
{
    if (!x) return;
    free(x->numbers);
    free(x->data.file);
    free(x->name);
    free(x);
}

int instance_reset(Instance *x)
{
    memcpy(x->numbers, x->data.pristine, sizeof(double) * (size_t)x->data.number_count);
    relocate(x);
    x->phase = INSTANTIATED;
    x->time = 0.0;
    x->outputs_known = 0;
    return STATUS_OK;
}

/* find the initial state */
static int begin(Instance *x, double start)
{
    if (!isfinite(start)) return instance_fail(x, "the start time must be finite, got %g", start);
    x->time = start;
    x->stale = 0;
    fmu_set(record_of(x), 0, start, 0);
    int64_t why = (int64_t)fmu_begin(record_of(x), start);
    x->outputs_known = 0;
    if (why != 0) return instance_fail(x, "no initial state at t = %.17g s: %s", start, reason(why));
    return STATUS_OK;
}

int instance_check_experiment(Instance *x, double start, int has_stop, double stop)
{
    if (x->phase != INSTANTIATED) return instance_fail(x, "the instance is already initialized; reset it");
    if (has_stop && !(stop > start)) return instance_fail(x, "the stop time must be after the start, got %g s", stop);
    return STATUS_OK;
}

int instance_enter_initialization(Instance *x, double start)
{
    if (x->phase != INSTANTIATED) return instance_fail(x, "enterInitializationMode: the instance is already initialized");
    int status = begin(x, start);
    if (status == STATUS_OK) x->phase = INITIALIZING;
    return status;
}

int instance_exit_initialization(Instance *x)
{
    if (x->phase != INITIALIZING) return instance_fail(x, "exitInitializationMode: the instance is not being initialized");
    int status = begin(x, x->time);
    if (status == STATUS_OK) x->phase = STEPPING;
    return status;
}

int instance_terminate(Instance *x)
{
    x->phase = TERMINATED;
    return STATUS_OK;
}

int instance_step(Instance *x, double from, double length)
{
    if (x->phase != STEPPING) return instance_fail(x, "doStep: the instance is not initialized, or has been terminated");
    if (!(length > 0.0) || !isfinite(length)) return instance_fail(x, "doStep: the step must be > 0 s, got %g s", length);
    double rounding = TIME_ROUNDINGS * DBL_EPSILON * fmax(fabs(from), fabs(x->time));
    if (!(fabs(from - x->time) <= TIME_REL * length + rounding))
        return instance_fail(x, "doStep: the step begins at t = %.17g s, but the model is at t = %.17g s", from, x->time);
    double until = from + length;
    if (!(until > x->time))
        return instance_fail(x, "doStep: a step of %.17g s is below the rounding of t = %.17g s", length, x->time);
    int64_t why = (int64_t)fmu_step(record_of(x), until);
    x->outputs_known = 0;
    if (why != 0) {
        x->phase = TERMINATED;
        return instance_fail(x, "doStep from t = %.17g s: %s", from, reason(why));
    }
    x->time = until;
    note(x, "doStep: from t = %.17g s to t = %.17g s", from, until);
    return STATUS_OK;
}

int instance_get(Instance *x, const uint32_t *references, size_t count, double *reals, int32_t *integers)
{
    for (size_t i = 0; i < count; i++) {
        if (references[i] >= (uint64_t)x->data.variable_count)
            return instance_fail(x, "there is no variable with the value reference %u", (unsigned)references[i]);
        int64_t kind = x->data.variables[references[i]].kind;
        if ((kind == STATE) != (integers != NULL))
            return instance_fail(x, "%s is of another type", x->data.text + x->data.variables[references[i]].name);
        if (kind >= OUTPUT && x->stale && x->phase == INITIALIZING && begin(x, x->time) != STATUS_OK)
            return STATUS_ERROR;
        if (kind >= OUTPUT && !x->outputs_known && x->phase != INSTANTIATED) {
            fmu_outputs(record_of(x));
            x->outputs_known = 1;
        }
        double value = fmu_value(record_of(x), references[i]);
        if (integers) integers[i] = (int32_t)value;
        else reals[i] = value;
    }
    return STATUS_OK;
}

static int outside(const Variable *v, double value)
{
    return !isfinite(value) || value < v->low || value > v->high || (v->low_excluded && value == v->low)
           || (v->high_excluded && value == v->high);
}

static int refuse_value(Instance *x, const Variable *v, double value)
{
    const char *name = x->data.text + v->name;
    if (!isfinite(value)) return instance_fail(x, "%s must be finite, got %g", name, value);
    if (value < v->low || (v->low_excluded && value == v->low))
        return instance_fail(x, "%s must be %s %g, got %g", name, v->low_excluded ? ">" : ">=", v->low, value);
    return instance_fail(x, "%s must be %s %g, got %g", name, v->high_excluded ? "<" : "<=", v->high, value);
}

int instance_set(Instance *x, const uint32_t *references, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) { /* all are checked before any is set */
        if (references[i] >= (uint64_t)x->data.variable_count)
            return instance_fail(x, "there is no variable with the value reference %u", (unsigned)references[i]);
        const Variable *v = x->data.variables + references[i];
        if (v->kind == TIME || v->kind == OUTPUT || v->kind == STATE)
            return instance_fail(x, "%s is not an input or parameter and cannot be set", x->data.text + v->name);
        if (v->kind == FIXED && x->phase == STEPPING)
            return instance_fail(x, "%s is fixed and cannot be set after initialization", x->data.text + v->name);
        if (x->phase == TERMINATED) return instance_fail(x, "the instance has been terminated; reset it first");
        if (outside(v, values[i])) return refuse_value(x, v, values[i]);
    }
    for (size_t i = 0; i < count; i++)
        fmu_set(record_of(x), references[i], values[i], x->data.variables[references[i]].kind != INPUT);
    x->stale = 1;
    return STATUS_OK;
}

int instance_set_slopes(Instance *x, const uint32_t *references, size_t count, const int32_t *orders, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        int64_t slope = references[i] < (uint64_t)x->data.variable_count ? (int64_t)fmu_slope_of(record_of(x), references[i]) : -1;
        if (slope < 0) return instance_fail(x, "value reference %u has no derivative as an input", (unsigned)references[i]);
        if (orders[i] != 1) return instance_fail(x, "input derivatives are of order 1, got %d", (int)orders[i]);
        uint32_t reference = (uint32_t)slope;
        int status = instance_set(x, &reference, 1, values + i);
        if (status != STATUS_OK) return status;
    }
    return STATUS_OK;
}

static size_t snapshot_size(const Instance *x)
{
    return sizeof(Snapshot) + sizeof(double) * (size_t)x->data.number_count;
}

int snapshot_take(Instance *x, void **state)
{
    Snapshot *s = *state = *state ? *state : malloc(snapshot_size(x));
    if (!s) return STATUS_ERROR;
    s->size = (int64_t)snapshot_size(x);
    s->phase = x->phase;
    s->time = x->time;
    memset(s->token, 0, TOKEN_SIZE);
    strncpy(s->token, x->data.text + x->data.token, TOKEN_SIZE - 1);
    memcpy(s->numbers, x->numbers, sizeof(double) * (size_t)x->data.number_count);
    return STATUS_OK;
}

int snapshot_restore(Instance *x, const Snapshot *s)
{
    if (!s || s->size != (int64_t)snapshot_size(x) || strncmp(s->token, x->data.text + x->data.token, TOKEN_SIZE - 1) != 0)
        return instance_fail(x, "the state is not that of an instance of this model");
    x->phase = (int)s->phase;
    x->time = s->time;
    memcpy(x->numbers, s->numbers, sizeof(double) * (size_t)x->data.number_count);
    relocate(x);
    x->stale = 1;
    x->outputs_known = 0;
    return STATUS_OK;
}

int snapshot_free(void **state)
{
    free(*state);
    *state = NULL;
    return STATUS_OK;
}

int snapshot_serialized_size(const Instance *x, size_t *size)
{
    *size = snapshot_size(x);
    return STATUS_OK;
}

int snapshot_serialize(Instance *x, const void *state, void *bytes, size_t size)
{
    if (size < snapshot_size(x)) return instance_fail(x, "serializeFMUState: the buffer of %zu bytes is too small", size);
    memcpy(bytes, state, snapshot_size(x));
    return STATUS_OK;
}

int snapshot_deserialize(Instance *x, const void *bytes, size_t size, void **state)
{
    if (size != snapshot_size(x)) return instance_fail(x, "deserializeFMUState: %zu bytes are not a state", size);
    *state = malloc(size);
    if (!*state) return STATUS_ERROR;
    memcpy(*state, bytes, size);
    return STATUS_OK;
}

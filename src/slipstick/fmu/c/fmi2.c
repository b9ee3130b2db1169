/* FMI 2.0 for co-simulation. */
#include "instance.h"

#include <stdlib.h>
#include <string.h>

typedef void *Component;
typedef int Status;
typedef void (*Logger)(void *environment, const char *instance, Status, const char *category, const char *message, ...);
typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, Status);
    void *environment;
} Callbacks;

static void report(Instance *x, int status, const char *category, const char *message)
{
    ((Logger)x->logger)(x->environment, x->name, status, category, "%s", message);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* the path that a file URI names; to be freed */
static char *path_of(const char *uri)
{
    const char *begin = uri;
    if (strncmp(uri, "file://", 7) == 0) {
        begin = uri + 7;
        if (*begin != '/' && strchr(begin, '/')) begin = strchr(begin, '/'); /* the name of the host */
    } else if (strncmp(uri, "file:", 5) == 0) {
        begin = uri + 5;
    }
    if (begin[0] == '/' && begin[1] && begin[2] == ':') begin++; /* /C:/ */
    char *path = malloc(strlen(begin) + 1), *end = path;
    if (!path) return NULL;
    while (*begin) {
        if (begin[0] == '%' && digit(begin[1]) >= 0 && digit(begin[2]) >= 0) {
            *end++ = (char)(16 * digit(begin[1]) + digit(begin[2]));
            begin += 3;
        } else {
            *end++ = *begin++;
        }
    }
    *end = 0;
    return path;
}

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT Component fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                                 const Callbacks *callbacks, int visible, int logging)
{
    (void)visible;
    if (type != 1 || !resources || !name) return NULL;
    char *folder = path_of(resources);
    Instance *x = instance_create(name, guid, folder, logging, report, callbacks ? callbacks->environment : NULL,
                                  callbacks ? (void (*)(void))callbacks->logger : NULL);
    free(folder);
    return x;
}

EXPORT void fmi2FreeInstance(Component c) { instance_free(c); }

EXPORT Status fmi2SetDebugLogging(Component c, int on, size_t count, const char *const categories[])
{
    return instance_set_logging(c, on, count, categories);
}

EXPORT Status fmi2SetupExperiment(Component c, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    (void)has_tolerance, (void)tolerance;
    Status status = instance_check_experiment(c, start, has_stop, stop);
    if (status == STATUS_OK) ((Instance *)c)->time = start;
    return status;
}

EXPORT Status fmi2EnterInitializationMode(Component c)
{
    return instance_enter_initialization(c, ((Instance *)c)->time);
}
EXPORT Status fmi2ExitInitializationMode(Component c) { return instance_exit_initialization(c); }
EXPORT Status fmi2Terminate(Component c) { return instance_terminate(c); }
EXPORT Status fmi2Reset(Component c) { return instance_reset(c); }

EXPORT Status fmi2GetReal(Component c, const uint32_t refs[], size_t count, double values[])
{
    return instance_get(c, refs, count, values, NULL);
}
EXPORT Status fmi2GetInteger(Component c, const uint32_t refs[], size_t count, int values[])
{
    return instance_get(c, refs, count, NULL, values);
}
EXPORT Status fmi2SetReal(Component c, const uint32_t refs[], size_t count, const double values[])
{
    return instance_set(c, refs, count, values);
}
EXPORT Status fmi2SetRealInputDerivatives(Component c, const uint32_t refs[], size_t count, const int orders[],
                                          const double values[])
{
    return instance_set_slopes(c, refs, count, orders, values);
}

EXPORT Status fmi2DoStep(Component c, double from, double length, int no_way_back)
{
    (void)no_way_back;
    return instance_step(c, from, length);
}

EXPORT Status fmi2GetFMUstate(Component c, void **state) { return snapshot_take(c, state); }
EXPORT Status fmi2SetFMUstate(Component c, void *state) { return snapshot_restore(c, state); }
EXPORT Status fmi2FreeFMUstate(Component c, void **state)
{
    (void)c;
    return snapshot_free(state);
}
EXPORT Status fmi2SerializedFMUstateSize(Component c, void *state, size_t *size)
{
    (void)state;
    return snapshot_serialized_size(c, size);
}
EXPORT Status fmi2SerializeFMUstate(Component c, void *state, char bytes[], size_t size)
{
    return snapshot_serialize(c, state, bytes, size);
}
EXPORT Status fmi2DeSerializeFMUstate(Component c, const char bytes[], size_t size, void **state)
{
    return snapshot_deserialize(c, bytes, size, state);
}

REFUSED(fmi2GetBoolean)
REFUSED(fmi2GetString)
REFUSED(fmi2SetInteger)
REFUSED(fmi2SetBoolean)
REFUSED(fmi2SetString)
REFUSED(fmi2GetDirectionalDerivative)
REFUSED(fmi2GetRealOutputDerivatives)
REFUSED(fmi2CancelStep)
REFUSED(fmi2GetStatus)
REFUSED(fmi2GetIntegerStatus)
REFUSED(fmi2GetBooleanStatus)
REFUSED(fmi2GetStringStatus)

EXPORT Status fmi2GetRealStatus(Component c, int kind, double *value)
{
    if (kind != 2) return instance_refuse(c, "fmi2GetRealStatus"); /* last successful time */
    *value = ((Instance *)c)->time;
    return STATUS_OK;
}

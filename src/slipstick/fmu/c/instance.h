/* One instance of an exported model: its numbers, its state in the life cycle of FMI, and its messages. */
#ifndef SLIPSTICK_INSTANCE_H
#define SLIPSTICK_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL };
enum { TOKEN_SIZE = 40 };
enum { INSTANTIATED, INITIALIZING, STEPPING, TERMINATED };
enum { TIME, INPUT, TUNABLE, FIXED, OUTPUT, STATE }; /* kinds of variables */

typedef struct {
    int64_t kind;
    int64_t name;  /* where its name begins in the text */
    double low, high;
    int64_t low_excluded, high_excluded;
} Variable;

typedef struct {
    int64_t record, number_count, relocation_count, variable_count, text_size, token;
    const int64_t *relocations;
    const Variable *variables;
    const char *text;
    double *pristine;  /* the numbers as they are in the file */
    char *file;
} ModelData;

typedef struct Instance Instance;
typedef void (*Report)(Instance *, int status, const char *category, const char *message);

struct Instance {
    ModelData data;
    double *numbers;
    int phase;
    int outputs_known;
    int stale; /* values have been set since the initial state was found */
    double time;
    int logging; /* of steps; errors are always reported */
    char *name;
    Report report;
    void *environment;
    void (*logger)(void);
};

Instance *instance_create(const char *name, const char *token, const char *folder, int logging, Report report,
                          void *environment, void (*logger)(void));
void instance_free(Instance *);
int instance_set_logging(Instance *, int on, size_t count, const char *const categories[]);
int instance_reset(Instance *);
int instance_check_experiment(Instance *, double start, int has_stop, double stop);
int instance_enter_initialization(Instance *, double start);
int instance_exit_initialization(Instance *);
int instance_terminate(Instance *);
int instance_step(Instance *, double from, double length);
int instance_get(Instance *, const uint32_t *references, size_t count, double *reals, int32_t *integers);
int instance_set(Instance *, const uint32_t *references, size_t count, const double *values);
int instance_set_slopes(Instance *, const uint32_t *references, size_t count, const int32_t *orders, const double *values);
int instance_fail(Instance *, const char *format, ...);
int instance_refuse(Instance *, const char *function);

/* a function that is not supported; its other arguments do not matter */
#define REFUSED(name) EXPORT int name(void *c) { return instance_refuse(c, #name); }

/* a copy of all that an instance is, for fmi2FMUstate and fmi3FMUState */
typedef struct {
    int64_t size;
    int64_t phase;
    double time;
    char token[TOKEN_SIZE]; /* of the model */
    double numbers[];
} Snapshot;

int snapshot_take(Instance *, void **state);
int snapshot_restore(Instance *, const Snapshot *);
int snapshot_free(void **state);
int snapshot_serialized_size(const Instance *, size_t *size);
int snapshot_serialize(Instance *, const void *state, void *bytes, size_t size);
int snapshot_deserialize(Instance *, const void *bytes, size_t size, void **state);

#endif

/* FMI 3.0 for co-simulation. */
#include "instance.h"

#include <stdbool.h>

typedef void *Component;
typedef int Status;
typedef void (*Logger)(void *environment, Status, const char *category, const char *message);

static void report(Instance *x, int status, const char *category, const char *message)
{
    ((Logger)x->logger)(x->environment, status, category, message);
}

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

EXPORT Component fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                             bool logging, bool events, bool early_return, const uint32_t needed[],
                                             size_t needed_count, void *environment, Logger logger, void *update)
{
    (void)visible, (void)events, (void)early_return, (void)needed, (void)needed_count, (void)update;
    if (!name || !resources) return NULL;
    return instance_create(name, token, resources, logging, report, environment, (void (*)(void))logger);
}
EXPORT Component fmi3InstantiateModelExchange(void) { return NULL; }
EXPORT Component fmi3InstantiateScheduledExecution(void) { return NULL; }

EXPORT void fmi3FreeInstance(Component c) { instance_free(c); }

EXPORT Status fmi3SetDebugLogging(Component c, bool on, size_t count, const char *const categories[])
{
    return instance_set_logging(c, on, count, categories);
}

EXPORT Status fmi3EnterInitializationMode(Component c, bool has_tolerance, double tolerance, double start, bool has_stop,
                                          double stop)
{
    (void)has_tolerance, (void)tolerance;
    Status status = instance_check_experiment(c, start, has_stop, stop);
    return status == STATUS_OK ? instance_enter_initialization(c, start) : status;
}

EXPORT Status fmi3ExitInitializationMode(Component c) { return instance_exit_initialization(c); }

EXPORT Status fmi3EnterStepMode(Component c)
{
    (void)c;
    return STATUS_OK;
}

EXPORT Status fmi3Terminate(Component c) { return instance_terminate(c); }
EXPORT Status fmi3Reset(Component c) { return instance_reset(c); }

EXPORT Status fmi3GetFloat64(Component c, const uint32_t refs[], size_t count, double values[], size_t value_count)
{
    (void)value_count;
    return instance_get(c, refs, count, values, NULL);
}
EXPORT Status fmi3GetInt32(Component c, const uint32_t refs[], size_t count, int32_t values[], size_t value_count)
{
    (void)value_count;
    return instance_get(c, refs, count, NULL, values);
}
EXPORT Status fmi3SetFloat64(Component c, const uint32_t refs[], size_t count, const double values[], size_t value_count)
{
    (void)value_count;
    return instance_set(c, refs, count, values);
}

EXPORT Status fmi3DoStep(Component c, double from, double length, bool no_way_back, bool *event, bool *terminate,
                         bool *early, double *reached)
{
    (void)no_way_back;
    Instance *x = c;
    Status status = instance_step(x, from, length);
    *event = *early = false;
    *terminate = status != STATUS_OK;
    *reached = x->time;
    return status;
}

EXPORT Status fmi3GetFMUState(Component c, void **state) { return snapshot_take(c, state); }
EXPORT Status fmi3SetFMUState(Component c, void *state) { return snapshot_restore(c, state); }
EXPORT Status fmi3FreeFMUState(Component c, void **state)
{
    (void)c;
    return snapshot_free(state);
}
EXPORT Status fmi3SerializedFMUStateSize(Component c, void *state, size_t *size)
{
    (void)state;
    return snapshot_serialized_size(c, size);
}
EXPORT Status fmi3SerializeFMUState(Component c, void *state, uint8_t bytes[], size_t size)
{
    return snapshot_serialize(c, state, bytes, size);
}
EXPORT Status fmi3DeserializeFMUState(Component c, const uint8_t bytes[], size_t size, void **state)
{
    return snapshot_deserialize(c, bytes, size, state);
}

#define REFUSED_TYPE(type) REFUSED(fmi3Get##type) REFUSED(fmi3Set##type)
REFUSED_TYPE(Float32)
REFUSED_TYPE(Int8)
REFUSED_TYPE(UInt8)
REFUSED_TYPE(Int16)
REFUSED_TYPE(UInt16)
REFUSED(fmi3SetInt32)
REFUSED_TYPE(UInt32)
REFUSED_TYPE(Int64)
REFUSED_TYPE(UInt64)
REFUSED_TYPE(Boolean)
REFUSED_TYPE(String)
REFUSED_TYPE(Binary)
REFUSED_TYPE(Clock)
REFUSED(fmi3EnterEventMode)
REFUSED(fmi3GetNumberOfVariableDependencies)
REFUSED(fmi3GetVariableDependencies)
REFUSED(fmi3GetDirectionalDerivative)
REFUSED(fmi3GetAdjointDerivative)
REFUSED(fmi3EnterConfigurationMode)
REFUSED(fmi3ExitConfigurationMode)
REFUSED(fmi3GetIntervalDecimal)
REFUSED(fmi3GetIntervalFraction)
REFUSED(fmi3GetShiftDecimal)
REFUSED(fmi3GetShiftFraction)
REFUSED(fmi3SetIntervalDecimal)
REFUSED(fmi3SetIntervalFraction)
REFUSED(fmi3SetShiftDecimal)
REFUSED(fmi3SetShiftFraction)
REFUSED(fmi3EvaluateDiscreteStates)
REFUSED(fmi3UpdateDiscreteStates)
REFUSED(fmi3EnterContinuousTimeMode)
REFUSED(fmi3CompletedIntegratorStep)
REFUSED(fmi3SetTime)
REFUSED(fmi3SetContinuousStates)
REFUSED(fmi3GetContinuousStateDerivatives)
REFUSED(fmi3GetEventIndicators)
REFUSED(fmi3GetContinuousStates)
REFUSED(fmi3GetNominalsOfContinuousStates)
REFUSED(fmi3GetNumberOfEventIndicators)
REFUSED(fmi3GetNumberOfContinuousStates)
REFUSED(fmi3GetOutputDerivatives)
REFUSED(fmi3ActivateModelPartition)

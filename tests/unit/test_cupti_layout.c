// SPDX-License-Identifier: Apache-2.0
//
// Our declarations of CUPTI's structs against its own headers, where these are installed. A difference does
// not compile.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/backend/cuda/cupti.h"

#ifdef ASSAY_CUPTI_HEADERS
#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

// The size that CUPTI is told, and the place of the last member, which follows from all before it.
#define SAME(ours, last, theirs, their_last)                                                                 \
    _Static_assert(CUPTI_BYTES(struct ours, last) == theirs##_STRUCT_SIZE, #theirs ": size");                \
    _Static_assert(offsetof(struct ours, last) == offsetof(theirs, their_last), #theirs ": " #their_last)
SAME(cupti_plain, reserved, CUpti_Profiler_Initialize_Params, pPriv);
SAME(cupti_chip_name, ret_name, CUpti_Device_GetChipName_Params, pChipName);
SAME(cupti_availability, image, CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage);
SAME(cupti_host_open, ret_host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
SAME(cupti_host_only, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
SAME(cupti_metric_properties, ret_type, CUpti_Profiler_Host_GetMetricProperties_Params, metricType);
SAME(cupti_add_metrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
SAME(cupti_config_size, ret_bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
SAME(cupti_config_image, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
SAME(cupti_pass_count, ret_count, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
SAME(cupti_evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
SAME(cupti_ranges_enable, ret_ranges, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
SAME(cupti_ranges_only, ranges, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
SAME(cupti_ranges_stop, ret_is_complete, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
SAME(cupti_decode, ret_dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
SAME(cupti_data_size, ret_bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
SAME(cupti_data_init, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData);
SAME(cupti_set_config, nesting_level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
SAME(cupti_range_count, ret_count, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);

#define SAME_RECORD(member, their_member)                                                                    \
    _Static_assert(offsetof(struct cupti_launch, member) == offsetof(CUpti_ActivityKernel10, their_member),  \
                   "CUpti_ActivityKernel10: " #their_member)
SAME_RECORD(registers, registersPerThread);
SAME_RECORD(start_ns, start);
SAME_RECORD(end_ns, end);
SAME_RECORD(grid, gridX);
SAME_RECORD(block, blockX);
SAME_RECORD(static_shared_bytes, staticSharedMemory);
SAME_RECORD(dynamic_shared_bytes, dynamicSharedMemory);
SAME_RECORD(local_bytes, localMemoryPerThread);
SAME_RECORD(function, name);

#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME_VALUE(CUPTI_RANGE_PER_LAUNCH, CUPTI_AutoRange);
SAME_VALUE(CUPTI_REPLAY_BY_CALLER, CUPTI_UserReplay);
SAME_VALUE(CUPTI_OF_RANGES, CUPTI_PROFILER_TYPE_RANGE_PROFILER);
SAME_VALUE(CUPTI_RECORD_OF_LAUNCH, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME_VALUE(CUPTI_FLUSH_ALL, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME_VALUE(CUPTI_END_OF_LIST, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME_VALUE(CUPTI_HARDWARE_BUSY, CUPTI_ERROR_HARDWARE_BUSY);
SAME_VALUE(CUPTI_NO_PRIVILEGE, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME_VALUE(CUPTI_VIRTUAL_NO_PRIVILEGE, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME_VALUE(CUPTI_CONFIDENTIAL, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
SAME_VALUE(CUPTI_MIG, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED);
SAME_VALUE(CUPTI_CHIP_UNKNOWN, CUPTI_ERROR_INVALID_CHIP_NAME);
#endif

static void declarations_are_cuptis(void **state) {
    (void)state;
#ifndef ASSAY_CUPTI_HEADERS
    skip(); // they are not installed
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(declarations_are_cuptis)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

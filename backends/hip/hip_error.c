/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_state.h"

#define NEW_PROCESS "What was on the device is lost; a new process starts anew."
#define KERNEL_LOG " The kernel log (dmesg, lines with amdgpu or kfd) says more."

static const stream_code codes[] = {
	{ FAILURE_CODE(hipSuccess, EH_OK), false, NULL },
	{ FAILURE_CODE(hipErrorInvalidValue, EH_E_INVALID_ARGUMENT), false, NULL },
	{ FAILURE_CODE(hipErrorOutOfMemory, EH_E_NO_MEMORY), false,
	  "Free memory on the device: rocm-smi --showpids shows who uses it." },
	{ FAILURE_CODE(hipErrorNotInitialized, EH_E_UNAVAILABLE), false, NULL },
	{ FAILURE_CODE(hipErrorDeinitialized, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(hipErrorInvalidConfiguration, EH_E_UNSUPPORTED), false, NULL },
	{ FAILURE_CODE(hipErrorInvalidDevicePointer, EH_E_INTERNAL), false, NULL },
	{ FAILURE_CODE(hipErrorInsufficientDriver, EH_E_UNAVAILABLE), false,
	  "The runtime is newer than the amdgpu kernel driver: update the driver." },
	{ FAILURE_CODE(hipErrorPriorLaunchFailure, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(hipErrorInvalidDeviceFunction, EH_E_INCOMPATIBLE), false, NULL },
	{ FAILURE_CODE(hipErrorNoDevice, EH_E_UNAVAILABLE), false,
	  "Look at HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES, and at rocminfo." },
	{ FAILURE_CODE(hipErrorInvalidDevice, EH_E_UNAVAILABLE), false, NULL },
	{ FAILURE_CODE(hipErrorInvalidImage, EH_E_INCOMPATIBLE), false, NULL },
	{ FAILURE_CODE(hipErrorInvalidContext, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(hipErrorNoBinaryForGpu, EH_E_INCOMPATIBLE), false,
	  "The code was made for another architecture: empty the kernel cache, and look at "
	  "HSA_OVERRIDE_GFX_VERSION." },
	{ FAILURE_CODE(hipErrorECCNotCorrectable, EH_E_DEVICE_LOST), true,
	  "The device's memory is failing: see rocm-smi --showrasinfo all." },
	{ FAILURE_CODE(hipErrorInvalidKernelFile, EH_E_BUILD), false, NULL },
	{ FAILURE_CODE(hipErrorInvalidSource, EH_E_BUILD), false, NULL },
	{ FAILURE_CODE(hipErrorSharedObjectInitFailed, EH_E_UNAVAILABLE), false, NULL },
	{ FAILURE_CODE(hipErrorOperatingSystem, EH_E_NO_MEMORY), false, NULL },
	{ FAILURE_CODE(hipErrorInvalidHandle, EH_E_INTERNAL), false, NULL },
	{ FAILURE_CODE(hipErrorIllegalState, EH_E_INTERNAL), false, NULL },
	{ FAILURE_CODE(hipErrorNotFound, EH_E_INVALID_ARGUMENT), false, NULL },
	{ FAILURE_CODE(hipErrorNotReady, EH_E_INVALID_ARGUMENT), false, NULL },
	{ FAILURE_CODE(hipErrorIllegalAddress, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(hipErrorLaunchOutOfResources, EH_E_UNSUPPORTED), false,
	  "The kernel needs more registers or LDS than a group of this size may have." },
	{ FAILURE_CODE(hipErrorLaunchTimeOut, EH_E_DEVICE_LOST), true, NEW_PROCESS KERNEL_LOG },
	{ FAILURE_CODE(hipErrorPeerAccessAlreadyEnabled, EH_E_INTERNAL), false, NULL },
	{ FAILURE_CODE(hipErrorContextIsDestroyed, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(hipErrorAssert, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(hipErrorLaunchFailure, EH_E_DEVICE_LOST), true, NEW_PROCESS KERNEL_LOG },
	{ FAILURE_CODE(hipErrorNotSupported, EH_E_UNSUPPORTED), false, NULL },
	{ FAILURE_CODE(hipErrorStreamCaptureUnsupported, EH_E_INVALID_ARGUMENT), false, NULL },
	{ FAILURE_CODE(hipErrorStreamCaptureInvalidated, EH_E_DEVICE), false, NULL },
	{ FAILURE_CODE(hipErrorStreamCaptureImplicit, EH_E_DEVICE), false, NULL },
	{ FAILURE_CODE(hipErrorUnknown, EH_E_DEVICE), false,
	  "The kernel log (dmesg, lines with amdgpu or kfd) says more." },
	{ FAILURE_CODE(hipErrorRuntimeMemory, EH_E_NO_MEMORY), false, NULL },
	{ FAILURE_CODE(hipErrorRuntimeOther, EH_E_DEVICE), false,
	  "The kernel log (dmesg, lines with amdgpu or kfd) says more." },
};

#include "shared/stream_errors.h"

const char *stream_vendor_name(const hip_api *api, hipError_t rc)
{
	return api->error_name != NULL ? api->error_name(rc) : NULL;
}

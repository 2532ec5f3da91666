/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_state.h"

#define NEW_PROCESS "What was on the device is lost; a new process starts anew."
#define KERNEL_LOG " The kernel log (dmesg, lines with amdgpu or kfd) says more."

/* Numbers: headers of other versions lack some of them. */
static const stream_code codes[] = {
	{ { 0, EH_OK, "hipSuccess" }, false, NULL },
	{ { 1, EH_E_INVALID_ARGUMENT, "hipErrorInvalidValue" }, false, NULL },
	{ { 2, EH_E_NO_MEMORY, "hipErrorOutOfMemory" }, false,
	  "Free memory on the device: rocm-smi --showpids shows who uses it." },
	{ { 3, EH_E_UNAVAILABLE, "hipErrorNotInitialized" }, false, NULL },
	{ { 4, EH_E_DEVICE_LOST, "hipErrorDeinitialized" }, true, NEW_PROCESS },
	{ { 9, EH_E_UNSUPPORTED, "hipErrorInvalidConfiguration" }, false, NULL },
	{ { 17, EH_E_INTERNAL, "hipErrorInvalidDevicePointer" }, false, NULL },
	{ { 35, EH_E_UNAVAILABLE, "hipErrorInsufficientDriver" }, false,
	  "The runtime is newer than the amdgpu kernel driver: update the driver." },
	{ { 53, EH_E_DEVICE_LOST, "hipErrorPriorLaunchFailure" }, true, NEW_PROCESS },
	{ { 98, EH_E_INCOMPATIBLE, "hipErrorInvalidDeviceFunction" }, false, NULL },
	{ { 100, EH_E_UNAVAILABLE, "hipErrorNoDevice" }, false,
	  "Look at HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES, and at rocminfo." },
	{ { 101, EH_E_UNAVAILABLE, "hipErrorInvalidDevice" }, false, NULL },
	{ { 200, EH_E_INCOMPATIBLE, "hipErrorInvalidImage" }, false, NULL },
	{ { 201, EH_E_DEVICE_LOST, "hipErrorInvalidContext" }, true, NEW_PROCESS },
	{ { 209, EH_E_INCOMPATIBLE, "hipErrorNoBinaryForGpu" }, false,
	  "The code was made for another architecture: empty the kernel cache, and look at "
	  "HSA_OVERRIDE_GFX_VERSION." },
	{ { 214, EH_E_DEVICE_LOST, "hipErrorECCNotCorrectable" }, true,
	  "The device's memory is failing: see rocm-smi --showrasinfo all." },
	{ { 218, EH_E_BUILD, "hipErrorInvalidKernelFile" }, false, NULL },
	{ { 300, EH_E_BUILD, "hipErrorInvalidSource" }, false, NULL },
	{ { 303, EH_E_UNAVAILABLE, "hipErrorSharedObjectInitFailed" }, false, NULL },
	{ { 304, EH_E_NO_MEMORY, "hipErrorOperatingSystem" }, false, NULL },
	{ { 400, EH_E_INTERNAL, "hipErrorInvalidHandle" }, false, NULL },
	{ { 401, EH_E_INTERNAL, "hipErrorIllegalState" }, false, NULL },
	{ { 500, EH_E_INVALID_ARGUMENT, "hipErrorNotFound" }, false, NULL },
	{ { 600, EH_E_INVALID_ARGUMENT, "hipErrorNotReady" }, false, NULL },
	{ { 700, EH_E_DEVICE_LOST, "hipErrorIllegalAddress" }, true, NEW_PROCESS },
	{ { 701, EH_E_UNSUPPORTED, "hipErrorLaunchOutOfResources" }, false,
	  "The kernel needs more registers or LDS than a group of this size may have." },
	{ { 702, EH_E_DEVICE_LOST, "hipErrorLaunchTimeOut" }, true, NEW_PROCESS KERNEL_LOG },
	{ { 704, EH_E_INTERNAL, "hipErrorPeerAccessAlreadyEnabled" }, false, NULL },
	{ { 709, EH_E_DEVICE_LOST, "hipErrorContextIsDestroyed" }, true, NEW_PROCESS },
	{ { 710, EH_E_DEVICE_LOST, "hipErrorAssert" }, true, NEW_PROCESS },
	{ { 719, EH_E_DEVICE_LOST, "hipErrorLaunchFailure" }, true, NEW_PROCESS KERNEL_LOG },
	{ { 801, EH_E_UNSUPPORTED, "hipErrorNotSupported" }, false, NULL },
	{ { 900, EH_E_INVALID_ARGUMENT, "hipErrorStreamCaptureUnsupported" }, false, NULL },
	{ { 901, EH_E_DEVICE, "hipErrorStreamCaptureInvalidated" }, false, NULL },
	{ { 906, EH_E_DEVICE, "hipErrorStreamCaptureImplicit" }, false, NULL },
	{ { 999, EH_E_DEVICE, "hipErrorUnknown" }, false,
	  "The kernel log (dmesg, lines with amdgpu or kfd) says more." },
	{ { 1052, EH_E_NO_MEMORY, "hipErrorRuntimeMemory" }, false, NULL },
	{ { 1053, EH_E_DEVICE, "hipErrorRuntimeOther" }, false,
	  "The kernel log (dmesg, lines with amdgpu or kfd) says more." },
};

#include "shared/stream_errors.h"

const char *stream_vendor_name(const hip_api *api, hipError_t rc)
{
	return api->error_name != NULL ? api->error_name(rc) : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_state.h"

#define NEW_PROCESS "The context is lost with all that was in it; a new process gets a new one."

/* Errors: the driver's codes by name, their meaning in evenhand's terms, and the remedy.  The names
 * are for drivers that do not know the code. */
static const stream_code codes[] = {
	{ FAILURE_CODE(CUDA_SUCCESS, EH_OK), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_INVALID_VALUE, EH_E_INVALID_ARGUMENT), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_OUT_OF_MEMORY, EH_E_NO_MEMORY), false,
	  "Free memory on the device: other processes on it show in nvidia-smi." },
	{ FAILURE_CODE(CUDA_ERROR_NOT_INITIALIZED, EH_E_UNAVAILABLE), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_DEINITIALIZED, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_STUB_LIBRARY, EH_E_UNAVAILABLE), false,
	  "It is the toolkit's stub: take its folder out of LD_LIBRARY_PATH." },
	{ FAILURE_CODE(CUDA_ERROR_DEVICE_UNAVAILABLE, EH_E_UNAVAILABLE), false,
	  "Another process holds the device exclusively, or its compute mode forbids contexts: see "
	  "nvidia-smi -q -d COMPUTE." },
	{ FAILURE_CODE(CUDA_ERROR_NO_DEVICE, EH_E_UNAVAILABLE), false,
	  "Look at CUDA_VISIBLE_DEVICES and at nvidia-smi." },
	{ FAILURE_CODE(CUDA_ERROR_INVALID_DEVICE, EH_E_UNAVAILABLE), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_DEVICE_NOT_LICENSED, EH_E_UNAVAILABLE), false,
	  "The virtual GPU has no licence." },
	{ FAILURE_CODE(CUDA_ERROR_INVALID_IMAGE, EH_E_INCOMPATIBLE), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_INVALID_CONTEXT, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_NO_BINARY_FOR_GPU, EH_E_INCOMPATIBLE), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_ECC_UNCORRECTABLE, EH_E_DEVICE_LOST), true,
	  "The device's memory is failing: see nvidia-smi -q -d ECC and reset or replace it." },
	{ FAILURE_CODE(CUDA_ERROR_INVALID_PTX, EH_E_BUILD), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_NVLINK_UNCORRECTABLE, EH_E_DEVICE_LOST), true,
	  "The link between the devices is failing: see nvidia-smi nvlink -e." },
	{ FAILURE_CODE(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, EH_E_UNAVAILABLE), false,
	  "Install the driver's libnvidia-ptxjitcompiler." },
	{ FAILURE_CODE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, EH_E_INCOMPATIBLE), false,
	  "NVRTC is newer than the driver: update the driver, or name an older NVRTC in --set "
	  "cuda.nvrtc=PATH." },
	{ FAILURE_CODE(CUDA_ERROR_JIT_COMPILATION_DISABLED, EH_E_UNSUPPORTED), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_CONTAINED, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_INVALID_SOURCE, EH_E_BUILD), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_OPERATING_SYSTEM, EH_E_NO_MEMORY), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_INVALID_HANDLE, EH_E_INTERNAL), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_ILLEGAL_STATE, EH_E_INTERNAL), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_NOT_FOUND, EH_E_INVALID_ARGUMENT), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_NOT_READY, EH_E_INVALID_ARGUMENT), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_ILLEGAL_ADDRESS, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, EH_E_UNSUPPORTED), false,
	  "The kernel needs more registers or shared memory than a group of this size may have." },
	{ FAILURE_CODE(CUDA_ERROR_LAUNCH_TIMEOUT, EH_E_DEVICE_LOST), true,
	  "The device also drives a display, whose watchdog ends long kernels." },
	{ FAILURE_CODE(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, EH_E_INTERNAL), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_ASSERT, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_TOO_MANY_PEERS, EH_E_UNSUPPORTED), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_HARDWARE_STACK_ERROR, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_ILLEGAL_INSTRUCTION, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_MISALIGNED_ADDRESS, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_INVALID_ADDRESS_SPACE, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_INVALID_PC, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_LAUNCH_FAILED, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_TENSOR_MEMORY_LEAK, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_NOT_PERMITTED, EH_E_UNAVAILABLE), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_NOT_SUPPORTED, EH_E_UNSUPPORTED), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_SYSTEM_NOT_READY, EH_E_UNAVAILABLE), false,
	  "Start nvidia-fabricmanager: the devices behind the NVLink switch wait for it." },
	{ FAILURE_CODE(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, EH_E_UNAVAILABLE), false,
	  "Library and kernel module of the driver are of two versions: reboot, or install one." },
	{ FAILURE_CODE(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, EH_E_UNAVAILABLE), false,
	  "Take the forward-compatibility libcuda out of LD_LIBRARY_PATH: this device has no use "
	  "for it." },
	{ FAILURE_CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, EH_E_INVALID_ARGUMENT), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, EH_E_DEVICE), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_TIMEOUT, EH_E_TIMEOUT), false, NULL },
	{ FAILURE_CODE(CUDA_ERROR_EXTERNAL_DEVICE, EH_E_DEVICE_LOST), true, NEW_PROCESS },
	{ FAILURE_CODE(CUDA_ERROR_UNKNOWN, EH_E_DEVICE), false,
	  "The kernel log (dmesg, lines with NVRM or Xid) says more." },
};

#include "shared/stream_errors.h"

const char *stream_vendor_name(const cuda_api *api, CUresult rc)
{
	const char *name = NULL;

	return api->error_name(rc, &name) == CUDA_SUCCESS ? name : NULL;
}

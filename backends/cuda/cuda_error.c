/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_state.h"

#define NEW_PROCESS "The context is lost with all that was in it; a new process gets a new one."

/* Errors: the driver's codes by name, what each means in evenhand's terms, and what to do about it.
 * Numbers: older headers lack some of them.  A name is for a driver that does not know its code. */
static const stream_code codes[] = {
	{ { 0, EH_OK, "CUDA_SUCCESS" }, false, NULL },
	{ { 1, EH_E_INVALID_ARGUMENT, "CUDA_ERROR_INVALID_VALUE" }, false, NULL },
	{ { 2, EH_E_NO_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY" }, false,
	  "Free memory on the device: other processes on it show in nvidia-smi." },
	{ { 3, EH_E_UNAVAILABLE, "CUDA_ERROR_NOT_INITIALIZED" }, false, NULL },
	{ { 4, EH_E_DEVICE_LOST, "CUDA_ERROR_DEINITIALIZED" }, true, NEW_PROCESS },
	{ { 34, EH_E_UNAVAILABLE, "CUDA_ERROR_STUB_LIBRARY" }, false,
	  "It is the toolkit's stub: take its folder out of LD_LIBRARY_PATH." },
	{ { 46, EH_E_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE" }, false,
	  "Another process holds the device exclusively, or its compute mode forbids contexts: see "
	  "nvidia-smi -q -d COMPUTE." },
	{ { 100, EH_E_UNAVAILABLE, "CUDA_ERROR_NO_DEVICE" }, false,
	  "Look at CUDA_VISIBLE_DEVICES and at nvidia-smi." },
	{ { 101, EH_E_UNAVAILABLE, "CUDA_ERROR_INVALID_DEVICE" }, false, NULL },
	{ { 102, EH_E_UNAVAILABLE, "CUDA_ERROR_DEVICE_NOT_LICENSED" }, false,
	  "The virtual GPU has no licence." },
	{ { 200, EH_E_INCOMPATIBLE, "CUDA_ERROR_INVALID_IMAGE" }, false, NULL },
	{ { 201, EH_E_DEVICE_LOST, "CUDA_ERROR_INVALID_CONTEXT" }, true, NEW_PROCESS },
	{ { 209, EH_E_INCOMPATIBLE, "CUDA_ERROR_NO_BINARY_FOR_GPU" }, false, NULL },
	{ { 214, EH_E_DEVICE_LOST, "CUDA_ERROR_ECC_UNCORRECTABLE" }, true,
	  "The device's memory is failing: see nvidia-smi -q -d ECC and reset or replace it." },
	{ { 218, EH_E_BUILD, "CUDA_ERROR_INVALID_PTX" }, false, NULL },
	{ { 220, EH_E_DEVICE_LOST, "CUDA_ERROR_NVLINK_UNCORRECTABLE" }, true,
	  "The link between the devices is failing: see nvidia-smi nvlink -e." },
	{ { 221, EH_E_UNAVAILABLE, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND" }, false,
	  "Install the driver's libnvidia-ptxjitcompiler." },
	{ { 222, EH_E_INCOMPATIBLE, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" }, false,
	  "NVRTC is newer than the driver: update the driver, or name an older NVRTC in --set "
	  "cuda.nvrtc=PATH." },
	{ { 223, EH_E_UNSUPPORTED, "CUDA_ERROR_JIT_COMPILATION_DISABLED" }, false, NULL },
	{ { 226, EH_E_DEVICE_LOST, "CUDA_ERROR_CONTAINED" }, true, NEW_PROCESS },
	{ { 300, EH_E_BUILD, "CUDA_ERROR_INVALID_SOURCE" }, false, NULL },
	{ { 304, EH_E_NO_MEMORY, "CUDA_ERROR_OPERATING_SYSTEM" }, false, NULL },
	{ { 400, EH_E_INTERNAL, "CUDA_ERROR_INVALID_HANDLE" }, false, NULL },
	{ { 401, EH_E_INTERNAL, "CUDA_ERROR_ILLEGAL_STATE" }, false, NULL },
	{ { 500, EH_E_INVALID_ARGUMENT, "CUDA_ERROR_NOT_FOUND" }, false, NULL },
	{ { 600, EH_E_INVALID_ARGUMENT, "CUDA_ERROR_NOT_READY" }, false, NULL },
	{ { 700, EH_E_DEVICE_LOST, "CUDA_ERROR_ILLEGAL_ADDRESS" }, true, NEW_PROCESS },
	{ { 701, EH_E_UNSUPPORTED, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" }, false,
	  "The kernel needs more registers or shared memory than a group of this size may have." },
	{ { 702, EH_E_DEVICE_LOST, "CUDA_ERROR_LAUNCH_TIMEOUT" }, true,
	  "The device also drives a display, whose watchdog ends long kernels." },
	{ { 704, EH_E_INTERNAL, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" }, false, NULL },
	{ { 709, EH_E_DEVICE_LOST, "CUDA_ERROR_CONTEXT_IS_DESTROYED" }, true, NEW_PROCESS },
	{ { 710, EH_E_DEVICE_LOST, "CUDA_ERROR_ASSERT" }, true, NEW_PROCESS },
	{ { 711, EH_E_UNSUPPORTED, "CUDA_ERROR_TOO_MANY_PEERS" }, false, NULL },
	{ { 714, EH_E_DEVICE_LOST, "CUDA_ERROR_HARDWARE_STACK_ERROR" }, true, NEW_PROCESS },
	{ { 715, EH_E_DEVICE_LOST, "CUDA_ERROR_ILLEGAL_INSTRUCTION" }, true, NEW_PROCESS },
	{ { 716, EH_E_DEVICE_LOST, "CUDA_ERROR_MISALIGNED_ADDRESS" }, true, NEW_PROCESS },
	{ { 717, EH_E_DEVICE_LOST, "CUDA_ERROR_INVALID_ADDRESS_SPACE" }, true, NEW_PROCESS },
	{ { 718, EH_E_DEVICE_LOST, "CUDA_ERROR_INVALID_PC" }, true, NEW_PROCESS },
	{ { 719, EH_E_DEVICE_LOST, "CUDA_ERROR_LAUNCH_FAILED" }, true, NEW_PROCESS },
	{ { 721, EH_E_DEVICE_LOST, "CUDA_ERROR_TENSOR_MEMORY_LEAK" }, true, NEW_PROCESS },
	{ { 800, EH_E_UNAVAILABLE, "CUDA_ERROR_NOT_PERMITTED" }, false, NULL },
	{ { 801, EH_E_UNSUPPORTED, "CUDA_ERROR_NOT_SUPPORTED" }, false, NULL },
	{ { 802, EH_E_UNAVAILABLE, "CUDA_ERROR_SYSTEM_NOT_READY" }, false,
	  "Start nvidia-fabricmanager: the devices behind the NVLink switch wait for it." },
	{ { 803, EH_E_UNAVAILABLE, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" }, false,
	  "Library and kernel module of the driver are of two versions: reboot, or install one." },
	{ { 804, EH_E_UNAVAILABLE, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE" }, false,
	  "Take the forward-compatibility libcuda out of LD_LIBRARY_PATH: this device has no use "
	  "for it." },
	{ { 900, EH_E_INVALID_ARGUMENT, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" }, false, NULL },
	{ { 901, EH_E_DEVICE, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" }, false, NULL },
	{ { 909, EH_E_TIMEOUT, "CUDA_ERROR_TIMEOUT" }, false, NULL },
	{ { 911, EH_E_DEVICE_LOST, "CUDA_ERROR_EXTERNAL_DEVICE" }, true, NEW_PROCESS },
	{ { 999, EH_E_DEVICE, "CUDA_ERROR_UNKNOWN" }, false,
	  "The kernel log (dmesg, lines with NVRM or Xid) says more." },
};

#include "shared/stream_errors.h"

const char *stream_vendor_name(const cuda_api *api, CUresult rc)
{
	const char *name = NULL;

	return api->error_name(rc, &name) == CUDA_SUCCESS ? name : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Version 1 of the ABI as it lies in memory where pointers and long have 64 bits: the size of
 * every struct that crosses the boundary, and offset and size of each of its members.  Compiled,
 * never run.  A line here may be added for an appended member and its struct's size be raised;
 * any other change is another major version.
 */
#include "evenhand/conformance.h"
#include "evenhand/extensions.h"
#include "evenhand/probe.h"
#include "evenhand/workload.h"

#ifdef __cplusplus
#define CHECK(condition, text) static_assert(condition, text)
#else
#define CHECK(condition, text) _Static_assert(condition, text)
#endif
#define SIZE(type, size) CHECK(sizeof(type) == (size), "the size of " #type)
#define AT(type, member, offset, size)                                                       \
	CHECK(offsetof(type, member) == (offset) && sizeof(((type *)0)->member) == (size),   \
	      "offset and size of " #type "." #member)

CHECK(sizeof(void *) == 8 && sizeof(size_t) == 8, "these are the figures for 64-bit machines");
CHECK(sizeof(eh_status) == 4, "eh_status has 32 bits");
CHECK(EH_BACKEND_MAGIC == 0x42484531u && EH_WORKLOAD_MAGIC == 0x57484531u, "the magics");
CHECK(EH_PROBE_MAGIC == 0x50484531u, "the magic of probes");
CHECK(EH_CONFORMANCE_MAGIC == 0x43484531u, "the magic of the conformance suite");
CHECK(EH_ABI_MAJOR == 1, "the major version");
CHECK(EH_ABI_FROZEN_MINOR == 2 && EH_ABI_MINOR >= 2, "the minor version that was frozen");
CHECK(EH_TIMED == 1 && EH_COPIES == 2, "the flags of queues and marks");

SIZE(eh_error, 472);
AT(eh_error, struct_size, 0, 4);
AT(eh_error, code, 4, 4);
AT(eh_error, native_code, 8, 8);
AT(eh_error, native_name, 16, 48);
AT(eh_error, where, 64, 48);
AT(eh_error, message, 112, 360);

SIZE(eh_host, 56);
AT(eh_host, struct_size, 0, 4);
AT(eh_host, abi_major, 4, 2);
AT(eh_host, abi_minor, 6, 2);
AT(eh_host, ctx, 8, 8);
AT(eh_host, log, 16, 8);
AT(eh_host, now_ns, 24, 8);
AT(eh_host, option, 32, 8);
AT(eh_host, sha256, 40, 8);
AT(eh_host, may_load, 48, 8);

SIZE(eh_device_info, 520);
AT(eh_device_info, struct_size, 0, 4);
AT(eh_device_info, type, 4, 4);
AT(eh_device_info, caps, 8, 8);
AT(eh_device_info, memory_bytes, 16, 8);
AT(eh_device_info, max_alloc_bytes, 24, 8);
AT(eh_device_info, last_level_cache_bytes, 32, 8);
AT(eh_device_info, timer_resolution_ns, 40, 8);
AT(eh_device_info, compute_units, 48, 4);
AT(eh_device_info, max_group_items, 52, 4);
AT(eh_device_info, max_group_size, 56, 12);
AT(eh_device_info, local_memory_bytes, 68, 4);
AT(eh_device_info, clock_mhz, 72, 4);
AT(eh_device_info, numa_node, 76, 4);
AT(eh_device_info, id, 80, 64);
AT(eh_device_info, name, 144, 128);
AT(eh_device_info, vendor, 272, 64);
AT(eh_device_info, platform, 336, 128);
AT(eh_device_info, pci, 464, 16);
AT(eh_device_info, uuid, 480, 40);

SIZE(eh_layer, 1840);
AT(eh_layer, struct_size, 0, 4);
AT(eh_layer, kind, 4, 4);
AT(eh_layer, source, 8, 4);
AT(eh_layer, reserved, 12, 4);
AT(eh_layer, name, 16, 96);
AT(eh_layer, version, 112, 128);
AT(eh_layer, path, 240, 1024);
AT(eh_layer, detail, 1264, 512);
AT(eh_layer, maker, 1776, 64);

SIZE(eh_macro, 16);
AT(eh_macro, name, 0, 8);
AT(eh_macro, value, 8, 8);

SIZE(eh_source, 48);
AT(eh_source, struct_size, 0, 4);
AT(eh_source, macro_count, 4, 4);
AT(eh_source, name, 8, 8);
AT(eh_source, prelude, 16, 8);
AT(eh_source, body, 24, 8);
AT(eh_source, macros, 32, 8);
AT(eh_source, digest, 40, 8);

SIZE(eh_program_info, 872);
AT(eh_program_info, struct_size, 0, 4);
AT(eh_program_info, from_cache, 4, 4);
AT(eh_program_info, compiler, 8, 64);
AT(eh_program_info, compiler_version, 72, 128);
AT(eh_program_info, flags, 200, 512);
AT(eh_program_info, target, 712, 64);
AT(eh_program_info, binary_kind, 776, 32);
AT(eh_program_info, ir_kind, 808, 32);
AT(eh_program_info, binary, 840, 8);
AT(eh_program_info, binary_size, 848, 8);
AT(eh_program_info, ir, 856, 8);
AT(eh_program_info, ir_size, 864, 8);

SIZE(eh_kernel_info, 32);
AT(eh_kernel_info, struct_size, 0, 4);
AT(eh_kernel_info, max_group_items, 4, 4);
AT(eh_kernel_info, registers, 8, 4);
AT(eh_kernel_info, reserved, 12, 4);
AT(eh_kernel_info, local_bytes, 16, 8);
AT(eh_kernel_info, private_bytes, 24, 8);

SIZE(eh_arg, 32);
AT(eh_arg, buffer, 0, 8);
AT(eh_arg, data, 8, 8);
AT(eh_arg, size, 16, 4);
AT(eh_arg, reserved, 20, 4);
AT(eh_arg, reserved2, 24, 8);

SIZE(eh_launch, 48);
AT(eh_launch, struct_size, 0, 4);
AT(eh_launch, arg_count, 4, 4);
AT(eh_launch, groups, 8, 12);
AT(eh_launch, group_size, 20, 12);
AT(eh_launch, args, 32, 8);
AT(eh_launch, local_bytes, 40, 8);

SIZE(eh_backend_ops, 272);
AT(eh_backend_ops, struct_size, 0, 4);
AT(eh_backend_ops, reserved, 4, 4);
AT(eh_backend_ops, start, 8, 8);
AT(eh_backend_ops, stop, 16, 8);
AT(eh_backend_ops, notes, 24, 8);
AT(eh_backend_ops, device_count, 32, 8);
AT(eh_backend_ops, device_info, 40, 8);
AT(eh_backend_ops, device_open, 48, 8);
AT(eh_backend_ops, device_close, 56, 8);
AT(eh_backend_ops, device_layer, 64, 8);
AT(eh_backend_ops, buffer_alloc, 72, 8);
AT(eh_backend_ops, buffer_free, 80, 8);
AT(eh_backend_ops, buffer_host_pointer, 88, 8);
AT(eh_backend_ops, queue_create, 96, 8);
AT(eh_backend_ops, queue_destroy, 104, 8);
AT(eh_backend_ops, queue_flush, 112, 8);
AT(eh_backend_ops, queue_wait, 120, 8);
AT(eh_backend_ops, fill, 128, 8);
AT(eh_backend_ops, copy, 136, 8);
AT(eh_backend_ops, upload, 144, 8);
AT(eh_backend_ops, download, 152, 8);
AT(eh_backend_ops, program_build, 160, 8);
AT(eh_backend_ops, program_destroy, 168, 8);
AT(eh_backend_ops, program_info, 176, 8);
AT(eh_backend_ops, kernel_get, 184, 8);
AT(eh_backend_ops, kernel_info, 192, 8);
AT(eh_backend_ops, launch, 200, 8);
AT(eh_backend_ops, mark_create, 208, 8);
AT(eh_backend_ops, mark_destroy, 216, 8);
AT(eh_backend_ops, mark_record, 224, 8);
AT(eh_backend_ops, mark_wait, 232, 8);
AT(eh_backend_ops, mark_elapsed, 240, 8);
AT(eh_backend_ops, extension, 248, 8);
AT(eh_backend_ops, mark_passed, 256, 8);
AT(eh_backend_ops, queue_wait_mark, 264, 8);

SIZE(eh_backend, 56);
AT(eh_backend, magic, 0, 4);
AT(eh_backend, struct_size, 4, 4);
AT(eh_backend, abi_major, 8, 2);
AT(eh_backend, abi_minor, 10, 2);
AT(eh_backend, pointer_bytes, 12, 2);
AT(eh_backend, reserved, 14, 2);
AT(eh_backend, name, 16, 8);
AT(eh_backend, title, 24, 8);
AT(eh_backend, version, 32, 8);
AT(eh_backend, license, 40, 8);
AT(eh_backend, ops, 48, 8);

SIZE(eh_param, 48);
AT(eh_param, key, 0, 8);
AT(eh_param, type, 8, 4);
AT(eh_param, flags, 12, 4);
AT(eh_param, standard, 16, 8);
AT(eh_param, domain, 24, 8);
AT(eh_param, tune, 32, 8);
AT(eh_param, help, 40, 8);

SIZE(eh_value, 24);
AT(eh_value, key, 0, 8);
AT(eh_value, text, 8, 8);
AT(eh_value, number, 16, 8);

SIZE(eh_case, 24);
AT(eh_case, struct_size, 0, 4);
AT(eh_case, value_count, 4, 4);
AT(eh_case, values, 8, 8);
AT(eh_case, seed, 16, 8);

SIZE(eh_define, 64);
AT(eh_define, name, 0, 24);
AT(eh_define, value, 24, 40);

SIZE(eh_work, 1344);
AT(eh_work, struct_size, 0, 4);
AT(eh_work, metric, 4, 4);
AT(eh_work, region, 8, 4);
AT(eh_work, define_count, 12, 4);
AT(eh_work, amount, 16, 8);
AT(eh_work, flops, 24, 8);
AT(eh_work, bytes, 32, 8);
AT(eh_work, needs, 40, 8);
AT(eh_work, device_bytes, 48, 8);
AT(eh_work, working_set_bytes, 56, 8);
AT(eh_work, group_items, 64, 8);
AT(eh_work, precision, 72, 16);
AT(eh_work, flops_formula, 88, 96);
AT(eh_work, bytes_formula, 184, 96);
AT(eh_work, kernel, 280, 32);
AT(eh_work, defines, 312, 1024);
AT(eh_work, local_bytes, 1336, 8);

SIZE(eh_check, 344);
AT(eh_check, struct_size, 0, 4);
AT(eh_check, passed, 4, 4);
AT(eh_check, checked, 8, 8);
AT(eh_check, failed, 16, 8);
AT(eh_check, max_error, 24, 8);
AT(eh_check, rho, 32, 8);
AT(eh_check, rho_limit, 40, 8);
AT(eh_check, gate, 48, 8);
AT(eh_check, tolerance, 56, 96);
AT(eh_check, detail, 152, 192);

SIZE(eh_bench, 136);
AT(eh_bench, struct_size, 0, 4);
AT(eh_bench, reserved, 4, 4);
AT(eh_bench, ops, 8, 8);
AT(eh_bench, info, 16, 8);
AT(eh_bench, device, 24, 8);
AT(eh_bench, queue, 32, 8);
AT(eh_bench, program, 40, 8);
AT(eh_bench, values, 48, 8);
AT(eh_bench, work, 56, 8);
AT(eh_bench, core, 64, 8);
AT(eh_bench, fill_normal, 72, 8);
AT(eh_bench, fill_uniform, 80, 8);
AT(eh_bench, fill_bytes, 88, 8);
AT(eh_bench, to_double, 96, 8);
AT(eh_bench, extension, 104, 8);
AT(eh_bench, tier, 112, 4);
AT(eh_bench, reserved2, 116, 4);
AT(eh_bench, open_other, 120, 8);
AT(eh_bench, source, 128, 8);

SIZE(eh_graph_ops, 48);
AT(eh_graph_ops, struct_size, 0, 4);
AT(eh_graph_ops, reserved, 4, 4);
AT(eh_graph_ops, available, 8, 8);
AT(eh_graph_ops, begin, 16, 8);
AT(eh_graph_ops, end, 24, 8);
AT(eh_graph_ops, launch, 32, 8);
AT(eh_graph_ops, destroy, 40, 8);

SIZE(eh_peer_ops, 48);
AT(eh_peer_ops, struct_size, 0, 4);
AT(eh_peer_ops, reserved, 4, 4);
AT(eh_peer_ops, connect, 8, 8);
AT(eh_peer_ops, describe, 16, 8);
AT(eh_peer_ops, copy, 24, 8);
AT(eh_peer_ops, queue_wait_mark, 32, 8);
AT(eh_peer_ops, disconnect, 40, 8);

SIZE(eh_gemm, 144);
AT(eh_gemm, struct_size, 0, 4);
AT(eh_gemm, flags, 4, 4);
AT(eh_gemm, m, 8, 8);
AT(eh_gemm, n, 16, 8);
AT(eh_gemm, k, 24, 8);
AT(eh_gemm, lda, 32, 8);
AT(eh_gemm, ldb, 40, 8);
AT(eh_gemm, ldc, 48, 8);
AT(eh_gemm, batch, 56, 8);
AT(eh_gemm, stride_a, 64, 8);
AT(eh_gemm, stride_b, 72, 8);
AT(eh_gemm, stride_c, 80, 8);
AT(eh_gemm, alpha, 88, 8);
AT(eh_gemm, beta, 96, 8);
AT(eh_gemm, type_a, 104, 8);
AT(eh_gemm, type_b, 112, 8);
AT(eh_gemm, type_c, 120, 8);
AT(eh_gemm, accumulate, 128, 8);
AT(eh_gemm, workspace_limit, 136, 8);

SIZE(eh_gemm_operands, 64);
AT(eh_gemm_operands, struct_size, 0, 4);
AT(eh_gemm_operands, reserved, 4, 4);
AT(eh_gemm_operands, a, 8, 8);
AT(eh_gemm_operands, b, 16, 8);
AT(eh_gemm_operands, c, 24, 8);
AT(eh_gemm_operands, workspace, 32, 8);
AT(eh_gemm_operands, offset_a, 40, 8);
AT(eh_gemm_operands, offset_b, 48, 8);
AT(eh_gemm_operands, offset_c, 56, 8);

SIZE(eh_gemm_ops, 40);
AT(eh_gemm_ops, struct_size, 0, 4);
AT(eh_gemm_ops, reserved, 4, 4);
AT(eh_gemm_ops, prepare, 8, 8);
AT(eh_gemm_ops, enqueue, 16, 8);
AT(eh_gemm_ops, layer, 24, 8);
AT(eh_gemm_ops, destroy, 32, 8);

SIZE(eh_attention, 88);
AT(eh_attention, struct_size, 0, 4);
AT(eh_attention, flags, 4, 4);
AT(eh_attention, batch, 8, 8);
AT(eh_attention, heads, 16, 8);
AT(eh_attention, kv_heads, 24, 8);
AT(eh_attention, query, 32, 8);
AT(eh_attention, keys, 40, 8);
AT(eh_attention, head, 48, 8);
AT(eh_attention, scale, 56, 8);
AT(eh_attention, type, 64, 8);
AT(eh_attention, accumulate, 72, 8);
AT(eh_attention, workspace_limit, 80, 8);

SIZE(eh_attention_operands, 80);
AT(eh_attention_operands, struct_size, 0, 4);
AT(eh_attention_operands, reserved, 4, 4);
AT(eh_attention_operands, q, 8, 8);
AT(eh_attention_operands, k, 16, 8);
AT(eh_attention_operands, v, 24, 8);
AT(eh_attention_operands, o, 32, 8);
AT(eh_attention_operands, workspace, 40, 8);
AT(eh_attention_operands, offset_q, 48, 8);
AT(eh_attention_operands, offset_k, 56, 8);
AT(eh_attention_operands, offset_v, 64, 8);
AT(eh_attention_operands, offset_o, 72, 8);

SIZE(eh_attention_ops, 40);
AT(eh_attention_ops, struct_size, 0, 4);
AT(eh_attention_ops, reserved, 4, 4);
AT(eh_attention_ops, prepare, 8, 8);
AT(eh_attention_ops, enqueue, 16, 8);
AT(eh_attention_ops, layer, 24, 8);
AT(eh_attention_ops, destroy, 32, 8);

CHECK(EH_PEER_STAGED == 0, "EH_PEER_STAGED");
CHECK(EH_PEER_DIRECT == 1, "EH_PEER_DIRECT");
CHECK(EH_GEMM_TRANSPOSE_A == 1, "EH_GEMM_TRANSPOSE_A");
CHECK(EH_GEMM_TRANSPOSE_B == 2, "EH_GEMM_TRANSPOSE_B");
CHECK(EH_ATTENTION_CAUSAL == 1, "EH_ATTENTION_CAUSAL");

SIZE(eh_workload, 136);
AT(eh_workload, magic, 0, 4);
AT(eh_workload, struct_size, 4, 4);
AT(eh_workload, abi_major, 8, 2);
AT(eh_workload, abi_minor, 10, 2);
AT(eh_workload, pointer_bytes, 12, 2);
AT(eh_workload, reserved, 14, 2);
AT(eh_workload, revision, 16, 4);
AT(eh_workload, reserved2, 20, 4);
AT(eh_workload, name, 24, 8);
AT(eh_workload, summary, 32, 8);
AT(eh_workload, params, 40, 8);
AT(eh_workload, describe, 48, 8);
AT(eh_workload, prepare, 56, 8);
AT(eh_workload, selftest, 64, 8);
AT(eh_workload, enqueue, 72, 8);
AT(eh_workload, poison, 80, 8);
AT(eh_workload, check, 88, 8);
AT(eh_workload, vary, 96, 8);
AT(eh_workload, finish, 104, 8);
AT(eh_workload, library, 112, 8);
AT(eh_workload, checks, 120, 8);
AT(eh_workload, flags, 128, 8);

SIZE(eh_place_info, 264);
AT(eh_place_info, struct_size, 0, 4);
AT(eh_place_info, kind, 4, 4);
AT(eh_place_info, flags, 8, 4);
AT(eh_place_info, channel_count, 12, 4);
AT(eh_place_info, id, 16, 64);
AT(eh_place_info, name, 80, 128);
AT(eh_place_info, pci, 208, 16);
AT(eh_place_info, uuid, 224, 40);

SIZE(eh_bit, 32);
AT(eh_bit, mask, 0, 8);
AT(eh_bit, name, 8, 8);
AT(eh_bit, meaning, 16, 8);
AT(eh_bit, harmless, 24, 4);
AT(eh_bit, cause, 28, 4);

SIZE(eh_channel_info, 376);
AT(eh_channel_info, struct_size, 0, 4);
AT(eh_channel_info, kind, 4, 4);
AT(eh_channel_info, part, 8, 4);
AT(eh_channel_info, form, 12, 4);
AT(eh_channel_info, flags, 16, 4);
AT(eh_channel_info, status, 20, 4);
AT(eh_channel_info, window_ns, 24, 8);
AT(eh_channel_info, wrap, 32, 8);
AT(eh_channel_info, name, 40, 48);
AT(eh_channel_info, unit, 88, 16);
AT(eh_channel_info, reason, 104, 256);
AT(eh_channel_info, bits, 360, 8);
AT(eh_channel_info, bit_count, 368, 4);
AT(eh_channel_info, cause, 372, 4);

SIZE(eh_reading, 40);
AT(eh_reading, time_ns, 0, 8);
AT(eh_reading, native, 8, 8);
AT(eh_reading, count, 16, 8);
AT(eh_reading, value, 24, 8);
AT(eh_reading, status, 32, 4);
AT(eh_reading, skip, 36, 4);

SIZE(eh_probe_ops, 64);
AT(eh_probe_ops, struct_size, 0, 4);
AT(eh_probe_ops, reserved, 4, 4);
AT(eh_probe_ops, start, 8, 8);
AT(eh_probe_ops, stop, 16, 8);
AT(eh_probe_ops, notes, 24, 8);
AT(eh_probe_ops, place_count, 32, 8);
AT(eh_probe_ops, place_info, 40, 8);
AT(eh_probe_ops, channel_info, 48, 8);
AT(eh_probe_ops, read, 56, 8);

SIZE(eh_probe, 56);
AT(eh_probe, magic, 0, 4);
AT(eh_probe, struct_size, 4, 4);
AT(eh_probe, abi_major, 8, 2);
AT(eh_probe, abi_minor, 10, 2);
AT(eh_probe, pointer_bytes, 12, 2);
AT(eh_probe, reserved, 14, 2);
AT(eh_probe, name, 16, 8);
AT(eh_probe, title, 24, 8);
AT(eh_probe, version, 32, 8);
AT(eh_probe, license, 40, 8);
AT(eh_probe, ops, 48, 8);

/* Values that are stored in results or passed across the boundary. */
SIZE(eh_trial, 80);
AT(eh_trial, struct_size, 0, 4);
AT(eh_trial, device, 4, 4);
AT(eh_trial, partial, 8, 4);
AT(eh_trial, reserved, 12, 4);
AT(eh_trial, host, 16, 8);
AT(eh_trial, exports, 24, 8);
AT(eh_trial, prelude, 32, 8);
AT(eh_trial, kernels, 40, 8);
AT(eh_trial, ctx, 48, 8);
AT(eh_trial, load_backend, 56, 8);
AT(eh_trial, load_probe, 64, 8);
AT(eh_trial, enter, 72, 8);

SIZE(eh_test, 16);
AT(eh_test, name, 0, 8);
AT(eh_test, requirement, 8, 8);

SIZE(eh_suite, 56);
AT(eh_suite, struct_size, 0, 4);
AT(eh_suite, test_count, 4, 4);
AT(eh_suite, tests, 8, 8);
AT(eh_suite, selects, 16, 8);
AT(eh_suite, begin, 24, 8);
AT(eh_suite, prepare, 32, 8);
AT(eh_suite, run, 40, 8);
AT(eh_suite, end, 48, 8);

SIZE(eh_conformance, 64);
AT(eh_conformance, magic, 0, 4);
AT(eh_conformance, struct_size, 4, 4);
AT(eh_conformance, abi_major, 8, 2);
AT(eh_conformance, abi_minor, 10, 2);
AT(eh_conformance, pointer_bytes, 12, 2);
AT(eh_conformance, reserved, 14, 2);
AT(eh_conformance, name, 16, 8);
AT(eh_conformance, title, 24, 8);
AT(eh_conformance, version, 32, 8);
AT(eh_conformance, license, 40, 8);
AT(eh_conformance, backend, 48, 8);
AT(eh_conformance, probe, 56, 8);

CHECK(EH_OK == 0, "EH_OK");
CHECK(EH_E_INVALID_ARGUMENT == -1, "EH_E_INVALID_ARGUMENT");
CHECK(EH_E_NO_MEMORY == -2, "EH_E_NO_MEMORY");
CHECK(EH_E_UNSUPPORTED == -3, "EH_E_UNSUPPORTED");
CHECK(EH_E_UNAVAILABLE == -4, "EH_E_UNAVAILABLE");
CHECK(EH_E_INCOMPATIBLE == -5, "EH_E_INCOMPATIBLE");
CHECK(EH_E_BUILD == -6, "EH_E_BUILD");
CHECK(EH_E_TIMEOUT == -7, "EH_E_TIMEOUT");
CHECK(EH_E_DEVICE == -8, "EH_E_DEVICE");
CHECK(EH_E_DEVICE_LOST == -9, "EH_E_DEVICE_LOST");
CHECK(EH_E_INTERNAL == -10, "EH_E_INTERNAL");
CHECK(EH_LOG_ERROR == 0, "EH_LOG_ERROR");
CHECK(EH_LOG_WARN == 1, "EH_LOG_WARN");
CHECK(EH_LOG_INFO == 2, "EH_LOG_INFO");
CHECK(EH_LOG_DEBUG == 3, "EH_LOG_DEBUG");
CHECK(EH_DEVICE_CPU == 1, "EH_DEVICE_CPU");
CHECK(EH_DEVICE_GPU == 2, "EH_DEVICE_GPU");
CHECK(EH_DEVICE_ACCELERATOR == 3, "EH_DEVICE_ACCELERATOR");
CHECK(EH_DEVICE_OTHER == 4, "EH_DEVICE_OTHER");
CHECK(EH_LAYER_HARDWARE == 1, "EH_LAYER_HARDWARE");
CHECK(EH_LAYER_FIRMWARE == 2, "EH_LAYER_FIRMWARE");
CHECK(EH_LAYER_DRIVER == 3, "EH_LAYER_DRIVER");
CHECK(EH_LAYER_RUNTIME == 4, "EH_LAYER_RUNTIME");
CHECK(EH_LAYER_COMPILER == 5, "EH_LAYER_COMPILER");
CHECK(EH_LAYER_LIBRARY == 6, "EH_LAYER_LIBRARY");
CHECK(EH_LAYER_FRAMEWORK == 7, "EH_LAYER_FRAMEWORK");
CHECK(EH_LAYER_SERVING == 8, "EH_LAYER_SERVING");
CHECK(EH_LAYER_MODEL == 9, "EH_LAYER_MODEL");
CHECK(EH_LAYER_CONFIGURATION == 10, "EH_LAYER_CONFIGURATION");
CHECK(EH_LAYER_DEMAND == 11, "EH_LAYER_DEMAND");
CHECK(EH_SOURCE_MEASURED == 1, "EH_SOURCE_MEASURED");
CHECK(EH_SOURCE_QUERIED == 2, "EH_SOURCE_QUERIED");
CHECK(EH_SOURCE_DECLARED == 3, "EH_SOURCE_DECLARED");
CHECK(EH_SOURCE_UNAVAILABLE == 4, "EH_SOURCE_UNAVAILABLE");
CHECK(EH_MEMORY_DEVICE == 1, "EH_MEMORY_DEVICE");
CHECK(EH_MEMORY_PINNED == 2, "EH_MEMORY_PINNED");
CHECK(EH_MEMORY_SHARED == 3, "EH_MEMORY_SHARED");
CHECK(EH_CAP_ASYNC == UINT64_C(1) << 0, "EH_CAP_ASYNC");
CHECK(EH_CAP_DEVICE_TIME == UINT64_C(1) << 1, "EH_CAP_DEVICE_TIME");
CHECK(EH_CAP_PINNED == UINT64_C(1) << 2, "EH_CAP_PINNED");
CHECK(EH_CAP_SHARED == UINT64_C(1) << 3, "EH_CAP_SHARED");
CHECK(EH_CAP_FP64 == UINT64_C(1) << 4, "EH_CAP_FP64");
CHECK(EH_CAP_FP16 == UINT64_C(1) << 5, "EH_CAP_FP16");
CHECK(EH_CAP_FP16_STORE == UINT64_C(1) << 6, "EH_CAP_FP16_STORE");
CHECK(EH_CAP_BF16_STORE == UINT64_C(1) << 7, "EH_CAP_BF16_STORE");
CHECK(EH_CAP_ATOMIC64 == UINT64_C(1) << 8, "EH_CAP_ATOMIC64");
CHECK(EH_CAP_FP64_SOFT == UINT64_C(1) << 9, "EH_CAP_FP64_SOFT");
CHECK(EH_CAP_FP16_SOFT == UINT64_C(1) << 10, "EH_CAP_FP16_SOFT");
CHECK(EH_CAP_SIMULATED == UINT64_C(1) << 63, "EH_CAP_SIMULATED");
CHECK(EH_PARAM_UINT == 1, "EH_PARAM_UINT");
CHECK(EH_PARAM_BYTES == 2, "EH_PARAM_BYTES");
CHECK(EH_PARAM_ENUM == 3, "EH_PARAM_ENUM");
CHECK(EH_METRIC_BYTES_PER_SECOND == 1, "EH_METRIC_BYTES_PER_SECOND");
CHECK(EH_METRIC_FLOP_PER_SECOND == 2, "EH_METRIC_FLOP_PER_SECOND");
CHECK(EH_METRIC_SECONDS == 3, "EH_METRIC_SECONDS");
CHECK(EH_REGION_EXECUTION == 1, "EH_REGION_EXECUTION");
CHECK(EH_REGION_ENQUEUE == 2, "EH_REGION_ENQUEUE");
CHECK(EH_REGION_ROUND_TRIP == 3, "EH_REGION_ROUND_TRIP");
CHECK(EH_PLACE_DEVICE == 1, "EH_PLACE_DEVICE");
CHECK(EH_PLACE_PACKAGE == 2, "EH_PLACE_PACKAGE");
CHECK(EH_PLACE_HOST == 3, "EH_PLACE_HOST");
CHECK(EH_CHANNEL_POWER == 1, "EH_CHANNEL_POWER");
CHECK(EH_CHANNEL_ENERGY == 2, "EH_CHANNEL_ENERGY");
CHECK(EH_CHANNEL_CLOCK == 3, "EH_CHANNEL_CLOCK");
CHECK(EH_CHANNEL_TEMPERATURE == 4, "EH_CHANNEL_TEMPERATURE");
CHECK(EH_CHANNEL_THROTTLE == 5, "EH_CHANNEL_THROTTLE");
CHECK(EH_CHANNEL_UTILISATION == 6, "EH_CHANNEL_UTILISATION");
CHECK(EH_CHANNEL_MEMORY == 7, "EH_CHANNEL_MEMORY");
CHECK(EH_CHANNEL_LIMIT == 8, "EH_CHANNEL_LIMIT");
CHECK(EH_CHANNEL_USERS == 9, "EH_CHANNEL_USERS");
CHECK(EH_CHANNEL_COUNT == 10, "EH_CHANNEL_COUNT");
CHECK(EH_CHANNEL_OTHER == 11, "EH_CHANNEL_OTHER");
CHECK(EH_PART_ALL == 1, "EH_PART_ALL");
CHECK(EH_PART_CORE == 2, "EH_PART_CORE");
CHECK(EH_PART_MEMORY == 3, "EH_PART_MEMORY");
CHECK(EH_PART_OTHER == 4, "EH_PART_OTHER");
CHECK(EH_FORM_INSTANT == 1, "EH_FORM_INSTANT");
CHECK(EH_FORM_AVERAGE == 2, "EH_FORM_AVERAGE");
CHECK(EH_FORM_COUNTER == 3, "EH_FORM_COUNTER");
CHECK(EH_FORM_BITS == 4, "EH_FORM_BITS");
CHECK(EH_PLACE_SIMULATED == 1, "EH_PLACE_SIMULATED");
CHECK(EH_CAUSE_OTHER == 0, "EH_CAUSE_OTHER");
CHECK(EH_CAUSE_POWER == 1, "EH_CAUSE_POWER");
CHECK(EH_CAUSE_SETTING == 2, "EH_CAUSE_SETTING");
CHECK(EH_CHANNEL_RARE == 1, "EH_CHANNEL_RARE");
CHECK(EH_READING_NONE == 1, "EH_READING_NONE");
CHECK(EH_TEST_PASS == 0, "EH_TEST_PASS");
CHECK(EH_TEST_SKIP == 1, "EH_TEST_SKIP");
CHECK(EH_TEST_FAIL == 2, "EH_TEST_FAIL");

/* Keeps compilers from warning of an empty translation unit. */
extern int layout_checked;
int layout_checked = 1;

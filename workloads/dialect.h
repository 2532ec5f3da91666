/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect.h - one kernel text for CUDA C, HIP, OpenCL C, SPIR-V and host C.
 *
 * Put before every kernel text, includes nothing, needs no option.  All names begin with EH_ or
 * eh_; those that end in an underscore belong to this file.  docs/kernel-dialect.md explains.
 *
 *   EH_KERNEL(256, 1, 1) eh_scale(EH_GLOBAL float *EH_RESTRICT a, float s)
 *   {
 *           EH_ITEMS(256, 1, 1)
 *                   a[EH_GLOBAL_ID(256)] *= s;
 *           EH_END
 *   }
 *   EH_ENTRY(eh_scale, (EH_GLOBAL float *, float))
 *
 * Rules: code that depends on the work-item stands in regions EH_ITEMS(x, y, z) ... EH_END, with
 * the kernel's own x, y, z; EH_BARRIER() stands only between regions; loops and branches around
 * regions are the same for the whole group; `return` does not occur; `break` and `continue` do
 * not leave a region.  What a work-item keeps from one region to the next is EH_PRIVATE(T, name,
 * n), n the items of the group, used as EH_P(name) inside regions.  EH_LOCAL and EH_LOCAL_AT stand
 * at the top of the kernel.  EH_LOCAL_AT(T, name, count, at) is an array at byte `at` of the group's
 * local memory, a multiple of 16; each launch says in eh_launch.local_bytes where the last one ends.
 * No kernel is named like an OpenCL builtin.
 */

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define EH_OPENCL 1
#elif defined(__HIP__) || defined(__HIPCC__) || defined(__HIPCC_RTC__)
#define EH_HIP 1
#elif defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define EH_CUDA 1
#else
#define EH_HOST 1
#endif

/* ==== CUDA C (NVRTC) and HIP (clang) ====================================================== */
#if defined(EH_CUDA) || defined(EH_HIP)

typedef long long eh_i64;
typedef unsigned long long eh_u64;
typedef unsigned int eh_u32;
typedef unsigned short eh_u16;
typedef unsigned char eh_u8;
typedef struct { eh_u16 bits; } eh_f16;

#define EH_GLOBAL
#define EH_LOCAL_PTR
#define EH_RESTRICT __restrict__
#define EH_UNROLL _Pragma("unroll")

#if defined(EH_HIP)
#ifndef __device__
#define __device__ __attribute__((device))
#endif
#ifndef __global__
#define __global__ __attribute__((global))
#endif
#ifndef __shared__
#define __shared__ __attribute__((shared))
#endif
/* Not __launch_bounds__: a bare clang ignores it and budgets registers for 1024 work-items. */
#define EH_KERNEL(x, y, z)                                                                   \
	extern "C" __global__ __attribute__((amdgpu_flat_work_group_size((x) * (y) * (z),    \
	                                                                 (x) * (y) * (z)))) void
#define EH_DEVICE_FN static __device__ inline __attribute__((always_inline))
#define EH_DIMENSION_(f, d) ((d) == 0 ? f##_x() : (d) == 1 ? f##_y() : f##_z())
#define EH_LID(d) ((int)EH_DIMENSION_(__builtin_amdgcn_workitem_id, d))
#define EH_GROUP(d) ((int)EH_DIMENSION_(__builtin_amdgcn_workgroup_id, d))
#define EH_GROUPS(d)                                                                         \
	((int)(EH_DIMENSION_(__builtin_amdgcn_grid_size, d) /                                \
	       EH_DIMENSION_(__builtin_amdgcn_workgroup_size, d)))
EH_DEVICE_FN void eh_barrier_(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define EH_BARRIER() eh_barrier_()
#define EH_ATOMIC_ADD_(p, v)                                                                 \
	__hip_atomic_fetch_add((p), (v), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define EH_FMA32(a, b, c) __builtin_fmaf((a), (b), (c))
#define EH_FMA64(a, b, c) __builtin_fma((a), (b), (c))
#define EH_SQRT32(x) __builtin_sqrtf(x)
EH_DEVICE_FN float eh_from_f16_(eh_u16 h)
{
	union { eh_u16 u; _Float16 f; } c;
	c.u = h;
	return (float)c.f;
}
EH_DEVICE_FN eh_u16 eh_to_f16_(float f)
{
	union { eh_u16 u; _Float16 f; } c;
	c.f = (_Float16)f;
	return c.u;
}
#else /* EH_CUDA */
#define EH_KERNEL(x, y, z) extern "C" __global__ void __launch_bounds__((x) * (y) * (z))
#define EH_DEVICE_FN static __device__ __attribute__((unused)) __forceinline__
#define EH_DIMENSION_(v, d) ((d) == 0 ? v.x : (d) == 1 ? v.y : v.z)
#define EH_LID(d) ((int)EH_DIMENSION_(threadIdx, d))
#define EH_GROUP(d) ((int)EH_DIMENSION_(blockIdx, d))
#define EH_GROUPS(d) ((int)EH_DIMENSION_(gridDim, d))
#define EH_BARRIER() __syncthreads()
/* Static shared memory ends at 48 KiB on every GPU, the memory that a launch asks for does not. */
extern "C" __shared__ __attribute__((aligned(16))) eh_u8 eh_local_[];
#define EH_LOCAL_AT(T, name, count, at)                                                      \
	static_assert((at) % 16 == 0, "EH_LOCAL_AT is at a multiple of 16");                 \
	T *const name = (T *)(eh_local_ + (at))
#define EH_ATOMIC_ADD_(p, v) atomicAdd((p), (v))
#define EH_FMA32(a, b, c) fmaf((a), (b), (c))
#define EH_FMA64(a, b, c) fma((a), (b), (c))
#define EH_SQRT32(x) sqrtf(x)
/* PTX instead of cuda_fp16.h, which NVRTC finds only with an include path. */
EH_DEVICE_FN float eh_from_f16_(eh_u16 h)
{
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
	return f;
}
EH_DEVICE_FN eh_u16 eh_to_f16_(float f)
{
	eh_u16 h;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
	return h;
}
#endif

#define EH_LOCAL(T, decl) __shared__ __attribute__((aligned(16))) T decl
#define EH_ATOMIC_ADD_I32(p, v) EH_ATOMIC_ADD_((p), (int)(v))
#define EH_ATOMIC_ADD_U32(p, v) EH_ATOMIC_ADD_((p), (eh_u32)(v))
#define EH_ATOMIC_ADD_U64(p, v) EH_ATOMIC_ADD_((p), (eh_u64)(v))
#define EH_ATOMIC_ADD_F32(p, v) EH_ATOMIC_ADD_((p), (float)(v))
#define EH_LOAD_F16(p, i) eh_from_f16_((p)[i].bits)
#define EH_STORE_F16(p, i, x) ((p)[i].bits = eh_to_f16_(x))

EH_DEVICE_FN eh_u32 eh_bits_of_(float f)
{
	union { float f; eh_u32 u; } c;
	c.f = f;
	return c.u;
}
EH_DEVICE_FN float eh_float_of_(eh_u32 u)
{
	union { float f; eh_u32 u; } c;
	c.u = u;
	return c.f;
}

/* Short vectors: aligned to 16 bytes at most, so that a load is as wide as the hardware has. */
template <typename T, int N>
struct __attribute__((aligned(sizeof(T) * N < 16 ? sizeof(T) * N : 16))) eh_vector_ {
	T v[N];
	EH_DEVICE_FN eh_vector_ splat(T x)
	{
		eh_vector_ r;
		EH_UNROLL
		for (int i = 0; i < N; i++)
			r.v[i] = x;
		return r;
	}
};
#define EH_VECTOR_OPERATOR_(op)                                                              \
	template <typename T, int N>                                                         \
	EH_DEVICE_FN eh_vector_<T, N> operator op(const eh_vector_<T, N> &a,                 \
	                                          const eh_vector_<T, N> &b)                 \
	{                                                                                    \
		eh_vector_<T, N> r;                                                          \
		EH_UNROLL                                                                    \
		for (int i = 0; i < N; i++)                                                  \
			r.v[i] = a.v[i] op b.v[i];                                           \
		return r;                                                                    \
	}
EH_VECTOR_OPERATOR_(+)
EH_VECTOR_OPERATOR_(-)
EH_VECTOR_OPERATOR_(*)
template <typename T>
EH_DEVICE_FN T eh_mad_(const T &a, const T &b, const T &c)
{
	return a * b + c;
}
template <typename T, int N>
EH_DEVICE_FN eh_vector_<T, N> eh_mad_(const eh_vector_<T, N> &a, const eh_vector_<T, N> &b,
                                      const eh_vector_<T, N> &c)
{
	eh_vector_<T, N> r;
	EH_UNROLL
	for (int i = 0; i < N; i++)
		r.v[i] = a.v[i] * b.v[i] + c.v[i];
	return r;
}
EH_DEVICE_FN float eh_fused_(float a, float b, float c) { return EH_FMA32(a, b, c); }
EH_DEVICE_FN double eh_fused_(double a, double b, double c) { return EH_FMA64(a, b, c); }
template <typename T, int N>
EH_DEVICE_FN eh_vector_<T, N> eh_fused_(const eh_vector_<T, N> &a, const eh_vector_<T, N> &b,
                                        const eh_vector_<T, N> &c)
{
	eh_vector_<T, N> r;
	EH_UNROLL
	for (int i = 0; i < N; i++)
		r.v[i] = eh_fused_(a.v[i], b.v[i], c.v[i]);
	return r;
}
#if defined(EH_CUDA) && __CUDA_ARCH__ >= 1000
/* From Blackwell on an instruction of two multiply-adds, which compilers do not use unasked. */
template <int N>
EH_DEVICE_FN eh_vector_<float, N> eh_fused_(const eh_vector_<float, N> &a,
                                            const eh_vector_<float, N> &b,
                                            const eh_vector_<float, N> &c)
{
	eh_vector_<float, N> r;
	EH_UNROLL
	for (int i = 0; i < N; i += 2)
		asm("{\n\t"
		    ".reg .b64 eh_a, eh_b, eh_c;\n\t"
		    "mov.b64 eh_a, {%2, %3};\n\t"
		    "mov.b64 eh_b, {%4, %5};\n\t"
		    "mov.b64 eh_c, {%6, %7};\n\t"
		    "fma.rn.f32x2 eh_c, eh_a, eh_b, eh_c;\n\t"
		    "mov.b64 {%0, %1}, eh_c;\n\t"
		    "}"
		    : "=f"(r.v[i]), "=f"(r.v[i + 1])
		    : "f"(a.v[i]), "f"(a.v[i + 1]), "f"(b.v[i]), "f"(b.v[i + 1]), "f"(c.v[i]),
		      "f"(c.v[i + 1]));
	return r;
}
#endif

/* Half precision in arithmetic: pairs, each in a register, because compilers do not make all pairs of
 * single ones. */
#if defined(EH_CUDA)
struct eh_half {
	eh_u16 bits;
	__device__ __forceinline__ explicit eh_half(float f) : bits(eh_to_f16_(f)) {}
};
typedef eh_u32 eh_half2_;
EH_DEVICE_FN eh_half2_ eh_half2_of_(eh_half x) { return (eh_u32)x.bits << 16 | x.bits; }
EH_DEVICE_FN eh_half2_ eh_half2_add_(eh_half2_ a, eh_half2_ b)
{
	eh_half2_ r;
	asm("add.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	return r;
}
EH_DEVICE_FN eh_half2_ eh_half2_fma_(eh_half2_ a, eh_half2_ b, eh_half2_ c)
{
	eh_half2_ r;
	asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}
#else
typedef _Float16 eh_half;
#if defined(__clang__)
typedef eh_half eh_half2_ __attribute__((ext_vector_type(2)));
#else
struct eh_half2_ { eh_half x, y; };
EH_DEVICE_FN eh_half2_ operator+(eh_half2_ a, eh_half2_ b) { return {a.x + b.x, a.y + b.y}; }
EH_DEVICE_FN eh_half2_ operator*(eh_half2_ a, eh_half2_ b) { return {a.x * b.x, a.y * b.y}; }
#endif
EH_DEVICE_FN eh_half2_ eh_half2_of_(eh_half x) { return {x, x}; }
EH_DEVICE_FN eh_half2_ eh_half2_add_(eh_half2_ a, eh_half2_ b) { return a + b; }
EH_DEVICE_FN eh_half2_ eh_half2_fma_(eh_half2_ a, eh_half2_ b, eh_half2_ c)
{
	/* One operation for the optimiser, which thus cannot take a product out of a loop. */
	_Pragma("clang fp contract(on)")
	return a * b + c;
}
#endif
template <int N>
struct __attribute__((aligned(2 * N < 16 ? 2 * N : 16))) eh_vector_<eh_half, N> {
	eh_half2_ v[N / 2];
	EH_DEVICE_FN eh_vector_ splat(eh_half x)
	{
		eh_vector_ r;
		EH_UNROLL
		for (int i = 0; i < N / 2; i++)
			r.v[i] = eh_half2_of_(x);
		return r;
	}
};
template <int N>
EH_DEVICE_FN eh_vector_<eh_half, N> operator+(const eh_vector_<eh_half, N> &a,
                                              const eh_vector_<eh_half, N> &b)
{
	eh_vector_<eh_half, N> r;
	EH_UNROLL
	for (int i = 0; i < N / 2; i++)
		r.v[i] = eh_half2_add_(a.v[i], b.v[i]);
	return r;
}
template <int N>
EH_DEVICE_FN eh_vector_<eh_half, N> eh_fused_(const eh_vector_<eh_half, N> &a,
                                              const eh_vector_<eh_half, N> &b,
                                              const eh_vector_<eh_half, N> &c)
{
	eh_vector_<eh_half, N> r;
	EH_UNROLL
	for (int i = 0; i < N / 2; i++)
		r.v[i] = eh_half2_fma_(a.v[i], b.v[i], c.v[i]);
	return r;
}
template <int N>
EH_DEVICE_FN eh_vector_<eh_half, N> eh_mad_(const eh_vector_<eh_half, N> &a,
                                            const eh_vector_<eh_half, N> &b,
                                            const eh_vector_<eh_half, N> &c)
{
	return eh_fused_(a, b, c);
}
template <typename V, typename T>
struct eh_splat_ {
	EH_DEVICE_FN V of(T x) { return V::splat(x); }
};
template <typename T>
struct eh_splat_<T, T> {
	EH_DEVICE_FN T of(T x) { return x; }
};
/* The whole vector, before an operator that takes a reference loads its elements one by one. */
template <typename V>
EH_DEVICE_FN V eh_copy_of_(const V *p)
{
	const V v = *p;
	return v;
}
typedef eh_vector_<eh_u32, 4> eh_u32x4_;
typedef float eh_f32x1;
typedef eh_vector_<float, 2> eh_f32x2;
typedef eh_vector_<float, 4> eh_f32x4;
typedef eh_vector_<float, 8> eh_f32x8;
typedef eh_vector_<float, 16> eh_f32x16;
typedef double eh_f64x1;
typedef eh_vector_<double, 2> eh_f64x2;
typedef eh_vector_<double, 4> eh_f64x4;
typedef eh_vector_<double, 8> eh_f64x8;
typedef eh_vector_<double, 16> eh_f64x16;
typedef eh_vector_<int, 2> eh_i32x2;
typedef eh_vector_<int, 4> eh_i32x4;
typedef eh_vector_<int, 8> eh_i32x8;
typedef eh_vector_<int, 16> eh_i32x16;
/* In PTX, because compilers that see it calculate each half of the word for itself. */
EH_DEVICE_FN eh_f32x2 eh_from_halves_(eh_u32 word)
{
	eh_f32x2 r;
#if defined(EH_CUDA)
	asm("{\n\t"
	    ".reg .b16 eh_low, eh_high;\n\t"
	    "mov.b32 {eh_low, eh_high}, %2;\n\t"
	    "cvt.f32.f16 %0, eh_low;\n\t"
	    "cvt.f32.f16 %1, eh_high;\n\t"
	    "}"
	    : "=f"(r.v[0]), "=f"(r.v[1])
	    : "r"(word));
#else
	r.v[0] = eh_from_f16_((eh_u16)word);
	r.v[1] = eh_from_f16_((eh_u16)(word >> 16));
#endif
	return r;
}
#define EH_FROM_HALVES(word) eh_from_halves_(word)
typedef eh_vector_<eh_half, 2> eh_f16x2;
typedef eh_vector_<eh_half, 4> eh_f16x4;
typedef eh_vector_<eh_half, 8> eh_f16x8;
typedef eh_vector_<eh_half, 16> eh_f16x16;
#define EH_MAD(a, b, c) eh_mad_((a), (b), (c))
#define EH_FUSED(V, T, n, r, a, b, c) ((r) = eh_fused_((a), (b), (c)))
#define EH_SPLAT(V, T, x) eh_splat_<V, T>::of((T)(x))

/* ==== OpenCL C 1.1 and later, also as a source of SPIR-V =================================== */
#elif defined(EH_OPENCL)

#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if defined(cl_khr_fp16)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#if defined(cl_khr_int64_base_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define EH_ATOMIC_ADD_U64(p, v) atom_add((volatile __global eh_u64 *)(p), (eh_u64)(v))
#endif

typedef long eh_i64;
typedef ulong eh_u64;
typedef uint eh_u32;
typedef ushort eh_u16;
typedef uchar eh_u8;
typedef half eh_f16; /* vload_half and vstore_half need no cl_khr_fp16 */

#define EH_GLOBAL __global
#define EH_LOCAL_PTR __local
#define EH_RESTRICT restrict
#define EH_UNROLL _Pragma("unroll")
#define EH_WIDE_
#if defined(__has_attribute) && defined(__x86_64__) && defined(__AVX512F__)
#if __has_attribute(min_vector_width)
#undef EH_WIDE_
#define EH_WIDE_ __attribute__((min_vector_width(512)))
#endif
#endif
#define EH_KERNEL(x, y, z)                                                                   \
	__kernel __attribute__((reqd_work_group_size(x, y, z))) EH_WIDE_ void
#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ >= 120
#define EH_DEVICE_FN static inline
#else
#define EH_DEVICE_FN
#endif
#define EH_LID(d) ((int)get_local_id(d))
#define EH_GROUP(d) ((int)get_group_id(d))
#define EH_GROUPS(d) ((int)get_num_groups(d))
/* Intel's compiler for processors knows only this function's values as neighbours. */
#define EH_GLOBAL_ID(x) ((eh_i64)get_global_id(0))
#define EH_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define EH_LOCAL(T, decl) __local T decl __attribute__((aligned(128)))
#define EH_FMA32(a, b, c) fma((float)(a), (float)(b), (float)(c))
#define EH_FMA64(a, b, c) fma((double)(a), (double)(b), (double)(c))
#define EH_SQRT32(x) sqrt((float)(x))
#define EH_ATOMIC_ADD_I32(p, v) atomic_add((p), (int)(v))
#define EH_ATOMIC_ADD_U32(p, v) atomic_add((p), (eh_u32)(v))
#define EH_ATOMIC_ADD_F32(p, v) eh_atomic_add_f32_((p), (v))
/* OpenCL 1.x has no atomics on floats: compare and swap. */
EH_DEVICE_FN float eh_atomic_add_f32_(volatile __global float *p, float v)
{
	volatile __global uint *word = (volatile __global uint *)p;
	uint seen = *word, old;
	do {
		old = seen;
		seen = atomic_cmpxchg(word, old, as_uint(as_float(old) + v));
	} while (seen != old);
	return as_float(seen);
}
#define EH_LOAD_F16(p, i) vload_half((size_t)(i), (p))
#define EH_STORE_F16(p, i, x) vstore_half_rte((x), (size_t)(i), (p))
#define EH_LOAD_SPAN_F16(p, k) vloada_half8((size_t)(k), (p))
#define EH_STORE_SPAN_F16(p, k, x) vstorea_half8_rte((x), (size_t)(k), (p))
#define eh_bits_of_(f) as_uint(f)
#define eh_float_of_(u) as_float(u)

#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__)
#define EH_PROCESSOR 1
#define EH_ITEM_ZERO ((int)(get_local_id(0) >> 24))
#define EH_STEP(j, n, x) (EH_GLOBAL_ID(x) * (n) + (j))
/* PoCL runs the work-items of a group one after another, up to each barrier. */
#if defined(POCL_DEVICE_ADDRESS_BITS)
#define EH_IN_TURN 1
#endif
/* Other devices calculate it in many instructions. */
#elif defined(cl_khr_fp16) || defined(__NV_CL_C_VERSION)
#define EH_FROM_HALVES(word) vload_half2(0, (const half *)&(word))
#endif

/* Of vectors, because compilers for processors make none of the elements of a union. */
#define EH_STORE_SPAN_BF16(p, k, x) (((__global uint4 *)(p))[k] = eh_bf16x8_bits_(x))
#if defined(EH_PROCESSOR)
/* Processors widen and narrow elements in the order of memory with one instruction or two. */
#define EH_LOAD_SPAN_BF16(p, k)                                                              \
	as_float8(convert_uint8(((__global const ushort8 *)(p))[k]) << 16)
EH_DEVICE_FN uint8 eh_bf16x8_rounded_(float8 x)
{
	const uint8 u = as_uint8(x);
	return select(u + 0x7fffu + (u >> 16 & 1u), u | 0x400000u, as_uint8(x != x));
}
EH_DEVICE_FN uint4 eh_bf16x8_bits_(float8 x)
{
	return as_uint4(convert_ushort8(eh_bf16x8_rounded_(x) >> 16));
}
#else
#define EH_LOAD_SPAN_BF16(p, k) eh_bf16x8_load_(((__global const uint4 *)(p))[k])
EH_DEVICE_FN float8 eh_bf16x8_load_(uint4 words)
{
	float8 x;
	x.even = as_float4(words << 16);
	x.odd = as_float4(words & 0xffff0000u);
	return x;
}
EH_DEVICE_FN uint4 eh_bf16x4_rounded_(float4 x)
{
	const uint4 u = as_uint4(x);
	return select(u + 0x7fffu + (u >> 16 & 1u), u | 0x400000u, as_uint4(x != x));
}
EH_DEVICE_FN uint4 eh_bf16x8_bits_(float8 x)
{
	return eh_bf16x4_rounded_(x.even) >> 16 | (eh_bf16x4_rounded_(x.odd) & 0xffff0000u);
}
#endif

#define eh_copy_of_(p) (*(p))
typedef uint4 eh_u32x4_;
typedef int2 eh_i32x2;
typedef int4 eh_i32x4;
typedef int8 eh_i32x8;
typedef int16 eh_i32x16;
typedef float eh_f32x1;
typedef float2 eh_f32x2;
typedef float4 eh_f32x4;
typedef float8 eh_f32x8;
typedef float16 eh_f32x16;
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
typedef double eh_f64x1;
typedef double2 eh_f64x2;
typedef double4 eh_f64x4;
typedef double8 eh_f64x8;
typedef double16 eh_f64x16;
#endif
#if defined(cl_khr_fp16)
typedef half eh_half;
typedef half2 eh_f16x2;
typedef half4 eh_f16x4;
typedef half8 eh_f16x8;
typedef half16 eh_f16x16;
#endif
#define EH_MAD(a, b, c) ((a) * (b) + (c))
#define EH_FUSED(V, T, n, r, a, b, c) ((r) = fma((a), (b), (c)))
#define EH_SPLAT(V, T, x) ((V)((T)(x)))

/* ==== host C (gcc, clang; gnu11 or later) =================================================== */
#else

typedef __INT64_TYPE__ eh_i64;
typedef __UINT64_TYPE__ eh_u64;
typedef __UINT32_TYPE__ eh_u32;
typedef __UINT16_TYPE__ eh_u16;
typedef __UINT8_TYPE__ eh_u8;
typedef struct { eh_u16 bits; } eh_f16;

#define EH_PROCESSOR 1
#define EH_GLOBAL
#define EH_LOCAL_PTR
#define EH_RESTRICT restrict
#if defined(__clang__)
#define EH_UNROLL _Pragma("unroll")
#else
#define EH_UNROLL _Pragma("GCC unroll 64")
#endif
/* Without it clang splits 64-byte vectors on processors whose tuning prefers 32-byte ones. */
#if defined(__AVX512F__) && defined(__clang__)
#define EH_WIDE_ __attribute__((min_vector_width(512)))
#else
#define EH_WIDE_
#endif

/* A call of a kernel's function is one work-group; the entry sets its place in the grid. */
typedef struct { int group[3], groups[3]; } eh_place_type_;
static __thread eh_place_type_ eh_place_;

#define EH_KERNEL(x, y, z) static inline __attribute__((always_inline)) EH_WIDE_ void
#define EH_DEVICE_FN static inline __attribute__((always_inline, unused)) EH_WIDE_
#define EH_LID(d) ((d) == 0 ? eh_x_ : (d) == 1 ? eh_y_ : eh_z_)
#define EH_GROUP(d) (eh_place_.group[d])
#define EH_GROUPS(d) (eh_place_.groups[d])
#define EH_BARRIER() ((void)0)
#define EH_LOCAL(T, decl) __attribute__((aligned(64))) T decl
#define EH_LOCAL_AT(T, name, count, at)                                                      \
	_Static_assert((at) % 16 == 0, "EH_LOCAL_AT is at a multiple of 16");                \
	EH_LOCAL(T, name[count])
#define EH_FMA32(a, b, c) __builtin_fmaf((a), (b), (c))
#define EH_FMA64(a, b, c) __builtin_fma((a), (b), (c))
#define EH_SQRT32(x) __builtin_sqrtf(x)
#define EH_ATOMIC_ADD_I32(p, v) __atomic_fetch_add((p), (int)(v), __ATOMIC_RELAXED)
#define EH_ATOMIC_ADD_U32(p, v) __atomic_fetch_add((p), (eh_u32)(v), __ATOMIC_RELAXED)
#define EH_ATOMIC_ADD_U64(p, v) __atomic_fetch_add((p), (eh_u64)(v), __ATOMIC_RELAXED)
#define EH_ATOMIC_ADD_F32(p, v) eh_atomic_add_f32_((p), (v))
EH_DEVICE_FN float eh_atomic_add_f32_(float *p, float v)
{
	float old, sum;
	__atomic_load(p, &old, __ATOMIC_RELAXED);
	do
		sum = old + v;
	while (!__atomic_compare_exchange(p, &old, &sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return old;
}
EH_DEVICE_FN eh_u32 eh_bits_of_(float f)
{
	union { float f; eh_u32 u; } c;
	c.f = f;
	return c.u;
}
EH_DEVICE_FN float eh_float_of_(eh_u32 u)
{
	union { float f; eh_u32 u; } c;
	c.u = u;
	return c.f;
}

/*
 * Half precision.  clang's own type where converting it is an instruction, else integer arithmetic
 * without branches, which vectorises everywhere: gcc converts one at a time, and without hardware
 * both call library routines that not every toolchain brings along.
 */
#if defined(__clang__) && defined(__AVX512FP16__) && defined(__FLT16_MAX__)
#define EH_HALF_ _Float16
#elif (defined(__clang__) && defined(__F16C__)) || defined(__ARM_FP16_FORMAT_IEEE)
#define EH_HALF_ __fp16
#endif
#if defined(EH_HALF_)
EH_DEVICE_FN float eh_from_f16_(eh_u16 h)
{
	union { eh_u16 u; EH_HALF_ f; } c;
	c.u = h;
	return (float)c.f;
}
EH_DEVICE_FN eh_u16 eh_to_f16_(float f)
{
	union { eh_u16 u; EH_HALF_ f; } c;
	c.f = (EH_HALF_)f;
	return c.u;
}
#else
EH_DEVICE_FN float eh_from_f16_(eh_u16 h)
{
	const eh_u32 magnitude = (eh_u32)(h & 0x7fffu) << 13;
	/* 2^112 moves the exponent's bias, and makes normal numbers of subnormal ones. */
	const eh_u32 scaled = eh_bits_of_(eh_float_of_(magnitude) * eh_float_of_(0x77800000u));
	const eh_u32 special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
	return eh_float_of_(scaled | special | ((eh_u32)(h & 0x8000u) << 16));
}
EH_DEVICE_FN eh_u16 eh_to_f16_(float f)
{
	/* All in the upper half: of 16-bit parts gcc makes no vectors. */
	const eh_u32 bits = eh_bits_of_(f), sign = bits & 0x80000000u, u = bits & 0x7fffffffu;
	const eh_u32 normal = (u - 0x38000000u + 0xfffu + (u >> 13 & 1u)) << 3;
	/* Adding 0.5 rounds to a multiple of 2^-24, the step of subnormal halves. */
	const eh_u32 small = (eh_bits_of_(eh_float_of_(u) + 0.5f) - 0x3f000000u) << 16;
	eh_u32 r = u < 0x38800000u ? small : normal;
	r = u >= 0x477ff000u ? 0x7c000000u : r;
	r = u > 0x7f800000u ? 0x7e000000u : r;
	return (eh_u16)((r | sign) >> 16);
}
#endif
#define EH_LOAD_F16(p, i) eh_from_f16_((p)[i].bits)
#define EH_STORE_F16(p, i, x) ((p)[i].bits = eh_to_f16_(x))

typedef float eh_f32x1;
typedef float eh_f32x2 __attribute__((vector_size(8), may_alias));
typedef float eh_f32x4 __attribute__((vector_size(16), may_alias));
typedef float eh_f32x8 __attribute__((vector_size(32), may_alias));
typedef float eh_f32x16 __attribute__((vector_size(64), may_alias));
typedef int eh_i32x2 __attribute__((vector_size(8), may_alias));
typedef int eh_i32x4 __attribute__((vector_size(16), may_alias));
typedef int eh_i32x8 __attribute__((vector_size(32), may_alias));
typedef int eh_i32x16 __attribute__((vector_size(64), may_alias));
/* A backend whose C compiler has no double defines EH_NO_FP64. */
#if !defined(EH_NO_FP64)
typedef double eh_f64x1;
typedef double eh_f64x2 __attribute__((vector_size(16), may_alias));
typedef double eh_f64x4 __attribute__((vector_size(32), may_alias));
typedef double eh_f64x8 __attribute__((vector_size(64), may_alias));
/* Two registers wide already in the eighth: gcc has no wider one that stays in registers. */
typedef double eh_f64x16 __attribute__((vector_size(128), may_alias));
#endif
#define EH_MAD(a, b, c) ((a) * (b) + (c))
#if defined(__clang__)
/* One operation for the optimiser, which thus cannot take a product out of a loop. */
#define EH_FUSED(V, T, n, r, a, b, c)                                                        \
	do {                                                                                 \
		_Pragma("clang fp contract(on)")                                             \
		(r) = (a) * (b) + (c);                                                       \
	} while (0)
#else
/* Element by element: gcc makes one instruction of them. */
#define EH_FUSED(V, T, n, r, a, b, c)                                                        \
	do {                                                                                 \
		union { V all; T one[n]; } eh_a_ = {a}, eh_b_ = {b}, eh_c_ = {c};            \
		EH_UNROLL                                                                    \
		for (int eh_i_ = 0; eh_i_ < (n); eh_i_++)                                    \
			eh_c_.one[eh_i_] = sizeof(T) == 8                                    \
				? (T)EH_FMA64(eh_a_.one[eh_i_], eh_b_.one[eh_i_], eh_c_.one[eh_i_]) \
				: (T)EH_FMA32((float)eh_a_.one[eh_i_], (float)eh_b_.one[eh_i_],    \
			                      (float)eh_c_.one[eh_i_]);                      \
		(r) = eh_c_.all;                                                             \
	} while (0)
#endif
/* x - 0 is x for every x, so the compilers leave the vector alone; 0 + x is not, for -0. */
#define EH_SPLAT(V, T, x) ((T)(x) - (V){0})

#endif

/* ==== the same everywhere ==================================================================== */

/* Where static memory is all that the device has, EH_LOCAL_AT is static, and `at` without effect. */
#if !defined(EH_LOCAL_AT)
#define EH_LOCAL_AT(T, name, count, at) EH_LOCAL(T, name[count])
#endif

/*
 * Hints, so that memory works beside arithmetic; elsewhere other work-groups do what a hint would.
 * EH_AHEAD, outside regions: the group uses these n elements soon.  EH_TILE_AHEAD, inside a region: the same of a
 * tile of `rows` rows of n elements, which begin ld elements apart, for some of its lines by each of `items`
 * work-items, of which this one is number `item`.
 */
#if defined(EH_HOST) || defined(EH_IN_TURN)
#define EH_AHEAD(p, n) eh_ahead_((EH_GLOBAL const char *)(p), (n) * (int)sizeof *(p))
#define EH_TILE_AHEAD(p, ld, rows, n, item, items)                                           \
	eh_tile_ahead_((EH_GLOBAL const char *)(p), (ld) * (eh_i64)sizeof *(p), (rows),      \
	               ((n) * (int)sizeof *(p) + 63) / 64, (item), (items))
EH_DEVICE_FN void eh_ahead_(EH_GLOBAL const char *p, int bytes)
{
	for (int b = 0; b < bytes; b += 64)
		__builtin_prefetch(p + b);
}
EH_DEVICE_FN void eh_tile_ahead_(EH_GLOBAL const char *p, eh_i64 row, int rows, int lines, int item, int items)
{
	for (int l = item; l < rows * lines; l += items)
		__builtin_prefetch(p + l / lines * row + l % lines * 64);
}
#else
#define EH_AHEAD(p, n) ((void)0)
#define EH_TILE_AHEAD(p, ld, rows, n, item, items) ((void)0)
#endif

/* bfloat16 by its bits: to nearest even, NaN stays NaN. */
typedef struct { eh_u16 bits; } eh_bf16;
EH_DEVICE_FN float eh_from_bf16_(eh_u16 b)
{
	return eh_float_of_((eh_u32)b << 16);
}
EH_DEVICE_FN eh_u16 eh_to_bf16_(float f)
{
	const eh_u32 u = eh_bits_of_(f);
	const eh_u32 rounded = f != f ? u | 0x400000u : u + 0x7fffu + (u >> 16 & 1u);
	return (eh_u16)(rounded >> 16);
}
#define EH_LOAD_BF16(p, i) eh_from_bf16_((p)[i].bits)
#define EH_STORE_BF16(p, i, x) ((p)[i].bits = eh_to_bf16_(x))

/*
 * The small formats, of 8 and 4 bits, by their bits: storage that is loaded to a float.  E4M3 and E5M2
 * are OCP's, E4M3Z and E5M2Z the forms with one zero and one NaN (fnuz), of which each has one more
 * exponent below.  No value passes through a subnormal float, which devices may flush.  I8 is the
 * integer.  eh_from_e2m1_ takes the low four bits (mxfp4), eh_from_e8m0_ is its block's scale, 2^(b -
 * 127), whose smallest is a subnormal float.
 */
typedef struct { eh_u8 bits; } eh_e4m3;
typedef struct { eh_u8 bits; } eh_e5m2;
typedef struct { eh_u8 bits; } eh_e4m3z;
typedef struct { eh_u8 bits; } eh_e5m2z;
typedef struct { eh_u8 bits; } eh_i8;
typedef struct { eh_u8 bits; } eh_e8m0;
/* A magnitude of `f` bits of fraction and exponent bias `bias`, without its special values. */
#define EH_SMALL_(m, f, bias)                                                                \
	((m) < (1u << (f)) ? (float)(m) * eh_float_of_((eh_u32)(127 + 1 - (bias) - (f)) << 23) \
	                   : eh_float_of_(((m) << (23 - (f))) + ((eh_u32)(127 - (bias)) << 23)))
#define EH_SIGNED_(x, sign) eh_float_of_(eh_bits_of_(x) | (eh_u32)(sign) << 24)
EH_DEVICE_FN float eh_from_e4m3_(eh_u8 b)
{
	const eh_u32 m = b & 0x7fu;
	const float x = m == 0x7fu ? eh_float_of_(0x7fc00000u) : EH_SMALL_(m, 3, 7);
	return EH_SIGNED_(x, b & 0x80u);
}
EH_DEVICE_FN float eh_from_e5m2_(eh_u8 b)
{
	const eh_u32 m = b & 0x7fu;
	const float x = m > 0x7cu    ? eh_float_of_(0x7fc00000u)
	                : m == 0x7cu ? eh_float_of_(0x7f800000u)
	                             : EH_SMALL_(m, 2, 15);
	return EH_SIGNED_(x, b & 0x80u);
}
EH_DEVICE_FN float eh_from_e4m3z_(eh_u8 b)
{
	const eh_u32 m = b & 0x7fu;
	const float x = EH_SMALL_(m, 3, 8);
	return b == 0x80u ? eh_float_of_(0x7fc00000u) : EH_SIGNED_(x, b & 0x80u);
}
EH_DEVICE_FN float eh_from_e5m2z_(eh_u8 b)
{
	const eh_u32 m = b & 0x7fu;
	const float x = EH_SMALL_(m, 2, 16);
	return b == 0x80u ? eh_float_of_(0x7fc00000u) : EH_SIGNED_(x, b & 0x80u);
}
/*
 * These two without branches, also on processors.  A magnitude with its exponent is too large where it
 * is subnormal, and as a subnormal one too large elsewhere: the smaller one is right, and positive
 * floats have the order of their bits.  Of e8m0's 0 and of 255, which is NaN, the fraction is not 0.
 */
#define EH_FROM_E2M1_(name, F, U, float_of, bits_of)                                         \
	EH_DEVICE_FN F name(U bits)                                                          \
	{                                                                                    \
		const U normal = ((bits & 7u) << 22) + (126u << 23);                         \
		const U small = bits_of(float_of(normal) * 2.0f - 1.0f);                     \
		return float_of((small < normal ? small : normal) | (bits & 8u) << 28);      \
	}
EH_FROM_E2M1_(eh_from_e2m1_, float, eh_u32, eh_float_of_, eh_bits_of_)
EH_DEVICE_FN float eh_from_e8m0_(eh_u32 b)
{
	return eh_float_of_(b << 23 | ((b - 1u) >> 31 | (b + 1u) >> 8) << 22);
}
#define EH_LOAD_E4M3(p, i) eh_from_e4m3_((p)[i].bits)
#define EH_LOAD_E5M2(p, i) eh_from_e5m2_((p)[i].bits)
#define EH_LOAD_E4M3Z(p, i) eh_from_e4m3z_((p)[i].bits)
#define EH_LOAD_E5M2Z(p, i) eh_from_e5m2z_((p)[i].bits)
#define EH_LOAD_E8M0(p, i) eh_from_e8m0_((p)[i].bits)
#define EH_LOAD_I8(p, i) ((int)((p)[i].bits ^ 0x80u) - 128)
#define EH_LOAD_I32(p, i) ((p)[i])
#define EH_STORE_I32(p, i, x) ((p)[i] = (x))

/*
 * e^x: the same arithmetic everywhere, of multiplications and additions alone, which a loop over work-items
 * makes vectors of.  eh_exp_ is right within 2 units in the last place of f32; eh_exp_short_ within 6e-6 of
 * the value, for what is kept in 16 bits.  0 below -87, where floats become subnormal; x is at most 88.3, near
 * the largest float's, or NaN, which stays NaN.
 * Adding 1.5 * 2^23 rounds to an integer n, which is then in the low bits; n * 0.693359375 is exact: eight
 * bits by nine.  The polynomials have the least relative error on |r| <= ln(2) / 2 of all of their degree
 * that begin with 1 + r (Remez), 3.1e-9 and 5.4e-6.  Their pairs of terms do not wait for each other.
 */
#define EH_EXP_LONG_(r, s)                                                                   \
	(((1.38144670e-3f * s + (8.36878041e-3f * r + 4.16683942e-2f)) * s +                 \
	  (0.166665201f * r + 0.499999934f)) * s + (r + 1.0f))
#define EH_EXP_SHORT_(r, s)                                                                  \
	((4.12769895e-2f * s + (0.167536874f * r + 0.500051363f)) * s + (r + 1.0f))
#define EH_EXP_OF_(name, T, TO_BITS, TO_FLOAT, POLYNOMIAL)                                   \
	EH_DEVICE_FN T name(T x)                                                             \
	{                                                                                    \
		const T shifted = x * 1.44269504f + 12582912.0f;                             \
		const T n = shifted - 12582912.0f;                                           \
		const T r = (x - n * 0.693359375f) + n * 2.12194440e-4f;                     \
		const T s = r * r;                                                           \
		const T p = POLYNOMIAL(r, s);                                                \
		const T power = TO_FLOAT((TO_BITS(shifted) << 23) + (127u << 23));           \
		return x < -87.0f ? (T)(0.0f) : p * power;                                   \
	}
EH_EXP_OF_(eh_exp_, float, eh_bits_of_, eh_float_of_, EH_EXP_LONG_)
EH_EXP_OF_(eh_exp_short_, float, eh_bits_of_, eh_float_of_, EH_EXP_SHORT_)
#define EH_EXP32(x) eh_exp_(x)

#define EH_LOAD_F32(p, i) ((p)[i])
#define EH_STORE_F32(p, i, x) ((p)[i] = (x))
#define EH_LOAD_F64(p, i) ((p)[i])
#define EH_STORE_F64(p, i, x) ((p)[i] = (x))

/*
 * Spans: the values of a precision in 16 bytes, which are one access of a work-item.  EH_SPAN_P is
 * their number, EH_SPAN_TYPE_P what they are in arithmetic; p is aligned to 16 bytes, and k counts
 * spans.  On the host a span is one value: its accesses are as wide as the vectors of the loop over the work-items.
 */
#if defined(EH_HOST)
#define EH_SPAN_F32 1
#define EH_SPAN_F64 1
#define EH_SPAN_F16 1
#define EH_SPAN_BF16 1
#define EH_SPAN_TYPE_F32 float
#define EH_SPAN_TYPE_F64 double
#define EH_SPAN_TYPE_F16 float
#define EH_SPAN_TYPE_BF16 float
#define EH_LOAD_SPAN_F32 EH_LOAD_F32
#define EH_LOAD_SPAN_F64 EH_LOAD_F64
#define EH_LOAD_SPAN_F16 EH_LOAD_F16
#define EH_LOAD_SPAN_BF16 EH_LOAD_BF16
#define EH_STORE_SPAN_F32 EH_STORE_F32
#define EH_STORE_SPAN_F64 EH_STORE_F64
#define EH_STORE_SPAN_F16 EH_STORE_F16
#define EH_STORE_SPAN_BF16 EH_STORE_BF16
#else
#define EH_SPAN_F32 4
#define EH_SPAN_F64 2
#define EH_SPAN_F16 8
#define EH_SPAN_BF16 8
#define EH_SPAN_TYPE_F32 eh_f32x4
#define EH_SPAN_TYPE_F64 eh_f64x2
#define EH_SPAN_TYPE_F16 eh_f32x8
#define EH_SPAN_TYPE_BF16 eh_f32x8
#define EH_LOAD_SPAN_F32(p, k) eh_copy_of_((EH_GLOBAL const eh_f32x4 *)(p) + (k))
#define EH_STORE_SPAN_F32(p, k, x) (((EH_GLOBAL eh_f32x4 *)(p))[k] = (x))
#define EH_LOAD_SPAN_F64(p, k) eh_copy_of_((EH_GLOBAL const eh_f64x2 *)(p) + (k))
#define EH_STORE_SPAN_F64(p, k, x) (((EH_GLOBAL eh_f64x2 *)(p))[k] = (x))
typedef union { eh_u32x4_ words; eh_u32 word[4]; } eh_words_;
typedef union { eh_f32x8 all; float one[8]; } eh_eight_;
#define EH_SPAN_16_(name, T)                                                                 \
	EH_DEVICE_FN eh_f32x8 eh_load_span_##name##_(EH_GLOBAL const T *p, eh_i64 k)         \
	{                                                                                    \
		eh_words_ from;                                                              \
		eh_eight_ to;                                                                \
		from.words = ((EH_GLOBAL const eh_u32x4_ *)p)[k];                            \
		EH_UNROLL                                                                    \
		for (int i = 0; i < 4; i++) {                                                \
			to.one[2 * i] = eh_from_##name##_((eh_u16)from.word[i]);             \
			to.one[2 * i + 1] = eh_from_##name##_((eh_u16)(from.word[i] >> 16)); \
		}                                                                            \
		return to.all;                                                               \
	}                                                                                    \
	EH_DEVICE_FN void eh_store_span_##name##_(EH_GLOBAL T *p, eh_i64 k, eh_f32x8 x)      \
	{                                                                                    \
		eh_words_ to;                                                                \
		eh_eight_ from;                                                              \
		from.all = x;                                                                \
		EH_UNROLL                                                                    \
		for (int i = 0; i < 4; i++)                                                  \
			to.word[i] = (eh_u32)eh_to_##name##_(from.one[2 * i]) |              \
			             (eh_u32)eh_to_##name##_(from.one[2 * i + 1]) << 16;     \
		((EH_GLOBAL eh_u32x4_ *)p)[k] = to.words;                                    \
	}
#if !defined(EH_LOAD_SPAN_BF16)
EH_SPAN_16_(bf16, eh_bf16)
#define EH_LOAD_SPAN_BF16(p, k) eh_load_span_bf16_((p), (k))
#define EH_STORE_SPAN_BF16(p, k, x) eh_store_span_bf16_((p), (k), (x))
#endif
#if !defined(EH_LOAD_SPAN_F16)
EH_SPAN_16_(f16, eh_f16)
#define EH_LOAD_SPAN_F16(p, k) eh_load_span_f16_((p), (k))
#define EH_STORE_SPAN_F16(p, k, x) eh_store_span_f16_((p), (k), (x))
#endif
#endif

/* e^x of each value of a span. */
#if defined(EH_HOST)
#define EH_EXP_SPAN_F32 eh_exp_
#define EH_EXP_SPAN_F16 eh_exp_short_
#elif defined(EH_OPENCL)
EH_EXP_OF_(eh_exp_4_, float4, as_uint4, as_float4, EH_EXP_LONG_)
EH_EXP_OF_(eh_exp_short_8_, float8, as_uint8, as_float8, EH_EXP_SHORT_)
#define EH_EXP_SPAN_F32 eh_exp_4_
#define EH_EXP_SPAN_F16 eh_exp_short_8_
#if defined(EH_IN_TURN)
/*
 * Sixteen values at a time, which any processor makes its vectors of; p is aligned as its elements are.  Those of
 * BF16 are in the order of the halves of words, first all the low ones, so that none has to be moved.
 */
EH_EXP_OF_(eh_exp_16_, float16, as_uint16, as_float16, EH_EXP_LONG_)
EH_EXP_OF_(eh_exp_short_16_, float16, as_uint16, as_float16, EH_EXP_SHORT_)
#define EH_EXP_16_F32 eh_exp_16_
#define EH_EXP_16_F16 eh_exp_short_16_
#define EH_EXP_16_BF16 eh_exp_short_16_
#define EH_LOAD_16_F32(p, k) vload16((size_t)(k), (p))
#define EH_LOAD_16_F16(p, k) vload_half16((size_t)(k), (p))
#define EH_LOAD_16_BF16(p, k) eh_load_16_bf16_(vload8((size_t)(k), (__global const uint *)(p)))
#define EH_STORE_16_F32(p, k, x) vstore16((x), (size_t)(k), (p))
#define EH_STORE_16_F16(p, k, x) vstore_half16_rte((x), (size_t)(k), (p))
#define EH_STORE_16_BF16(p, k, x) vstore8(eh_store_16_bf16_(x), (size_t)(k), (__global uint *)(p))
EH_DEVICE_FN float16 eh_load_16_bf16_(uint8 words)
{
	return (float16)(as_float8(words << 16), as_float8(words & 0xffff0000u));
}
EH_DEVICE_FN uint8 eh_store_16_bf16_(float16 x)
{
	return eh_bf16x8_rounded_(x.lo) >> 16 | (eh_bf16x8_rounded_(x.hi) & 0xffff0000u);
}
#endif
#else
#define EH_EXP_EACH_(name, n, of_one)                                                        \
	EH_DEVICE_FN eh_f32x##n name(eh_f32x##n x)                                           \
	{                                                                                    \
		union { eh_f32x##n all; float one[n]; } t;                                   \
		t.all = x;                                                                   \
		EH_UNROLL                                                                    \
		for (int i = 0; i < n; i++)                                                  \
			t.one[i] = of_one(t.one[i]);                                         \
		return t.all;                                                                \
	}
EH_EXP_EACH_(eh_exp_4_, 4, eh_exp_)
EH_EXP_EACH_(eh_exp_short_8_, 8, eh_exp_short_)
#define EH_EXP_SPAN_F32 eh_exp_4_
#define EH_EXP_SPAN_F16 eh_exp_short_8_
#endif
#define EH_EXP_SPAN_BF16 EH_EXP_SPAN_F16

/* The small formats one at a time. */
#define EH_SPAN_TF32 EH_SPAN_F32
#define EH_SPAN_TYPE_TF32 EH_SPAN_TYPE_F32
#define EH_LOAD_TF32 EH_LOAD_F32
#define EH_LOAD_SPAN_TF32 EH_LOAD_SPAN_F32
#define EH_SPAN_E4M3 1
#define EH_SPAN_E5M2 1
#define EH_SPAN_E4M3Z 1
#define EH_SPAN_E5M2Z 1
#define EH_SPAN_I8 1
#define EH_SPAN_TYPE_E4M3 float
#define EH_SPAN_TYPE_E5M2 float
#define EH_SPAN_TYPE_E4M3Z float
#define EH_SPAN_TYPE_E5M2Z float
#define EH_SPAN_TYPE_I8 int
#define EH_LOAD_SPAN_E4M3 EH_LOAD_E4M3
#define EH_LOAD_SPAN_E5M2 EH_LOAD_E5M2
#define EH_LOAD_SPAN_E4M3Z EH_LOAD_E4M3Z
#define EH_LOAD_SPAN_E5M2Z EH_LOAD_E5M2Z
#define EH_LOAD_SPAN_I8 EH_LOAD_I8

/* The work-item's index along x in the whole grid, for groups of `x` items along x. */
#if !defined(EH_GLOBAL_ID)
#define EH_GLOBAL_ID(x) ((eh_i64)EH_GROUP(0) * (x) + EH_LID(0))
#endif

/*
 * Zero, but on an OpenCL device that is a processor the compiler believes that it differs between
 * work-items.  PoCL turns a loop with bounds that are the same for all into one around the whole
 * group, and then keeps the loop's variables in memory; started at EH_ITEM_ZERO it stays inside.
 */
#if !defined(EH_ITEM_ZERO)
#define EH_ITEM_ZERO 0
#endif

/*
 * The place in memory that the work-item takes in step j of n, in groups of x work-items: a group has
 * n * x places in a row.  In a step neighbours take neighbours; on PoCL, where work-items run one
 * after the other, the steps of one item are neighbours instead.
 */
#if !defined(EH_STEP)
#define EH_STEP(j, n, x) (EH_GLOBAL_ID(x) + ((eh_i64)EH_GROUP(0) * ((n) - 1) + (j)) * (x))
#endif

#define EH_JOIN_(a, b) a##b
#define EH_JOIN(a, b) EH_JOIN_(a, b)

#if !defined(EH_HOST)

#define EH_ITEMS(x, y, z) {
#define EH_END }
#define EH_PRIVATE(T, name, n) T name
#define EH_P(name) name
#define EH_ENTRY(name, types)

#else

/* The place is copied into the region: nothing stored in it can then change it, and the loops
 * vectorise. */
#define EH_ITEMS(x, y, z)                                                                    \
	{                                                                                    \
		const eh_place_type_ eh_place_copy_ = eh_place_;                             \
		const eh_place_type_ eh_place_ = eh_place_copy_;                             \
		(void)eh_place_;                                                             \
		for (int eh_z_ = 0; eh_z_ < (z); eh_z_++)                                    \
			for (int eh_y_ = 0; eh_y_ < (y); eh_y_++)                            \
				for (int eh_x_ = 0; eh_x_ < (x); eh_x_++) {                  \
					const int eh_item_ = (eh_z_ * (y) + eh_y_) * (x) + eh_x_; \
					(void)eh_item_;
#define EH_END                                                                               \
	}                                                                                    \
	}
#define EH_PRIVATE(T, name, n) __attribute__((aligned(64))) T name[n]
#define EH_P(name) name[eh_item_]

/*
 * The host's way in: void NAME_entry(void **args, const int32_t groups[3], int64_t first,
 * int64_t end) runs the groups first..end-1, counted with x fastest; args[i] points at the value
 * of argument i, for a buffer at a variable that holds its address.  Up to 20 arguments.
 */
#define EH_ENTRY(name, types)                                                                \
	__attribute__((visibility("default"))) EH_WIDE_ void name##_entry(                   \
		void **args, const __INT32_TYPE__ groups[3], eh_i64 first, eh_i64 end);      \
	__attribute__((visibility("default"))) EH_WIDE_ void name##_entry(                   \
		void **args, const __INT32_TYPE__ groups[3], eh_i64 first, eh_i64 end)       \
	{                                                                                    \
		int x = (int)(first % groups[0]);                                            \
		int y = (int)(first / groups[0] % groups[1]);                                \
		int z = (int)(first / groups[0] / groups[1]);                                \
		(void)args;                                                                  \
		for (int d = 0; d < 3; d++)                                                  \
			eh_place_.groups[d] = groups[d];                                     \
		for (eh_i64 g = first; g < end; g++) {                                       \
			eh_place_.group[0] = x;                                              \
			eh_place_.group[1] = y;                                              \
			eh_place_.group[2] = z;                                              \
			name(EH_ARGS_ types);                                                \
			if (++x == groups[0]) {                                              \
				x = 0;                                                       \
				if (++y == groups[1]) {                                      \
					y = 0;                                               \
					z++;                                                 \
				}                                                            \
			}                                                                    \
		}                                                                            \
	}

#define EH_ARGS_(...) EH_JOIN(EH_ARGS_, EH_COUNT_(__VA_ARGS__))(__VA_ARGS__)
#define EH_COUNT_(...)                                                                       \
	EH_COUNT_20_(0, ##__VA_ARGS__, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, \
	             4, 3, 2, 1, 0, 0)
#define EH_COUNT_20_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
                     a17, a18, a19, a20, n, ...)                                             \
	n
#define EH_ARG_(T, i) (*(T *)args[i])
#define EH_ARGS_0(...)
#define EH_ARGS_1(A) EH_ARG_(A, 0)
#define EH_ARGS_2(A, B) EH_ARGS_1(A), EH_ARG_(B, 1)
#define EH_ARGS_3(A, B, C) EH_ARGS_2(A, B), EH_ARG_(C, 2)
#define EH_ARGS_4(A, B, C, D) EH_ARGS_3(A, B, C), EH_ARG_(D, 3)
#define EH_ARGS_5(A, B, C, D, E) EH_ARGS_4(A, B, C, D), EH_ARG_(E, 4)
#define EH_ARGS_6(A, B, C, D, E, F) EH_ARGS_5(A, B, C, D, E), EH_ARG_(F, 5)
#define EH_ARGS_7(A, B, C, D, E, F, G) EH_ARGS_6(A, B, C, D, E, F), EH_ARG_(G, 6)
#define EH_ARGS_8(A, B, C, D, E, F, G, H) EH_ARGS_7(A, B, C, D, E, F, G), EH_ARG_(H, 7)
#define EH_ARGS_9(A, B, C, D, E, F, G, H, I) EH_ARGS_8(A, B, C, D, E, F, G, H), EH_ARG_(I, 8)
#define EH_ARGS_10(A, B, C, D, E, F, G, H, I, J)                                             \
	EH_ARGS_9(A, B, C, D, E, F, G, H, I), EH_ARG_(J, 9)
#define EH_ARGS_11(A, B, C, D, E, F, G, H, I, J, K)                                          \
	EH_ARGS_10(A, B, C, D, E, F, G, H, I, J), EH_ARG_(K, 10)
#define EH_ARGS_12(A, B, C, D, E, F, G, H, I, J, K, L)                                       \
	EH_ARGS_11(A, B, C, D, E, F, G, H, I, J, K), EH_ARG_(L, 11)
#define EH_ARGS_13(A, B, C, D, E, F, G, H, I, J, K, L, M)                                    \
	EH_ARGS_12(A, B, C, D, E, F, G, H, I, J, K, L), EH_ARG_(M, 12)
#define EH_ARGS_14(A, B, C, D, E, F, G, H, I, J, K, L, M, N)                                 \
	EH_ARGS_13(A, B, C, D, E, F, G, H, I, J, K, L, M), EH_ARG_(N, 13)
#define EH_ARGS_15(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O)                              \
	EH_ARGS_14(A, B, C, D, E, F, G, H, I, J, K, L, M, N), EH_ARG_(O, 14)
#define EH_ARGS_16(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P)                           \
	EH_ARGS_15(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O), EH_ARG_(P, 15)
#define EH_ARGS_17(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q)                        \
	EH_ARGS_16(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P), EH_ARG_(Q, 16)
#define EH_ARGS_18(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R)                     \
	EH_ARGS_17(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q), EH_ARG_(R, 17)
#define EH_ARGS_19(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S)                  \
	EH_ARGS_18(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R), EH_ARG_(S, 18)
#define EH_ARGS_20(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T)               \
	EH_ARGS_19(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S), EH_ARG_(T, 19)

#endif

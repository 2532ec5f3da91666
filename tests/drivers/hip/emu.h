/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands behind emu_block.h in front of a HIP text, which then is C++ for this machine: the words
 * of the HIP branch of the dialect, and the check of every load and store.  Those come from the
 * compiler, which calls the functions that a race detector would have.
 */
#define __HIP__ 1
#define __device__
#define __global__
#define __shared__ static __attribute__((section("emu_shared")))
#define EMU_UNCHECKED __attribute__((no_sanitize("thread")))
typedef unsigned long long emu_u64;

static struct emu_block *emu_now;
static char emu_shared_first __attribute__((used, section("emu_shared"), aligned(16)));
extern "C" char __start_emu_shared[] __attribute__((visibility("hidden")));
extern "C" char __stop_emu_shared[] __attribute__((visibility("hidden")));
extern "C" char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" char _end[] __attribute__((visibility("hidden")));

#define EMU_PLACE(name, value)                                                                \
	EMU_UNCHECKED static inline unsigned emu_##name##_x(void) { return value(0); }        \
	EMU_UNCHECKED static inline unsigned emu_##name##_y(void) { return value(1); }        \
	EMU_UNCHECKED static inline unsigned emu_##name##_z(void) { return value(2); }
#define EMU_ITEM(d) emu_now->item[d]
#define EMU_GROUP(d) emu_now->group[d]
#define EMU_SIZE(d) emu_now->size[d]
#define EMU_GRID(d) emu_now->size[d] * emu_now->groups[d]
EMU_PLACE(workitem_id, EMU_ITEM)
EMU_PLACE(workgroup_id, EMU_GROUP)
EMU_PLACE(workgroup_size, EMU_SIZE)
EMU_PLACE(grid_size, EMU_GRID)
EMU_UNCHECKED static inline void emu_barrier(void)
{
	emu_now->barrier(emu_now);
}
#define __builtin_amdgcn_workitem_id_x emu_workitem_id_x
#define __builtin_amdgcn_workitem_id_y emu_workitem_id_y
#define __builtin_amdgcn_workitem_id_z emu_workitem_id_z
#define __builtin_amdgcn_workgroup_id_x emu_workgroup_id_x
#define __builtin_amdgcn_workgroup_id_y emu_workgroup_id_y
#define __builtin_amdgcn_workgroup_id_z emu_workgroup_id_z
#define __builtin_amdgcn_workgroup_size_x emu_workgroup_size_x
#define __builtin_amdgcn_workgroup_size_y emu_workgroup_size_y
#define __builtin_amdgcn_workgroup_size_z emu_workgroup_size_z
#define __builtin_amdgcn_grid_size_x emu_grid_size_x
#define __builtin_amdgcn_grid_size_y emu_grid_size_y
#define __builtin_amdgcn_grid_size_z emu_grid_size_z
#define __builtin_amdgcn_fence(order, scope) ((void)0)
#define __builtin_amdgcn_s_barrier emu_barrier

/* One item runs at a time. */
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __hip_atomic_fetch_add(p, v, order, scope) emu_fetch_add((p), (v))
template <typename T, typename U> static inline T emu_fetch_add(T *p, U v)
{
	T old = *p;
	*p = (T)(old + (T)v);
	return old;
}

/* Half precision for compilers that have none here; to nearest even. */
struct emu_half {
	unsigned short bits;
	emu_half() = default;
	explicit emu_half(float f)
	{
		unsigned u, sign, r;
		__builtin_memcpy(&u, &f, 4);
		sign = u >> 16 & 0x8000u;
		u &= 0x7fffffffu;
		if (u > 0x7f800000u) {
			r = 0x7e00u;
		} else if (u >= 0x477ff000u) {
			r = 0x7c00u;
		} else if (u >= 0x38800000u) {
			r = (u - 0x38000000u + 0xfffu + (u >> 13 & 1u)) >> 13;
		} else {
			const unsigned shift = 126u - (u >> 23);
			const unsigned long long whole = (u & 0x7fffffu) | 0x800000u;
			const unsigned long long half = shift < 40 ? 1ull << (shift - 1) : 0;
			r = shift >= 40 ? 0u
			                : (unsigned)((whole + half - 1 + (whole >> shift & 1u)) >> shift);
		}
		bits = (unsigned short)(r | sign);
	}
	explicit operator float() const
	{
		const unsigned magnitude = (bits & 0x7fffu);
		unsigned u;
		float f;
		if (magnitude >= 0x7c00u)
			u = magnitude << 13 | 0x7f800000u;
		else if (magnitude >= 0x400u)
			u = (magnitude << 13) + 0x38000000u;
		else {
			f = (float)magnitude * 0x1p-24f;
			__builtin_memcpy(&u, &f, 4);
		}
		u |= (bits & 0x8000u) << 16;
		__builtin_memcpy(&f, &u, 4);
		return f;
	}
};
/* A float holds twice the bits of a half and more, so rounding the float's result is right. */
static inline emu_half operator*(emu_half a, emu_half b) { return emu_half((float)a * (float)b); }
static inline emu_half operator+(emu_half a, emu_half b) { return emu_half((float)a + (float)b); }
#define _Float16 emu_half

/* ---- every load and store ---- */

EMU_UNCHECKED static inline void emu_touch(const void *p, emu_u64 bytes, bool store)
{
	struct emu_block *const b = emu_now;
	const emu_u64 address = (emu_u64)p, granule = 1ull << b->granule_bits;
	emu_u64 at = address - b->base, left = bytes;

	if (at >= b->span) {
		if (!(address >= b->stack && bytes <= b->stack_end - address) &&
		    !(address >= (emu_u64)__ehdr_start && address + bytes <= (emu_u64)_end))
			b->fault(b);
		return;
	}
	if (!(b->allowed >> (at >> b->slice_bits) & 1))
		b->fault(b);
	while (left > 0) {
		const emu_u64 in = at & (granule - 1);
		const emu_u64 here = left < granule - in ? left : granule - in;

		if (in + here > b->shadow[at >> b->granule_bits])
			b->fault(b);
		at += here;
		left -= here;
	}
	if (store) {
		b->written = address;
		b->written_bytes = (unsigned)bytes;
	}
}

/* By their labels: some compilers declare them by themselves, each in its way. */
#define EMU_HOOK(name, arguments)                                                             \
	extern "C" void emu_##name arguments __asm__("__tsan_" #name);                        \
	extern "C" EMU_UNCHECKED void emu_##name arguments
#define EMU_HOOKS(n)                                                                          \
	EMU_HOOK(read##n, (void *p)) { emu_touch(p, n, false); }                              \
	EMU_HOOK(write##n, (void *p)) { emu_touch(p, n, true); }                              \
	EMU_HOOK(unaligned_read##n, (void *p)) { emu_touch(p, n, false); }                    \
	EMU_HOOK(unaligned_write##n, (void *p)) { emu_touch(p, n, true); }
EMU_HOOKS(1)
EMU_HOOKS(2)
EMU_HOOKS(4)
EMU_HOOKS(8)
EMU_HOOKS(16)
EMU_HOOK(read_range, (void *p, emu_u64 n)) { emu_touch(p, n, false); }
EMU_HOOK(write_range, (void *p, emu_u64 n)) { emu_touch(p, n, true); }
EMU_HOOK(init, (void)) {}
EMU_HOOK(func_entry, (void *)) {}
EMU_HOOK(func_exit, (void)) {}
#define EMU_COPY(name)                                                                        \
	extern "C" void *emu_##name(void *to, const void *from, emu_u64 n) __asm__("__tsan_" #name); \
	extern "C" EMU_UNCHECKED void *emu_##name(void *to, const void *from, emu_u64 n)      \
	{                                                                                     \
		emu_touch(from, n, false);                                                    \
		emu_touch(to, n, true);                                                       \
		return __builtin_##name(to, from, n);                                         \
	}
EMU_COPY(memcpy)
EMU_COPY(memmove)
extern "C" void *emu_memset(void *to, int c, emu_u64 n) __asm__("__tsan_memset");
extern "C" EMU_UNCHECKED void *emu_memset(void *to, int c, emu_u64 n)
{
	emu_touch(to, n, true);
	return __builtin_memset(to, c, n);
}

/* ---- the way in: arguments by the address of each, pointers without their tag ---- */

template <typename T> struct emu_argument {
	EMU_UNCHECKED static T get(void *p) { return *(T *)p; }
};
template <typename T> struct emu_argument<T *> {
	EMU_UNCHECKED static T *get(void *p) { return (T *)(*(emu_u64 *)p & ~emu_now->tag); }
};
template <int... I> struct emu_places {};
template <int N, int... I> struct emu_count : emu_count<N - 1, N - 1, I...> {};
template <int... I> struct emu_count<0, I...> {
	typedef emu_places<I...> places;
};
template <typename... A, int... I>
EMU_UNCHECKED static inline void emu_call(void (*f)(A...), void **p, emu_places<I...>)
{
	(void)p;
	f(emu_argument<A>::get(p[I])...);
}
template <typename... A> EMU_UNCHECKED static inline void emu_call(void (*f)(A...), void **p)
{
	emu_call(f, p, typename emu_count<(int)sizeof...(A)>::places());
}
template <typename... A> struct emu_sizes {
	static constexpr unsigned count = sizeof...(A);
	static constexpr unsigned bytes[sizeof...(A) + 1] = { (unsigned)sizeof(A)..., 0 };
};
template <typename... A> constexpr emu_sizes<A...> emu_sizes_of(void (*)(A...));

/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of triad, a = b + s*c, to stand beside stream's own text: which values an item takes. */

/* One value, as BabelStream's kernels do. */
__kernel void one(__global float *restrict a, __global const float *restrict b,
                  __global const float *restrict c, float s)
{
	const size_t i = get_global_id(0);

	a[i] = b[i] + s * c[i];
}

/* Four values in a row, one by one. */
__kernel void four(__global float *restrict a, __global const float *restrict b,
                   __global const float *restrict c, float s)
{
	const size_t i = get_global_id(0) * 4;

	for (int k = 0; k < 4; k++)
		a[i + k] = b[i + k] + s * c[i + k];
}

/* Four values in a row as a vector. */
__kernel void vector(__global float4 *restrict a, __global const float4 *restrict b,
                     __global const float4 *restrict c, float s)
{
	const size_t i = get_global_id(0);

	a[i] = b[i] + s * c[i];
}

/* Four values, one group's size apart. */
__kernel void strided(__global float *restrict a, __global const float *restrict b,
                      __global const float *restrict c, float s)
{
	const size_t first = get_group_id(0) * get_local_size(0) * 4 + get_local_id(0);

	for (int k = 0; k < 4; k++) {
		const size_t i = first + k * get_local_size(0);

		a[i] = b[i] + s * c[i];
	}
}

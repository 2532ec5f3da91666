/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

static uint64_t mix(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int by)
{
	return (x << by) | (x >> (64 - by));
}

void random_seed(random_state *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = mix(&seed);
}

uint64_t random_next(random_state *r)
{
	uint64_t result = rotate(r->s[1] * 5, 7) * 9;
	uint64_t t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rotate(r->s[3], 45);
	return result;
}

uint64_t random_below(random_state *r, uint64_t limit)
{
	/* 2^64 mod limit: values below it would make the first residues likelier. */
	uint64_t unfair = (0 - limit) % limit;
	uint64_t x;

	do
		x = random_next(r);
	while (x < unfair);
	return x % limit;
}

double random_unit(random_state *r)
{
	return (double)(random_next(r) >> 11) * 0x1p-53;
}

void random_shuffle(random_state *r, size_t *items, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)random_below(r, i);
		size_t kept = items[i - 1];

		items[i - 1] = items[j];
		items[j] = kept;
	}
}

uint64_t random_derive(uint64_t seed, const char *purpose, uint64_t index)
{
	uint64_t state = seed;
	uint64_t named = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (const char *p = purpose; *p != '\0'; p++)
		named = (named ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	state = mix(&state) ^ named;
	state = mix(&state) ^ index;
	return mix(&state);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which tokens go to which experts: the numbers of rows follow from the case alone, who they are from
 * the seed. */
#ifndef WORKLOADS_MOE_ROUTE_H
#define WORKLOADS_MOE_ROUTE_H

#include "../support.h"

#define MOE_EXPERTS 1024 /* at most */

/* In the order of the parameter. */
enum moe_skew { MOE_UNIFORM, MOE_ZIPF, MOE_ONE };

/* How many rows each expert has, by rank: the first has most. */
typedef struct moe_loads {
	uint64_t tokens, top;      /* top different experts for each token                       */
	uint32_t experts;          /* at least top                                               */
	uint32_t rows[MOE_EXPERTS];
} moe_loads;

/* A tile of rows, as the kernel reads it. */
typedef struct moe_tile {
	int32_t expert, first, end; /* rows first .. end - 1, of which the tile has the first ones */
} moe_tile;

typedef struct moe_route {
	uint64_t rows, tile_count; /* tokens * top; tiles of all experts                         */
	uint32_t experts;
	uint32_t *first;           /* of experts + 1: the expert's rows are first[e] .. first[e+1] - 1 */
	int32_t *token;            /* of each row, rising within an expert                       */
	moe_tile *tile;
	uint32_t *place;           /* scratch: a random place of each token                      */
} moe_route;

/*
 * Spreads tokens * top rows over the experts, none more than `tokens`: to rank r in proportion to
 * (r + 1)^-(halves / 2), so evenly for 0, rounded from the first rank on so that the sum is exact; with
 * MOE_ONE all to the first `top`.  tokens, top and experts of *l are set.
 */
void moe_spread(moe_loads *l, enum moe_skew skew, uint32_t halves);
/* Experts with rows, and tiles of at most tile_m rows. */
uint64_t moe_active(const moe_loads *l);
uint64_t moe_tiles(const moe_loads *l, uint64_t tile_m);

/* Room for routes of these loads; *r is zeroed, and is freed with moe_route_free after a failure too. */
eh_status moe_route_make(moe_route *r, const moe_loads *l, uint64_t tile_m);
void moe_route_free(moe_route *r);
/*
 * The route of a variant, by the seed of the bench: each token to `top` different experts, the rows of
 * an expert behind each other.  Loads stay; which expert has which, and which tokens, changes.
 */
void moe_route_draw(moe_route *r, const eh_bench *bench, const moe_loads *l, uint64_t tile_m,
                    uint32_t variant);

#endif

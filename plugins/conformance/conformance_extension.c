/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the extensions (evenhand/extensions.h). */
#include <stdlib.h>
#include <string.h>

#include "evenhand/extensions.h"
#include "conformance_kit.h"

enum { COUNT = 4096, BYTES = COUNT * 4, GROUP = 64 };

static const void *extension(kit *k, const char *name)
{
	const void *table = NULL;

	if (EH_HAS(k->ops, eh_backend_ops, extension))
		table = k->ops->extension(k->self, name);
	if (table == NULL)
		kit_skip(k, "%s is not offered", name);
	return table;
}

/* ---- eh.graph.1 ---------------------------------------------------------------------------- */

static const eh_graph_ops *graphs(kit *k)
{
	const eh_graph_ops *g = extension(k, EH_GRAPH_NAME);
	eh_status status;

	if (g == NULL)
		return NULL;
	if (!EH_HAS(g, eh_graph_ops, available) || !EH_HAS(g, eh_graph_ops, begin) ||
	    !EH_HAS(g, eh_graph_ops, end) || !EH_HAS(g, eh_graph_ops, launch) ||
	    !EH_HAS(g, eh_graph_ops, destroy)) {
		kit_fail(k, "the table of %s lacks a function", EH_GRAPH_NAME);
		return NULL;
	}
	status = g->available(k->device, &k->error);
	if (status == EH_E_UNSUPPORTED) {
		kit_skip(k, "%.*s", (int)sizeof(k->error.message), k->error.message);
		return NULL;
	}
	return kit_ok(k, "graph available", status) ? g : NULL;
}

typedef struct scene {
	const eh_graph_ops *g;
	eh_kernel *affine;
	eh_buffer *a, *b;      /* COUNT words each                                              */
	uint32_t words[COUNT];
} scene;

/* Makes the buffers a and b, with 1 in every word. */
static bool set(kit *k, scene *s)
{
	s->g = graphs(k);
	return s->g != NULL && kit_kernel(k, "cf_affine", &s->affine) &&
	       kit_buffer(k, EH_MEMORY_DEVICE, BYTES, &s->a) &&
	       kit_buffer(k, EH_MEMORY_DEVICE, BYTES, &s->b) && kit_fill(k, s->a, 0, BYTES, 1) &&
	       kit_fill(k, s->b, 0, BYTES, 1) && kit_wait(k);
}

static bool begin(kit *k, const scene *s)
{
	return kit_ok(k, "graph begin", s->g->begin(k->queue, &k->error));
}

static bool end(kit *k, const scene *s, eh_graph **graph)
{
	*graph = NULL;
	if (!kit_ok(k, "graph end", s->g->end(k->queue, graph, &k->error)))
		return false;
	if (*graph == NULL)
		kit_fail(k, "graph end succeeded and gave no graph");
	return *graph != NULL;
}

static bool run(kit *k, const scene *s, eh_graph *graph)
{
	return kit_ok(k, "graph launch", s->g->launch(k->queue, graph, &k->error));
}

/* to[i] = from[i] * factor + addend */
static bool affine(kit *k, const scene *s, eh_buffer *to, eh_buffer *from, uint32_t factor,
                   uint32_t addend)
{
	const uint32_t n = COUNT;
	const eh_arg args[] = { ARG_BUFFER(to), ARG_BUFFER(from), ARG_VALUE(factor),
		                ARG_VALUE(addend), ARG_VALUE(n) };

	return kit_launch_x(k, s->affine, COUNT / GROUP, GROUP, args, 5);
}

/* Waits and checks every word of the buffer. */
static bool holds(kit *k, scene *s, eh_buffer *b, uint32_t want, const char *when)
{
	if (!kit_download(k, s->words, b, 0, BYTES))
		return false;
	for (size_t i = 0; i < COUNT; i++) {
		if (s->words[i] == want)
			continue;
		kit_fail(k, "%s: word %zu is %u instead of %u", when, i, (unsigned)s->words[i],
		         (unsigned)want);
		return false;
	}
	return true;
}

/* Destroys the graph, also after a failed test. */
static void put_away(kit *k, const scene *s, eh_graph *graph)
{
	if (graph == NULL)
		return;
	(void)k->ops->queue_wait(k->queue, NULL);
	s->g->destroy(graph);
}

void conformance_graph_records(kit *k)
{
	scene *s = kit_memory(sizeof(*s));
	eh_graph *graph = NULL;

	if (!set(k, s) || !begin(k, s))
		goto done;
	if (!affine(k, s, s->b, s->a, 3, 4) || !end(k, s, &graph))
		goto done;
	if (!holds(k, s, s->b, 1, "after recording, before a launch of the graph"))
		goto done;
	if (run(k, s, graph) && holds(k, s, s->b, 7, "after a launch of the graph"))
		(void)holds(k, s, s->a, 1, "the graph's input");
done:
	put_away(k, s, graph);
	kit_settle(k);
	free(s);
}

void conformance_graph_order(kit *k)
{
	scene *s = kit_memory(sizeof(*s));
	eh_graph *graph = NULL;

	/* Each command needs the one before it: 5 -> b, 5*2+1 = 11 -> a, 11 -> b, 11*3+2 = 35 -> a */
	if (!set(k, s) || !begin(k, s))
		goto done;
	if (!kit_fill(k, s->b, 0, BYTES, 5) || !affine(k, s, s->a, s->b, 2, 1) ||
	    !kit_copy(k, s->b, 0, s->a, 0, BYTES) || !affine(k, s, s->a, s->b, 3, 2) ||
	    !end(k, s, &graph))
		goto done;
	for (int i = 0; i < 3; i++)
		if (!kit_fill(k, s->a, 0, BYTES, 100 + (uint32_t)i) || !run(k, s, graph) ||
		    !holds(k, s, s->a, 35, "the end of a chain of four commands") ||
		    !holds(k, s, s->b, 11, "its middle"))
			goto done;
done:
	put_away(k, s, graph);
	kit_settle(k);
	free(s);
}

void conformance_graph_arguments(kit *k)
{
	scene *s = kit_memory(sizeof(*s));
	eh_graph *first = NULL, *second = NULL;

	if (!set(k, s) || !begin(k, s))
		goto done;
	if (!affine(k, s, s->b, s->a, 2, 5) || !end(k, s, &first) || !begin(k, s))
		goto done;
	if (!affine(k, s, s->b, s->a, 10, 20) || !end(k, s, &second))
		goto done;
	/* The plain launch sets other arguments. */
	if (affine(k, s, s->b, s->a, 100, 1) && holds(k, s, s->b, 101, "a plain launch") &&
	    run(k, s, first) && holds(k, s, s->b, 7, "the first graph") && run(k, s, second) &&
	    holds(k, s, s->b, 30, "the second graph") && run(k, s, first))
		(void)holds(k, s, s->b, 7, "the first graph again");
done:
	put_away(k, s, first);
	put_away(k, s, second);
	kit_settle(k);
	free(s);
}

void conformance_graph_many(kit *k)
{
	enum { NODES = 100, LAUNCHES = 20 };
	scene *s = kit_memory(sizeof(*s));
	eh_graph *graph = NULL;

	if (!set(k, s) || !begin(k, s))
		goto done;
	for (int i = 0; i < NODES; i++)
		if (!affine(k, s, s->a, s->a, 1, 1))
			goto done;
	if (!end(k, s, &graph))
		goto done;
	/* No wait in between, but plain launches. */
	for (int i = 0; i < LAUNCHES; i++)
		if (!run(k, s, graph) || !affine(k, s, s->a, s->a, 1, 1))
			goto done;
	(void)holds(k, s, s->a, 1 + LAUNCHES * (NODES + 1), "after 20 launches of 100 kernels");
done:
	put_away(k, s, graph);
	kit_settle(k);
	free(s);
}

void conformance_graph_given_up(kit *k)
{
	scene *s = kit_memory(sizeof(*s));
	eh_graph *graph = NULL;

	if (!set(k, s) || !begin(k, s))
		goto done;
	if (!affine(k, s, s->b, s->a, 3, 4) ||
	    !kit_ok(k, "graph end without a graph", s->g->end(k->queue, NULL, &k->error)) ||
	    !holds(k, s, s->b, 1, "after a recording that was given up") || !begin(k, s))
		goto done;
	if (!kit_expect(k, "graph end of nothing", s->g->end(k->queue, &graph, &k->error),
	                EH_E_INVALID_ARGUMENT))
		goto done;
	if (affine(k, s, s->b, s->a, 3, 4))
		(void)holds(k, s, s->b, 7, "a plain launch after it");
	s->g->destroy(NULL);
done:
	put_away(k, s, graph);
	kit_settle(k);
	free(s);
}

/* ---- eh.peer.1 ------------------------------------------------------------------------------ */

typedef struct pair {
	const eh_peer_ops *p;
	eh_peer_link *link;
	eh_device *other;
	eh_queue *queue;       /* of the other                                                  */
	eh_buffer *here, *there;
} pair;

static void leave(pair *p)
{
	if (p->link != NULL)
		p->p->disconnect(p->link);
	p->link = NULL;
}

static void part(kit *k, pair *p)
{
	if (p->other == NULL)
		return;
	(void)k->ops->queue_wait(k->queue, NULL);
	leave(p);
	if (p->there != NULL)
		k->ops->buffer_free(p->there);
	if (p->queue != NULL)
		k->ops->queue_destroy(p->queue);
	k->ops->device_close(p->other);
}

/* Opens the next device; after the last comes the first. */
static bool meet(kit *k, pair *p)
{
	uint32_t count = 0, index;

	memset(p, 0, sizeof(*p));
	p->p = extension(k, EH_PEER_NAME);
	if (p->p == NULL)
		return false;
	if (!EH_HAS(p->p, eh_peer_ops, connect) || !EH_HAS(p->p, eh_peer_ops, describe) ||
	    !EH_HAS(p->p, eh_peer_ops, copy) || !EH_HAS(p->p, eh_peer_ops, queue_wait_mark) ||
	    !EH_HAS(p->p, eh_peer_ops, disconnect)) {
		kit_fail(k, "the table of %s lacks a function", EH_PEER_NAME);
		return false;
	}
	if (!kit_ok(k, "device_count", k->ops->device_count(k->self, &count, &k->error)))
		return false;
	if (count < 2) {
		kit_skip(k, "there is one device");
		return false;
	}
	index = (k->trial->device + 1) % count;
	return kit_ok(k, "device_open of the other",
	              k->ops->device_open(k->self, index, &p->other, &k->error)) &&
	       kit_ok(k, "queue_create on the other",
	              k->ops->queue_create(p->other, EH_TIMED, &p->queue, &k->error)) &&
	       kit_ok(k, "buffer_alloc on the other",
	              k->ops->buffer_alloc(p->other, EH_MEMORY_DEVICE, BYTES, &p->there,
	                                   &k->error)) &&
	       kit_buffer(k, EH_MEMORY_DEVICE, BYTES, &p->here);
}

/* Whether the two are connected so; direct copies need not be offered. */
static bool reach(kit *k, pair *p, uint32_t how)
{
	const eh_status status = p->p->connect(k->device, p->other, how, &p->link, &k->error);
	const char *text;

	if (status == EH_E_UNSUPPORTED && how == EH_PEER_DIRECT && k->error.message[0] != '\0')
		return false;
	if (!kit_ok(k, "peer connect", status))
		return false;
	text = p->p->describe(p->link);
	if (text == NULL || text[0] == '\0')
		kit_fail(k, "peer describe gave no text");
	return text != NULL && text[0] != '\0';
}

/* To the other device, and back to another offset. */
static void there_and_back(kit *k, pair *p, uint64_t seed)
{
	unsigned char *want = kit_memory(BYTES), *got = kit_memory(BYTES);

	kit_pattern(want, BYTES, seed);
	if (kit_upload(k, p->here, 0, want, BYTES) &&
	    kit_ok(k, "peer copy",
	           p->p->copy(k->queue, p->link, p->there, 0, p->here, 0, BYTES, &k->error)) &&
	    kit_wait(k) && kit_fill(k, p->here, 0, BYTES, 0xeeeeeeee) &&
	    kit_ok(k, "peer copy back",
	           p->p->copy(k->queue, p->link, p->here, 64, p->there, 0, BYTES - 64, &k->error)) &&
	    kit_download(k, got, p->here, 0, BYTES) &&
	    kit_all(k, got, 64, 0xee, "before the target of a copy from the other device"))
		(void)kit_same(k, got + 64, want, BYTES - 64,
		               "copied to the other device and back");
	kit_settle(k);
	free(want);
	free(got);
}

/* Staged after direct: what the one switched on may not serve the other. */
void conformance_peer_copy(kit *k)
{
	pair p;

	if (meet(k, &p)) {
		if (reach(k, &p, EH_PEER_DIRECT))
			there_and_back(k, &p, 31);
		leave(&p);
		if (reach(k, &p, EH_PEER_STAGED))
			there_and_back(k, &p, 33);
	}
	part(k, &p);
	kit_settle(k);
}

void conformance_peer_wait_mark(kit *k)
{
	unsigned char *want = kit_memory(BYTES), *got = kit_memory(BYTES);
	eh_mark *mark;
	kit_spin spin;
	pair p;

	kit_pattern(want, BYTES, 32);
	/* Work and a copy here; the other device's queue waits for the mark, then downloads. */
	if (meet(k, &p) && (reach(k, &p, EH_PEER_DIRECT) || reach(k, &p, EH_PEER_STAGED)) &&
	    kit_spin_make(k, &spin) && kit_mark(k, EH_TIMED, &mark) &&
	    kit_upload(k, p.here, 0, want, BYTES) && kit_wait(k) &&
	    kit_spin_launch(k, &spin, k->queue) &&
	    kit_ok(k, "peer copy",
	           p.p->copy(k->queue, p.link, p.there, 0, p.here, 0, BYTES, &k->error)) &&
	    kit_ok(k, "mark_record", k->ops->mark_record(k->queue, mark, &k->error)) &&
	    kit_ok(k, "queue_wait_mark", p.p->queue_wait_mark(p.queue, mark, &k->error)) &&
	    kit_ok(k, "download on the other",
	           k->ops->download(p.queue, got, p.there, 0, BYTES, &k->error)) &&
	    kit_ok(k, "queue_wait on the other", k->ops->queue_wait(p.queue, &k->error)))
		(void)kit_same(k, got, want, BYTES, "read after another device's mark");
	part(k, &p);
	kit_settle(k);
	free(want);
	free(got);
}

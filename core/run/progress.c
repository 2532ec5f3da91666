/* SPDX-License-Identifier: Apache-2.0 */
#include "run/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/layout.h"
#include "base/log.h"
#include "base/terminal.h"
#include "base/text.h"

#define PLAIN_STEP_NS (UINT64_C(10) * 1000000000)
#define SECOND_NS UINT64_C(1000000000)

struct progress {
	bool terminal, plain;
	uint64_t started_ns, spoken_ns; /* on clock_now_ns                                        */
	uint64_t total_ns, done_ns;     /* expected time                                          */
	char executor[160], id[160], stage[32];
	uint64_t execution, executions;
	size_t number, count;
	double median_ns, half_width;
	uint64_t end_ns;                /* 0 = not known                                          */
	text_list lines;                /* below the status line                                  */
};

/* Removes the lines before a log message; the next step draws them again.  The cursor is always in
 * the first. */
static void wipe(void)
{
	if (terminal_is(stderr))
		fputs("\r\033[J", stderr);
}

progress *progress_new(bool quiet, uint64_t total_ns)
{
	progress *p = memory_get(sizeof(*p));

	p->terminal = !quiet && terminal_is(stderr);
	p->plain = !quiet && !p->terminal && log_level() >= EH_LOG_INFO;
	p->started_ns = clock_now_ns();
	p->spoken_ns = p->started_ns;
	p->total_ns = total_ns;
	if (p->terminal)
		log_set_before(wipe);
	return p;
}

bool progress_watched(const progress *p)
{
	return p->terminal;
}

void progress_free(progress *p)
{
	if (p == NULL)
		return;
	if (p->terminal) {
		wipe();
		fflush(stderr);
		log_set_before(NULL);
	}
	text_list_clear(&p->lines);
	free(p);
}

/* Seconds; UINT64_MAX = not known. */
static uint64_t seconds_left(const progress *p)
{
	uint64_t now = clock_now_ns(), spent = now - p->started_ns;

	if (p->end_ns != 0)
		return p->end_ns > now ? (p->end_ns - now) / SECOND_NS : 0;
	if (p->done_ns == 0 || p->total_ns <= p->done_ns)
		return UINT64_MAX;
	return (uint64_t)((double)spent / (double)p->done_ns * (double)(p->total_ns - p->done_ns)) /
	       SECOND_NS;
}

static void add_left(const progress *p, text *line)
{
	uint64_t left = seconds_left(p);

	if (left == UINT64_MAX)
		return;
	if (left >= 3600)
		text_add(line, "  %" PRIu64 " h %02" PRIu64 " min left", left / 3600, left / 60 % 60);
	else if (left >= 60)
		text_add(line, "  %" PRIu64 " min %02" PRIu64 " s left", left / 60, left % 60);
	else
		text_add(line, "  %" PRIu64 " s left", left);
}

static text status_line(const progress *p)
{
	text line = { 0 };
	char median[32];

	text_add(&line, "%s  execution %" PRIu64 "/%" PRIu64, p->executor, p->execution,
	         p->executions);
	if (p->number > 0)
		text_add(&line, "  case %zu/%zu %s", p->number, p->count, p->id);
	if (p->stage[0] != '\0')
		text_add(&line, "  %s", p->stage);
	if (p->median_ns > 0) {
		text_format_ns(p->median_ns, median);
		text_add(&line, "  %s", median);
		if (p->half_width > 0)
			text_add(&line, " +- %.2g %%", p->half_width * 100);
	}
	add_left(p, &line);
	return line;
}

static void draw(progress *p)
{
	text line;
	int room;

	if (!p->terminal)
		return;
	line = status_line(p);
	room = (int)terminal_columns(stderr) - 1;
	fprintf(stderr, "\r\033[J%.*s", room, line.data);
	for (size_t i = 0; i < p->lines.count; i++)
		fprintf(stderr, "\n%.*s", room, p->lines.items[i]);
	if (p->lines.count > 0)
		fprintf(stderr, "\033[%zuA", p->lines.count);
	fputs("\r", stderr);
	fflush(stderr);
	text_free(&line);
}

static void speak(progress *p)
{
	text line = status_line(p);

	log_write(EH_LOG_INFO, "%s", line.data);
	p->spoken_ns = clock_now_ns();
	text_free(&line);
}

void progress_slot(progress *p, const char *executor, uint64_t execution, uint64_t executions)
{
	snprintf(p->executor, sizeof(p->executor), "%s", executor);
	p->execution = execution;
	p->executions = executions;
	p->number = 0;
	p->median_ns = p->half_width = 0;
	snprintf(p->stage, sizeof(p->stage), "start");
	draw(p);
	if (p->plain)
		speak(p);
}

void progress_case(progress *p, const char *id, size_t number, size_t count)
{
	snprintf(p->id, sizeof(p->id), "%s", id);
	p->number = number;
	p->count = count;
	p->median_ns = p->half_width = 0;
	p->stage[0] = '\0';
	draw(p);
}

void progress_stage(progress *p, const char *stage, double median_ns, double half_width)
{
	snprintf(p->stage, sizeof(p->stage), "%s", stage);
	p->median_ns = median_ns;
	p->half_width = half_width;
	draw(p);
}

void progress_lines(progress *p, const char *const *lines, size_t count)
{
	text_list_clear(&p->lines);
	for (size_t i = 0; i < count; i++)
		text_list_add(&p->lines, lines[i]);
	draw(p);
}

void progress_until(progress *p, uint64_t end_ns)
{
	p->end_ns = end_ns;
}

void progress_done(progress *p, const char *status, uint64_t expected_ns)
{
	p->done_ns += expected_ns;
	snprintf(p->stage, sizeof(p->stage), "%s", status);
	draw(p);
	if (p->plain && clock_now_ns() - p->spoken_ns >= PLAIN_STEP_NS)
		speak(p);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/survivors.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

#define STEP_NS UINT64_C(2000000)
#define PATIENCE_NS (UINT64_C(100) * 1000000)
/* How long the kernel may take to end what was killed. */
#define DEATH_NS (UINT64_C(2) * 1000000000)
enum { NAMED_MOST = 64 };

typedef struct process {
	pid_t pid, parent;
	char state, name[20];
} process;

typedef struct search {
	const survivors *of;
	bool ends;                 /* kill what is found                                            */
	pid_t named[NAMED_MOST];
	size_t named_count;
	char *names;
	size_t size;
} search;

void survivors_adopt(void)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void survivors_release(void)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* Reads a small file of /proc; the size, 0 when there is none. */
static size_t read_small(pid_t pid, const char *file, char *body, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd >= 0 ? read(fd, body, size - 1) : 0;
	if (fd >= 0)
		close(fd);
	body[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

/* The file is "PID (NAME) STATE PARENT ..."; NAME may contain blanks and brackets. */
static bool read_process(pid_t pid, process *out)
{
	char body[1024], *name, *after;
	long parent = 0;

	if (read_small(pid, "stat", body, sizeof(body)) == 0 || (name = strchr(body, '(')) == NULL ||
	    (after = strrchr(body, ')')) == NULL)
		return false;
	*after++ = '\0';
	*out = (process){ .pid = pid };
	snprintf(out->name, sizeof(out->name), "%s", name + 1);
	if (sscanf(after, " %c %ld", &out->state, &parent) != 2)
		return false;
	out->parent = (pid_t)parent;
	return true;
}

static void name(search *s, const process *p)
{
	char command[80], *line;
	size_t used = strlen(s->names), size = read_small(p->pid, "cmdline", command, sizeof(command));

	for (size_t i = 0; i < s->named_count; i++)
		if (s->named[i] == p->pid)
			return;
	if (s->named_count == NAMED_MOST)
		return;
	s->named[s->named_count++] = p->pid;
	/* Its words end with a NUL each. */
	for (size_t i = 0; i + 1 < size; i++)
		if (command[i] == '\0')
			command[i] = ' ';
	line = memory_format("%s%ld %s (%s)", used > 0 ? ", " : "", (long)p->pid, p->name, command);
	text_clean(line);
	if (used + strlen(line) < s->size)
		memcpy(s->names + used, line, strlen(line) + 1);
	free(line);
}

static bool belongs(const survivors *of, const process *p)
{
	return p->parent == of->parent && !of->known(p->pid);
}

/* Whether that process is a survivor and alive; a dead one is reaped. */
static bool meet(search *s, pid_t pid)
{
	process p;

	if (!read_process(pid, &p) || !belongs(s->of, &p))
		return false;
	if (p.state == 'Z' || p.state == 'X') {
		if (p.parent == getpid())
			(void)waitpid(pid, NULL, WNOHANG);
		return false;
	}
	if (s->ends) {
		name(s, &p);
		kill(pid, SIGKILL);
	}
	return true;
}

/* The next process that /proc lists, 0 at its end. */
static pid_t next_process(DIR *all)
{
	const struct dirent *at;

	while (all != NULL && (at = readdir(all)) != NULL)
		if (isdigit((unsigned char)at->d_name[0]))
			return (pid_t)strtol(at->d_name, NULL, 10);
	if (all != NULL)
		closedir(all);
	return 0;
}

/* Whether one is alive. */
static bool look(search *s)
{
	DIR *all = opendir("/proc");
	bool found = false;
	pid_t pid;

	while ((pid = next_process(all)) != 0)
		if (meet(s, pid))
			found = true;
	return found;
}

pid_t *survivors_children(size_t *count)
{
	DIR *all = opendir("/proc");
	pid_t *found = memory_get(sizeof(*found)), pid;
	process p;

	*count = 0;
	while ((pid = next_process(all)) != 0) {
		if (!read_process(pid, &p) || p.parent != getpid())
			continue;
		found = memory_grow(found, (*count + 1) * sizeof(*found));
		found[(*count)++] = pid;
	}
	return found;
}

/* Looks until none is alive; false when the time is over. */
static bool await(search *s, uint64_t ns)
{
	uint64_t start = clock_now_ns();

	while (look(s)) {
		if (clock_now_ns() - start >= ns)
			return false;
		clock_sleep_ns(STEP_NS);
	}
	return true;
}

void survivors_end(const survivors *of, char *names, size_t size)
{
	search s = { .of = of, .names = names, .size = size };

	names[0] = '\0';
	if (await(&s, PATIENCE_NS))
		return;
	s.ends = true;
	/* Those of each that dies come up in the next look. */
	(void)await(&s, DEATH_NS);
}

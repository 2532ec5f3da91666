/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stray - the skeleton backend with bad manners.  They are named by --set stray.does=NAME:
 *   nothing      it behaves
 *   letters      its texts have Latin-1 bytes, terminal escapes and newlines
 *   fail         as letters, and its device cannot be opened
 *   log          as letters, and its compiler refuses every program
 *   print        it prints to stdout whenever it can
 *   descriptors  a note names the descriptors that it found open
 *   child        its start leaves a process in the group
 *   daemon       its start leaves a process in a session of its own, which keeps every descriptor
 */
#include "evenhand/backend.h"

/* The skeleton's own entry function becomes a static one of another name. */
#undef EH_EXPORT
#define EH_EXPORT __attribute__((unused)) static
#define eh_backend_entry_v1 honest_entry
#include "../../plugins/skeleton/compile.c"
#include "../../plugins/skeleton/queue.c"
#include "../../plugins/skeleton/skeleton.c"
#undef eh_backend_entry_v1
#undef EH_EXPORT
#define EH_EXPORT __attribute__((visibility("default")))

#include <fcntl.h>
#include <sys/prctl.h>

/* Latin-1, an escape sequence, the 8-bit form of its beginning in UTF-8, a newline. */
#define BAD "caf\xe9 \x1b[31mred\x1b[0m \xc2\x9b" "7m\n"

static struct {
	const eh_backend_ops *honest;
	const char *does;
} stray;

static int does(const char *name)
{
	return strcmp(stray.does, name) == 0;
}

static int writes_badly(void)
{
	return does("letters") || does("fail") || does("log");
}

static void spoil(char *text, size_t size)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, " %s", BAD);
}

static eh_status fail(eh_error *error, eh_status code)
{
	if (error != NULL) {
		error->code = code;
		snprintf(error->native_name, sizeof(error->native_name), "%s", BAD);
		snprintf(error->where, sizeof(error->where), "%s", BAD);
		snprintf(error->message, sizeof(error->message), "message %s.", BAD);
	}
	return code;
}

static void print(const char *where)
{
	if (!does("print"))
		return;
	printf("printed by %s\n", where);
	fflush(stdout);
	(void)!write(STDOUT_FILENO, "written\n", 8);
}

/* What is left behind waits for nothing.  Ten minutes are longer than any test. */
__attribute__((noreturn)) static void linger(void)
{
	prctl(PR_SET_NAME, "stray-left");
	sleep(600);
	_exit(0);
}

static void leave_child(void)
{
	if (fork() == 0)
		linger();
}

static void leave_daemon(void)
{
	pid_t between = fork();

	if (between == 0) {
		setsid();
		if (fork() == 0)
			linger();
		_exit(0);
	}
	(void)waitpid(between, NULL, 0);
}

static eh_status stray_start(const eh_host *host, void **self, eh_error *error)
{
	const char *asked = host->option(host->ctx, "does");

	stray.does = asked != NULL ? asked : "nothing";
	print("start");
	if (writes_badly())
		host->log(host->ctx, EH_LOG_WARN, "log " BAD);
	if (does("child"))
		leave_child();
	if (does("daemon"))
		leave_daemon();
	return stray.honest->start(host, self, error);
}

static void note_descriptors(char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "open:");

	for (int fd = 0; fd < 256 && used < size; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			used += (size_t)snprintf(text + used, size - used, " %d", fd);
}

static void stray_notes(void *self, char *text, size_t size)
{
	(void)self;
	snprintf(text, size, "%s", writes_badly() ? "note " BAD "second note" : "");
	if (does("descriptors"))
		note_descriptors(text, size);
}

static eh_status stray_device_info(void *self, uint32_t index, eh_device_info *info, eh_error *error)
{
	eh_status status = stray.honest->device_info(self, index, info, error);

	print("device_info");
	info->caps |= EH_CAP_SIMULATED;
	if (!writes_badly())
		return status;
	snprintf(info->name, sizeof(info->name), "name %s", BAD);
	snprintf(info->platform, sizeof(info->platform), "platform %s", BAD);
	memset(info->vendor, 0xe9, sizeof(info->vendor)); /* without its end */
	return status;
}

static eh_status stray_device_open(void *self, uint32_t index, eh_device **device, eh_error *error)
{
	return does("fail") ? fail(error, EH_E_UNAVAILABLE) :
	       stray.honest->device_open(self, index, device, error);
}

static eh_status stray_device_layer(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error)
{
	eh_status status = stray.honest->device_layer(device, index, layer, error);

	if (status != EH_OK || !writes_badly())
		return status;
	spoil(layer->name, sizeof(layer->name));
	spoil(layer->version, sizeof(layer->version));
	snprintf(layer->detail, sizeof(layer->detail), "key %s=value %s; detail %s", BAD, BAD, BAD);
	return EH_OK;
}

static eh_status stray_program_build(eh_device *device, const eh_source *source, eh_program **program,
                                     char *log, size_t size, eh_error *error)
{
	print("program_build");
	if (!does("log"))
		return stray.honest->program_build(device, source, program, log, size, error);
	if (log != NULL)
		snprintf(log, size, "first line %s\nsecond line %s", BAD, BAD);
	return fail(error, EH_E_BUILD);
}

static eh_status stray_program_info(eh_program *program, eh_program_info *info, eh_error *error)
{
	eh_status status = stray.honest->program_info(program, info, error);

	if (status != EH_OK || !writes_badly())
		return status;
	spoil(info->compiler, sizeof(info->compiler));
	spoil(info->compiler_version, sizeof(info->compiler_version));
	memset(info->flags, 0xe9, sizeof(info->flags)); /* without its end */
	return EH_OK;
}

static eh_status stray_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                              eh_error *error)
{
	print("launch");
	return stray.honest->launch(queue, kernel, launch, error);
}

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	static eh_backend_ops ops;
	static eh_backend backend;

	if (stray.honest != NULL)
		return &backend;
	backend = *honest_entry();
	stray.honest = backend.ops;
	stray.does = "nothing";
	ops = *stray.honest;
	ops.start = stray_start;
	ops.notes = stray_notes;
	ops.device_info = stray_device_info;
	ops.device_open = stray_device_open;
	ops.device_layer = stray_device_layer;
	ops.program_build = stray_program_build;
	ops.program_info = stray_program_info;
	ops.launch = stray_launch;
	backend.name = "stray";
	backend.title = "A backend for tests that has bad manners";
	backend.ops = &ops;
	return &backend;
}

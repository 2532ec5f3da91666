/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hiprtc compiles a kernel text to a code object for the device's architecture.  Some versions
 * abort when the architecture is too new for them.  Those run in a forked child, which does not
 * touch the device and sends the code object and the log back.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_state.h"
#include "shared/binarycache.h"
#include "shared/compilerid.h"
#include "shared/subprocess.h"
#include "shared/wording.h"

static pthread_mutex_t identifying = PTHREAD_MUTEX_INITIALIZER;

enum { CHILD_MILLISECONDS = 120000, LEAST_LOG = 256 };

/* The outcome of hiprtc.  A child sends it as it is, followed by log and code. */
typedef struct made {
	hiprtcResult rc;
	char where[32];          /* the call that failed                                    */
	uint64_t log_size;       /* with its terminator, 0 = none                           */
	uint64_t code_size;
} made;

typedef struct job {
	const hiprtc_api *hiprtc;
	const char *name, *text, *target; /* "stream.hip", the text, "--offload-arch=gfx90a"  */
	made made;
	char *log;               /* malloc'd, NULL = none                                   */
	char *code;              /* malloc'd, NULL when rc says why                         */
} job;

void hip_compile_version(const hip_self *self, char *text, size_t size)
{
	char runtime[32];

	text[0] = '\0';
	if (self->hiprtc.library.handle == NULL)
		return;
	/* hiprtc itself has reported 9.0 for years. */
	hip_devices_version(self->api.version, runtime, sizeof(runtime));
	snprintf(text, size, "%d.%d%s%s", self->hiprtc.major, self->hiprtc.minor,
	         runtime[0] != '\0' ? " of HIP " : "", runtime);
}

static bool step(job *j, const char *where, hiprtcResult rc)
{
	if (rc == HIPRTC_SUCCESS)
		return true;
	if (j->made.rc == HIPRTC_SUCCESS) {
		j->made.rc = rc;
		snprintf(j->made.where, sizeof(j->made.where), "%s", where);
	}
	return false;
}

static void fetch_log(job *j, hiprtcProgram program)
{
	size_t size = 0;
	const char *where = "hiprtcGetProgramLogSize";
	hiprtcResult rc = j->hiprtc->log_size(program, &size);

	if (rc == HIPRTC_SUCCESS && size <= 1)
		return;
	j->log = calloc(1, rc == HIPRTC_SUCCESS && size + 1 > LEAST_LOG ? size + 1 : LEAST_LOG);
	if (j->log == NULL)
		return;
	if (rc == HIPRTC_SUCCESS) {
		where = "hiprtcGetProgramLog";
		rc = j->hiprtc->log(program, j->log);
	}
	if (rc != HIPRTC_SUCCESS)
		wording_no_log(where, j->hiprtc->error_text(rc), (int64_t)rc, j->log, LEAST_LOG);
	j->made.log_size = strlen(j->log) + 1;
}

static void fetch_code(job *j, hiprtcProgram program)
{
	size_t size = 0;

	if (!step(j, "hiprtcGetCodeSize", j->hiprtc->code_size(program, &size)))
		return;
	j->code = size > 0 ? calloc(1, size) : NULL;
	if (!step(j, "hiprtcGetCode", j->code != NULL ? j->hiprtc->code(program, j->code)
	                                              : HIPRTC_ERROR_OUT_OF_MEMORY)) {
		free(j->code);
		j->code = NULL;
		return;
	}
	j->made.code_size = size;
}

static void compile_here(job *j)
{
	const char *const options[] = { j->target, HIP_COMPILE_FLAGS };
	hiprtcProgram program = NULL;

	if (!step(j, "hiprtcCreateProgram",
	          j->hiprtc->create(&program, j->text, j->name, 0, NULL, NULL)))
		return;
	if (step(j, "hiprtcCompileProgram", j->hiprtc->compile(program, 2, options)))
		fetch_code(j, program);
	fetch_log(j, program);
	(void)j->hiprtc->destroy(&program);
}

static int compile_in_child(void *context, int answer)
{
	job *j = context;

	compile_here(j);
	return subprocess_write(answer, &j->made, sizeof(j->made)) &&
	       subprocess_write(answer, j->log, j->made.log_size) &&
	       subprocess_write(answer, j->code, j->made.code_size) ? 0 : 1;
}

/* A copy of `size` bytes at data + at; NULL for none. */
static char *copy_part(const char *data, size_t at, uint64_t size)
{
	char *part = size > 0 ? malloc((size_t)size) : NULL;

	if (part != NULL)
		memcpy(part, data + at, (size_t)size);
	return part;
}

static bool unpack(job *j, const char *data, size_t size)
{
	made m;

	if (size < sizeof(m))
		return false;
	memcpy(&m, data, sizeof(m));
	size -= sizeof(m);
	m.where[sizeof(m.where) - 1] = '\0';
	if (m.log_size > size || m.code_size != size - m.log_size ||
	    (m.log_size > 0 && data[sizeof(m) + m.log_size - 1] != '\0'))
		return false;
	j->made = m;
	j->log = copy_part(data, sizeof(m), m.log_size);
	j->code = copy_part(data, sizeof(m) + (size_t)m.log_size, m.code_size);
	return true;
}

static eh_status compile_apart(job *j, eh_error *error)
{
	subprocess p;
	void *data = NULL;
	size_t size = 0;
	char how[120];
	eh_status status = EH_OK;

	subprocess_call(&p, compile_in_child, j, CHILD_MILLISECONDS, &data, &size);
	if (!subprocess_succeeded(&p) || !unpack(j, data, size)) {
		subprocess_describe(&p, how, sizeof(how));
		status = failure_set(error, p.timed_out ? EH_E_TIMEOUT : p.start_errno != 0 ?
		                     EH_E_NO_MEMORY : EH_E_INCOMPATIBLE, "hiprtcCompileProgram",
		                     "hiprtc (%.100s), in a process of its own, %s while it compiled "
		                     "with %.60s: it may be too old for this device; install a newer "
		                     "ROCm, or name another hiprtc in --set hip.hiprtc=PATH.",
		                     j->hiprtc->library.path, how, j->target);
		/* A failed assertion explains itself: the last words are the log. */
		if (p.text != NULL)
			j->log = strdup(p.text);
	}
	free(data);
	subprocess_free(&p);
	return status;
}

static eh_status explain(const job *j, eh_error *error)
{
	const hiprtcResult rc = j->made.rc;
	const char *name = j->hiprtc->error_text(rc);
	const bool text_is_wrong = rc == HIPRTC_ERROR_COMPILATION;
	const eh_status code = text_is_wrong ? EH_E_BUILD :
	                       rc == HIPRTC_ERROR_OUT_OF_MEMORY ? EH_E_NO_MEMORY : EH_E_INCOMPATIBLE;

	return failure_native(error, code, j->made.where, (int64_t)rc, name != NULL ? name : "?", NULL,
	                      "%s with %.60s%s", text_is_wrong ? "The kernels do not compile" :
	                      "hiprtc does not compile", j->target,
	                      text_is_wrong ? "; the build log says why" : "");
}

static eh_status compile(const hip_self *self, job *j, char *log, size_t log_size, eh_error *error)
{
	eh_status status = EH_OK;

	if (self->compile_apart)
		status = compile_apart(j, error);
	else
		compile_here(j);
	wording_log(j->log, log, log_size);
	free(j->log);
	j->log = NULL;
	if (status == EH_OK && j->made.rc != HIPRTC_SUCCESS)
		status = explain(j, error);
	if (status == EH_OK && j->code == NULL)
		status = failure_set(error, EH_E_NO_MEMORY, "hiprtcGetCode",
		                     "No memory is left for a code object of %llu bytes.",
		                     (unsigned long long)j->made.code_size);
	return status;
}

/* The parts of hiprtc that compile; they are loaded with it. */
static const char *const helpers[] = { "libamd_comgr", "libLLVM", "libclang", NULL };

/* False when the files of hiprtc cannot be read: nobody knows then whose code an entry is. */
static bool find_key(hip_self *self, const char *flags, const char *name, const char *text,
                     char key[65])
{
	hiprtc_api *h = &self->hiprtc;

	(void)pthread_mutex_lock(&identifying);
	if (!h->identified)
		compilerid_of(&h->library, self->host, helpers, h->identity);
	h->identified = true;
	(void)pthread_mutex_unlock(&identifying);
	binarycache_key(self->host, (const char *const[]){ "evenhand hip kernel 2", h->identity, flags,
	    name, text }, 5, key);
	return h->identity[0] != '\0';
}

eh_status hip_compile(const eh_device *d, const eh_source *source, eh_program *p, char *log,
                      size_t log_size, eh_error *error)
{
	const hip_self *self = d->self;
	const eh_host *host = self->host;
	binarycache cache = { .host = host, .folder = host->option(host->ctx, "cache-dir"),
	                      .suffix = ".hsaco" };
	char target[112], name[80], key[65], path[PATH_MAX];
	job j = { .hiprtc = &self->hiprtc, .name = name, .target = target };
	char *text;
	eh_status status = EH_OK;

	wording_log(NULL, log, log_size);
	if (self->hiprtc.library.handle == NULL)
		return failure_set(error, EH_E_UNAVAILABLE, "program_build", "%s",
		                   self->hiprtc_error.message);
	snprintf(target, sizeof(target), "--offload-arch=%s", d->architecture);
	snprintf(name, sizeof(name), "%.70s.hip", source->name);
	snprintf(p->flags, sizeof(p->flags), "%s " HIP_COMPILE_FLAGS, target);
	text = wording_source(source);
	if (text == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "program_build",
		                   "No memory is left to build %s.", source->name);
	if (!find_key(d->self, p->flags, name, text, key))
		cache.folder = NULL;
	p->from_cache = binarycache_load(&cache, key, &p->code, &p->code_size, path);
	if (!p->from_cache) {
		j.text = text;
		status = compile(self, &j, log, log_size, error);
		if (status == EH_OK) {
			p->code = j.code;
			p->code_size = (size_t)j.made.code_size;
			(void)binarycache_store(&cache, key, p->code, p->code_size, path);
		} else {
			free(j.code);
		}
	}
	free(text);
	return status;
}

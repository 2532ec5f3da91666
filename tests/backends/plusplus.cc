// SPDX-License-Identifier: Apache-2.0
//
// plusplus - a backend in C++17: this machine's processor, each command done when its call returns.
// It shows what C++ adds to plugins/skeleton: objects of the standard library behind the handles, a
// border that no exception crosses, and a table without designated initialisers.
#include "evenhand/backend_helper.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

// The handles are structs of backend.h, outside of every namespace.
struct eh_device {
	const eh_host *host;
};
struct eh_queue {
	const eh_host *host;
	bool timed;
};
struct alignas(64) line {
	unsigned char bytes[64];
};
struct eh_buffer {
	std::vector<line> lines;
	uint64_t bytes;

	unsigned char *at(uint64_t offset, uint64_t count);
};
struct eh_mark {
	const eh_queue *queue;
	bool timed;
	uint64_t ns;
};
using entry_function = void (*)(void **args, const int32_t groups[3], int64_t first, int64_t end);
struct eh_kernel {
	entry_function entry;
};
struct eh_program {
	std::unique_ptr<void, int (*)(void *)> code{ nullptr, dlclose };
	std::string binary;
	std::vector<std::unique_ptr<eh_kernel>> kernels;
};

namespace {

constexpr char flags[] = "-std=gnu17 -O3 -march=native -fPIC -shared";

struct failure : std::runtime_error {
	eh_status status;

	failure(eh_status code, const std::string &message)
		: std::runtime_error(message), status(code) {}
};

// No exception may leave the backend: its callers are C.  What work() throws becomes a status.
template <typename Work> eh_status guarded(eh_error *error, const char *where, Work work)
{
	try {
		work();
		return EH_OK;
	} catch (const failure &f) {
		return eh_fail(error, f.status, where, "%s", f.what());
	} catch (const std::bad_alloc &) {
		return eh_fail(error, EH_E_NO_MEMORY, where, "this process has no memory left");
	} catch (const std::exception &e) {
		return eh_fail(error, EH_E_INTERNAL, where, "unexpected: %s", e.what());
	} catch (...) {
		return eh_fail(error, EH_E_INTERNAL, where, "an exception of an unknown type");
	}
}

void require(bool good, const char *message)
{
	if (!good)
		throw failure(EH_E_INVALID_ARGUMENT, message);
}

// ---- start, devices -------------------------------------------------------------------------

eh_status start(const eh_host *host, void **self, eh_error *error)
{
	return guarded(error, "start", [&] { *self = new eh_device{ host }; });
}

void stop(void *self)
{
	delete static_cast<eh_device *>(self);
}

eh_status device_count(void *, uint32_t *count, eh_error *)
{
	*count = 1;
	return EH_OK;
}

uint64_t memory_bytes()
{
	return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
	       static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

eh_status device_info(void *, uint32_t index, eh_device_info *info, eh_error *error)
{
	return guarded(error, "device_info", [&] {
		eh_device_info whole{};

		require(index == 0, "there is one device, number 0");
		whole.type = EH_DEVICE_CPU;
		whole.caps = EH_CAP_FP64 | EH_CAP_FP16_STORE | EH_CAP_BF16_STORE | EH_CAP_ATOMIC64 |
		             EH_CAP_SIMULATED;
		whole.memory_bytes = memory_bytes();
		whole.max_group_items = 1024;
		for (uint32_t &size : whole.max_group_size)
			size = 1024;
		whole.numa_node = -1;
		std::string("cpu").copy(whole.id, sizeof(whole.id) - 1);
		std::string("TEST processor through C++").copy(whole.name, sizeof(whole.name) - 1);
		eh_give(info, &whole, sizeof(whole));
	});
}

eh_status device_open(void *self, uint32_t index, eh_device **device, eh_error *error)
{
	return guarded(error, "device_open", [&] {
		require(index == 0, "there is one device, number 0");
		*device = new eh_device(*static_cast<eh_device *>(self));
	});
}

// ---- buffers, commands on memory --------------------------------------------------------------

eh_status buffer_alloc(eh_device *, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                       eh_error *error)
{
	return guarded(error, "buffer_alloc", [&] {
		if (kind != EH_MEMORY_DEVICE)
			throw failure(EH_E_UNSUPPORTED, "only device memory is offered");
		require(bytes > 0, "a buffer has at least one byte");
		if (bytes > memory_bytes())
			throw std::bad_alloc();
		*buffer = new eh_buffer{ std::vector<line>((bytes + 63) / 64), bytes };
	});
}

eh_status queue_create(eh_device *device, uint32_t flags_, eh_queue **queue, eh_error *error)
{
	return guarded(error, "queue_create", [&] {
		require((flags_ & ~static_cast<uint32_t>(EH_TIMED | EH_COPIES)) == 0, "unknown flags");
		*queue = new eh_queue{ device->host, (flags_ & EH_TIMED) != 0 };
	});
}

eh_status queue_wait(eh_queue *, eh_error *)
{
	return EH_OK;
}

eh_status fill(eh_queue *, eh_buffer *buffer, uint64_t offset, uint64_t bytes, uint32_t pattern,
               eh_error *error)
{
	return guarded(error, "fill", [&] {
		unsigned char *to = buffer->at(offset, bytes);

		require(bytes % 4 == 0, "the size of a fill is a multiple of 4");
		for (uint64_t i = 0; i < bytes; i += 4)
			std::memcpy(to + i, &pattern, 4);
	});
}

eh_status copy(eh_queue *, eh_buffer *to, uint64_t to_offset, eh_buffer *from, uint64_t from_offset,
               uint64_t bytes, eh_error *error)
{
	return guarded(error, "copy", [&] {
		std::memcpy(to->at(to_offset, bytes), from->at(from_offset, bytes), bytes);
	});
}

eh_status upload(eh_queue *, eh_buffer *to, uint64_t offset, const void *from, uint64_t bytes,
                 eh_error *error)
{
	return guarded(error, "upload", [&] { std::memcpy(to->at(offset, bytes), from, bytes); });
}

eh_status download(eh_queue *, void *to, eh_buffer *from, uint64_t offset, uint64_t bytes,
                   eh_error *error)
{
	return guarded(error, "download", [&] { std::memcpy(to, from->at(offset, bytes), bytes); });
}

// ---- programs, kernels --------------------------------------------------------------------------

std::string read_file(const std::filesystem::path &path)
{
	std::ifstream file(path, std::ios::binary);

	return { std::istreambuf_iterator<char>(file), {} };
}

// A folder of our own, removed when it goes out of scope.
struct scratch {
	std::string name = (std::filesystem::temp_directory_path() / "plusplus-XXXXXX").string();

	scratch()
	{
		if (mkdtemp(name.data()) == nullptr)
			throw failure(EH_E_INTERNAL, "no folder can be made: " + name);
	}
	~scratch()
	{
		std::error_code ignored;

		std::filesystem::remove_all(name, ignored);
	}
	scratch(const scratch &) = delete;
	scratch &operator=(const scratch &) = delete;
};

void write_text(const std::string &path, const eh_source &source)
{
	std::ofstream file(path);

	for (uint32_t i = 0; i < source.macro_count; i++)
		file << "#define " << source.macros[i].name << ' ' << source.macros[i].value << '\n';
	file << source.prelude << '\n' << source.body << '\n';
	if (!file.flush())
		throw failure(EH_E_INTERNAL, "the text cannot be written to " + path);
}

eh_status program_build(eh_device *, const eh_source *source, eh_program **program, char *log,
                        size_t log_size, eh_error *error)
{
	return guarded(error, "program_build", [&] {
		const scratch folder;
		const std::string base = folder.name + "/kernel", quoted = "'" + base;
		auto p = std::make_unique<eh_program>();
		int status;

		write_text(base + ".c", *source);
		status = std::system(("cc " + std::string(flags) + " -o " + quoted + ".so' " + quoted +
		                      ".c' -lm >" + quoted + ".log' 2>&1").c_str());
		if (log != nullptr && log_size > 0)
			log[read_file(base + ".log").copy(log, log_size - 1)] = '\0';
		if (status != 0)
			throw failure(EH_E_BUILD, "cc does not compile it; the build log says why");
		p->binary = read_file(base + ".so");
		p->code.reset(dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL));
		if (p->code == nullptr)
			throw failure(EH_E_INTERNAL, "the compiled kernels cannot be loaded");
		*program = p.release();
	});
}

eh_status program_info(eh_program *program, eh_program_info *info, eh_error *)
{
	eh_program_info whole{};

	std::string("cc").copy(whole.compiler, sizeof(whole.compiler) - 1);
	std::string(flags).copy(whole.flags, sizeof(whole.flags) - 1);
	std::string("elf").copy(whole.binary_kind, sizeof(whole.binary_kind) - 1);
	whole.binary = program->binary.data();
	whole.binary_size = program->binary.size();
	eh_give(info, &whole, sizeof(whole));
	return EH_OK;
}

eh_status kernel_get(eh_program *program, const char *name, eh_kernel **kernel, eh_error *error)
{
	return guarded(error, "kernel_get", [&] {
		void *found = dlsym(program->code.get(), (std::string(name) + "_entry").c_str());

		require(found != nullptr, "the program has no such kernel");
		program->kernels.push_back(std::make_unique<eh_kernel>(
			eh_kernel{ reinterpret_cast<entry_function>(found) }));
		*kernel = program->kernels.back().get();
	});
}

// Threads that are joined whatever happens: a thread that is not joined ends the process.
struct crew {
	std::vector<std::thread> threads;

	crew() = default;
	~crew()
	{
		for (std::thread &thread : threads)
			thread.join();
	}
	crew(const crew &) = delete;
	crew &operator=(const crew &) = delete;
};

// The groups are shared out between this thread and as many more as there are processors.
eh_status launch(eh_queue *, eh_kernel *kernel, const eh_launch *launch, eh_error *error)
{
	return guarded(error, "launch", [&] {
		std::vector<void *> args(launch->arg_count), addresses(launch->arg_count);
		const int64_t most = std::max(1u, std::thread::hardware_concurrency());
		int64_t total = 1, parts;
		int32_t groups[3];
		crew others;

		for (int d = 0; d < 3; d++) {
			require(launch->groups[d] >= 1 && launch->groups[d] <= INT32_MAX / total,
			        "the number of groups is out of range");
			groups[d] = static_cast<int32_t>(launch->groups[d]);
			total *= groups[d];
		}
		for (uint32_t i = 0; i < launch->arg_count; i++) {
			const eh_arg &arg = launch->args[i];

			if (arg.buffer != nullptr)
				addresses[i] = arg.buffer->lines.data();
			args[i] = arg.buffer != nullptr ? &addresses[i] : const_cast<void *>(arg.data);
		}
		parts = std::min(total, most);
		others.threads.reserve(static_cast<size_t>(parts));
		for (int64_t p = 1; p < parts; p++)
			others.threads.emplace_back(kernel->entry, args.data(), groups,
			                            total * p / parts, total * (p + 1) / parts);
		kernel->entry(args.data(), groups, 0, total / parts);
	});
}

// ---- marks ----------------------------------------------------------------------------------------

eh_status mark_create(eh_device *, uint32_t flags_, eh_mark **mark, eh_error *error)
{
	return guarded(error, "mark_create", [&] {
		require((flags_ & ~static_cast<uint32_t>(EH_TIMED)) == 0, "unknown flags");
		*mark = new eh_mark{ nullptr, (flags_ & EH_TIMED) != 0, 0 };
	});
}

eh_status mark_record(eh_queue *queue, eh_mark *mark, eh_error *)
{
	mark->queue = queue;
	mark->ns = queue->host->now_ns(queue->host->ctx);
	return EH_OK;
}

eh_status mark_wait(eh_mark *, eh_error *)
{
	return EH_OK;
}

eh_status mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	return guarded(error, "mark_elapsed", [&] {
		require(from->queue != nullptr && from->queue == to->queue && from->queue->timed &&
		        from->timed && to->timed && from->ns <= to->ns,
		        "two timed marks of one timed queue have a time between them");
		*ns = to->ns - from->ns;
	});
}

template <typename Object> void destroy(Object *object)
{
	delete object;
}

// C++17 has no designated initialisers.  A constexpr function fills the table before the file is
// loaded, so that loading it runs no code.
constexpr eh_backend_ops make_ops()
{
	eh_backend_ops ops{};

	ops.struct_size = sizeof(ops);
	ops.start = start;
	ops.stop = stop;
	ops.device_count = device_count;
	ops.device_info = device_info;
	ops.device_open = device_open;
	ops.device_close = destroy<eh_device>;
	ops.buffer_alloc = buffer_alloc;
	ops.buffer_free = destroy<eh_buffer>;
	ops.queue_create = queue_create;
	ops.queue_destroy = destroy<eh_queue>;
	ops.queue_wait = queue_wait;
	ops.fill = fill;
	ops.copy = copy;
	ops.upload = upload;
	ops.download = download;
	ops.program_build = program_build;
	ops.program_destroy = destroy<eh_program>;
	ops.program_info = program_info;
	ops.kernel_get = kernel_get;
	ops.launch = launch;
	ops.mark_create = mark_create;
	ops.mark_destroy = destroy<eh_mark>;
	ops.mark_record = mark_record;
	ops.mark_wait = mark_wait;
	ops.mark_elapsed = mark_elapsed;
	return ops;
}

constexpr eh_backend_ops ops = make_ops();
constexpr eh_backend backend = {
	EH_BACKEND_MAGIC, sizeof(eh_backend), EH_ABI_MAJOR, EH_ABI_MINOR, sizeof(void *), 0,
	"plusplus", "A backend for tests in C++", "1", "Apache-2.0", &ops,
};

} // namespace

unsigned char *eh_buffer::at(uint64_t offset, uint64_t count)
{
	require(offset <= bytes && count <= bytes - offset, "the range lies beyond the buffer");
	return lines.data()->bytes + offset;
}

// backend.h declares it extern "C".
EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	return &backend;
}

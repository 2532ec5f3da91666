# Unit tests: one program per tests/unit/test_*.c (cmocka), linked with all of core but main.
# Shell tests: tests/{abi,cli,opencl,fuzz}/*.sh.  All speak TAP; tests/run.sh runs and counts.
unit_sources := $(if $(filter yes,$(HAVE_CMOCKA)),$(sort $(wildcard $(srcdir)/tests/unit/test_*.c)))
unit_programs := $(patsubst $(srcdir)/tests/unit/%.c,tests/unit/%,$(unit_sources))
OBJECTS += $(call objects,$(unit_sources))
$(call objects,$(unit_sources)): private CORE_CPPFLAGS += -I$(srcdir)/tests/unit $(CMOCKA_CFLAGS)
tests/unit/%: obj/tests/unit/%.o $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(inputs) $(CMOCKA_LIBS) $(LIBRARY_LIBS) $(LIBS)
.SECONDARY: $(call objects,$(unit_sources))
shared_tests := test_backend_shared test_lastcache
$(shared_tests:%=obj/tests/unit/%.o): private CORE_CPPFLAGS += -I$(srcdir)/backends
$(shared_tests:%=tests/unit/%): obj/backends/shared.a

obj/tests/unit/test_cuda_gemm.o: private CORE_CPPFLAGS += -I$(srcdir)/backends

obj/tests/unit/test_levelzero_clock.o: private CORE_CPPFLAGS += -I$(srcdir)/backends
tests/unit/test_levelzero_clock: obj/backends/levelzero/lz_clock.o

# Those whose host time is simulated (tests/unit/simulated_time.h).
simulated_programs := tests/unit/test_measure tests/unit/test_engine tests/unit/test_honest
$(simulated_programs): private ALL_LDFLAGS += $(foreach name,clock_now_ns clock_sleep_ns \
	disturb_read guards_begin guards_end,-Wl,--wrap=$(name))
# One whose accounts and groups are its own.
tests/unit/test_plugin_host: private ALL_LDFLAGS += $(foreach name,getpwuid getpwent setpwent \
	endpwent getgrgid,-Wl,--wrap=$(name))

# One whose file system gives all folders one mode.
tests/unit/test_fixed_modes: private ALL_LDFLAGS += $(foreach name,mkdirat fchmod,-Wl,--wrap=$(name))

# One whose disk fails.
tests/unit/test_journal: private ALL_LDFLAGS += $(foreach name,fdatasync ftruncate,-Wl,--wrap=$(name))

# Fuzz drivers: programs that feed files to a reader.
fuzz_sources := $(sort $(wildcard $(srcdir)/tests/fuzz/*.c))
fuzz_programs := $(patsubst $(srcdir)/tests/fuzz/%.c,tests/fuzz/%,$(fuzz_sources))
OBJECTS += $(call objects,$(fuzz_sources))
tests/fuzz/%: obj/tests/fuzz/%.o $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(inputs) $(LIBRARY_LIBS) $(LIBS)
.SECONDARY: $(call objects,$(fuzz_sources))

# Tools of the benches that use the project's own code.
tool_sources := $(sort $(wildcard $(srcdir)/tests/bench/make_*.c))
tool_programs := $(patsubst $(srcdir)/tests/bench/%.c,tests/bench/%,$(tool_sources))
OBJECTS += $(call objects,$(tool_sources))
tests/bench/%: obj/tests/bench/%.o $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(inputs) $(LIBRARY_LIBS) $(LIBS)
.SECONDARY: $(call objects,$(tool_sources))

# The judge alone: what links here needs nothing of the harness.
judge_objects := $(filter $(foreach room,base stat record audit contract analysis report,obj/core/$(room)/%),$(CORE_OBJECTS))
OBJECTS += obj/tests/judge/judge.o
tests/judge/judge: obj/tests/judge/judge.o $(judge_objects)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(inputs) $(LIBRARY_LIBS) $(LIBS)

# Experiments on data whose truth is known: `make stat`, and in short form in the tests.
stat_sources := $(sort $(wildcard $(srcdir)/tests/stat/*.c))
stat_programs := $(patsubst $(srcdir)/tests/stat/%.c,tests/stat/%,$(stat_sources))
OBJECTS += $(call objects,$(stat_sources))
$(call objects,$(stat_sources)): private CORE_CPPFLAGS += -I$(srcdir)/tests/stat
tests/stat/%: obj/tests/stat/%.o $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(inputs) $(LIBRARY_LIBS) $(LIBS)
.SECONDARY: $(call objects,$(stat_sources))

# Backends that exist to be refused or to lie.
bad_sources := $(sort $(wildcard $(srcdir)/tests/backends/*.c))
bad_plugins := $(patsubst $(srcdir)/tests/backends/%.c,tests/backends/%.so,$(bad_sources))
OBJECTS += $(call objects,$(bad_sources))
tests/backends/%.so: obj/tests/backends/%.o
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -shared $(ALL_LDFLAGS) -o $@ $(inputs) $(LIBS)
.SECONDARY: $(call objects,$(bad_sources))

# Test drivers: libraries named like the vendors', whose devices are simulated, and the sweep, which
# makes each of their functions fail in turn.
driver_shared := $(filter-out %/sweep.c,$(sort $(wildcard $(srcdir)/tests/drivers/shared/*.c)))
sweep_source := $(wildcard $(srcdir)/tests/drivers/shared/sweep.c)
OBJECTS += $(call objects,$(driver_shared) $(sweep_source))
$(call objects,$(driver_shared)): private CORE_CPPFLAGS :=
test_drivers := $(patsubst $(srcdir)/tests/drivers/shared/%.c,tests/drivers/%,$(sweep_source))
tests/drivers/sweep: $(call objects,$(sweep_source)) $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(inputs) $(LIBRARY_LIBS) $(LIBS)
planted_source := $(wildcard $(srcdir)/tests/drivers/planted.c)
OBJECTS += $(call objects,$(planted_source))
test_drivers += $(patsubst $(srcdir)/%.c,%,$(planted_source))
tests/drivers/planted: $(call objects,$(planted_source))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(inputs) $(LIBRARY_LIBS) $(LIBS)
# What test libraries of products share.
product_sources := $(sort $(wildcard $(srcdir)/tests/drivers/products/*.c))
OBJECTS += $(call objects,$(product_sources))
$(call objects,$(product_sources)): private CORE_CPPFLAGS :=
driver_products := $(product_sources) $(srcdir)/tests/drivers/shared/faults.c
# oneDNN for OpenCL, for Level Zero and for processors: they need nobody's headers.
onednn_sources := $(sort $(wildcard $(srcdir)/tests/drivers/onednn/*.c))
onednn_parts := $(filter-out %/tdn_ocl.c %/tdn_ze.c %/tdn_cpu.c,$(onednn_sources)) $(filter-out %/product.c,$(driver_products))
OBJECTS += $(call objects,$(onednn_sources))
$(call objects,$(onednn_sources)): private CORE_CPPFLAGS := -I$(srcdir)/backends
onednn_libraries := $(patsubst %,tests/drivers/onednn/%/libdnnl.so.3,ocl ze cpu)
$(onednn_libraries): tests/drivers/onednn/%/libdnnl.so.3: \
	obj/tests/drivers/onednn/tdn_%.o $(call objects,$(onednn_parts))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -shared -Wl,-soname,$(@F) $(ALL_LDFLAGS) $(NO_UNDEFINED) -o $@ $(inputs) -ldl -lm $(LIBS)
test_drivers += $(onednn_libraries)
ifneq ($(cuda_HEADERS),)
libcuda_sources := $(sort $(wildcard $(srcdir)/tests/drivers/cuda/*.c))
OBJECTS += $(call objects,$(libcuda_sources))
$(call objects,$(libcuda_sources)): private CORE_CPPFLAGS := $(cuda_CPPFLAGS) \
	-DPTX_FOLDER='"$(abspath $(srcdir))/tests/drivers/cuda"'
obj/tests/drivers/cuda/ptx_embed.o: $(wildcard $(srcdir)/tests/drivers/cuda/ptx_*.h)
tests/drivers/cuda/libcuda.so.1: $(call objects,$(libcuda_sources) $(driver_shared))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -shared -Wl,-soname,libcuda.so.1 $(ALL_LDFLAGS) $(NO_UNDEFINED) -o $@ $(inputs) -ldl -lm $(LIBS)
test_drivers += tests/drivers/cuda/libcuda.so.1
# The library of products above it, from the backend's own declarations.
libcublaslt_sources := $(sort $(wildcard $(srcdir)/tests/drivers/cublaslt/*.c))
OBJECTS += $(call objects,$(libcublaslt_sources))
$(call objects,$(libcublaslt_sources)): private CORE_CPPFLAGS :=
tests/drivers/cuda/libcublasLt.so.12: $(call objects,$(libcublaslt_sources) $(driver_products)) \
	tests/drivers/cuda/libcuda.so.1
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -shared -Wl,-soname,$(@F) $(ALL_LDFLAGS) $(NO_UNDEFINED) -o $@ $(inputs) tests/drivers/cuda/libcuda.so.1 -lm $(LIBS)
test_drivers += tests/drivers/cuda/libcublasLt.so.12
endif
# HIP of ROCm 5 with hiprtc inside, and of ROCm 6 and 7 with hiprtc beside it.
ifneq ($(hip_HEADERS),)
hip_runtime := $(sort $(wildcard $(srcdir)/tests/drivers/hip/thip_*.c))
hip_compiler := $(sort $(wildcard $(srcdir)/tests/drivers/hip/trtc_*.c))
hip_faults := $(srcdir)/tests/drivers/shared/faults.c
OBJECTS += $(call objects,$(hip_runtime) $(hip_compiler))
$(call objects,$(hip_runtime) $(hip_compiler)): private CORE_CPPFLAGS := $(hip_CPPFLAGS) \
	-DEMU_FOLDER='"$(abspath $(srcdir))/tests/drivers/hip"'
obj/tests/drivers/hip/trtc_embed.o: $(wildcard $(srcdir)/tests/drivers/hip/emu*.h)
tests/drivers/hip5/libamdhip64.so.5: $(call objects,$(hip_runtime) $(hip_compiler) $(driver_shared))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(srcdir)/tests/drivers/hip/five.map \
		$(ALL_LDFLAGS) $(NO_UNDEFINED) -o $@ $(inputs) -ldl $(LIBS)
tests/drivers/hip6/libamdhip64.so.6 tests/drivers/hip7/libamdhip64.so.7: $(call objects,$(hip_runtime) $(driver_shared))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -shared -Wl,-soname,$(@F) $(ALL_LDFLAGS) $(NO_UNDEFINED) -o $@ $(inputs) -ldl $(LIBS)
tests/drivers/hip6/libhiprtc.so.6 tests/drivers/hip7/libhiprtc.so.7: $(call objects,$(hip_compiler) $(hip_faults))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -shared -Wl,-soname,$(@F) $(ALL_LDFLAGS) $(NO_UNDEFINED) -o $@ $(inputs) -ldl $(LIBS)
# The libraries of products above it, from the backend's own declarations.  rocBLAS of ROCm 7 is linked with
# hipBLASLt.
libhipblaslt_sources := $(sort $(wildcard $(srcdir)/tests/drivers/hipblaslt/*.c))
librocblas_sources := $(sort $(wildcard $(srcdir)/tests/drivers/rocblas/*.c))
OBJECTS += $(call objects,$(libhipblaslt_sources) $(librocblas_sources))
$(call objects,$(libhipblaslt_sources) $(librocblas_sources)): private CORE_CPPFLAGS :=
link_products = $(call say,LD,$@)$(CC) -shared -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN' $(ALL_LDFLAGS) $(NO_UNDEFINED) \
	-o $@ $(inputs) -Wl,--no-as-needed $(1) -lm $(LIBS)
tests/drivers/hip6/libhipblaslt.so.0: $(call objects,$(libhipblaslt_sources) $(driver_products)) tests/drivers/hip6/libamdhip64.so.6
	$(call link_products,tests/drivers/hip6/libamdhip64.so.6)
tests/drivers/hip7/libhipblaslt.so.1: $(call objects,$(libhipblaslt_sources) $(driver_products)) tests/drivers/hip7/libamdhip64.so.7
	$(call link_products,tests/drivers/hip7/libamdhip64.so.7)
tests/drivers/hip6/librocblas.so.4: $(call objects,$(librocblas_sources) $(driver_products)) tests/drivers/hip6/libamdhip64.so.6
	$(call link_products,tests/drivers/hip6/libamdhip64.so.6)
tests/drivers/hip7/librocblas.so.5: $(call objects,$(librocblas_sources) $(driver_products)) tests/drivers/hip7/libamdhip64.so.7 \
	tests/drivers/hip7/libhipblaslt.so.1
	$(call link_products,tests/drivers/hip7/libamdhip64.so.7 tests/drivers/hip7/libhipblaslt.so.1)
test_drivers += tests/drivers/hip6/libhipblaslt.so.0 tests/drivers/hip7/libhipblaslt.so.1 \
	tests/drivers/hip6/librocblas.so.4 tests/drivers/hip7/librocblas.so.5
hip_real_source := $(srcdir)/tests/drivers/hip_real.c
OBJECTS += $(call objects,$(hip_real_source))
$(call objects,$(hip_real_source)): private CORE_CPPFLAGS += -I$(srcdir)/backends $(hip_CPPFLAGS)
tests/drivers/hip_real: $(call objects,$(hip_real_source) $(filter-out %/hip.c,$(wildcard $(srcdir)/backends/hip/*.c))) obj/backends/shared.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(inputs) $(LIBRARY_LIBS) -ldl $(LIBS)
test_drivers += tests/drivers/hip_real
test_drivers += tests/drivers/hip5/libamdhip64.so.5 tests/drivers/hip6/libamdhip64.so.6 \
	tests/drivers/hip6/libhiprtc.so.6 tests/drivers/hip7/libamdhip64.so.7 tests/drivers/hip7/libhiprtc.so.7
endif
ifneq ($(and $(levelzero_HEADERS),$(opencl_HEADERS)),)
libze_sources := $(sort $(wildcard $(srcdir)/tests/drivers/levelzero/*.c))
OBJECTS += $(call objects,$(libze_sources))
$(call objects,$(libze_sources)): private CORE_CPPFLAGS := $(levelzero_CPPFLAGS) $(opencl_CPPFLAGS)
tests/drivers/levelzero/libze_test.so: $(call objects,$(libze_sources) $(driver_shared))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -shared $(ALL_LDFLAGS) $(NO_UNDEFINED) -o $@ $(inputs) -ldl $(LIBS)
test_drivers += tests/drivers/levelzero/libze_test.so
endif

test_files := $(unit_programs) $(fuzz_programs) $(tool_programs) $(stat_programs) $(bad_plugins) $(test_drivers) tests/judge/judge
.PHONY: tests check check-long bench fuzz stat stories
tests: all $(test_files)
ifeq ($(cross_compiling),yes)
check check-long bench fuzz stat stories:
	@echo "$@: what is built here is for another machine: run the tests on one of its kind" >&2; exit 2
else
# For all of both in one run: EVENHAND_TEST_SET=all make check.
check check-long: tests
	@SRC='$(abspath $(srcdir))' BUILD='$(CURDIR)' EVENHAND='$(CURDIR)/bin/evenhand' CC='$(CC)' \
		SANITIZE='$(SANITIZE)' MAKE='$(MAKE)' EVENHAND_TEST_SET="$${EVENHAND_TEST_SET:-$(if $(filter check,$@),short,long)}" \
		sh $(srcdir)/tests/run.sh $(TESTS)

bench: all $(tool_programs)
	@SRC='$(abspath $(srcdir))' BUILD='$(CURDIR)' EVENHAND='$(CURDIR)/bin/evenhand' CC='$(CC)' \
		EVENHAND_BENCH_ON='$(ON)' sh $(srcdir)/tests/bench/run.sh $(BENCH)

# What check runs a sample of, with its full counts.
fuzz: tests
	@SRC='$(abspath $(srcdir))' BUILD='$(CURDIR)' EVENHAND='$(CURDIR)/bin/evenhand' CC='$(CC)' SANITIZE='$(SANITIZE)' \
		EVENHAND_TEST_ROOMS=fuzz EVENHAND_TEST_TIMEOUT=14400 EVENHAND_FUZZ_SEED='$(or $(SEED),$(shell date +%s))' \
		sh $(srcdir)/tests/run.sh $(TESTS)

# What a user does, from end to end, for minutes and with the network.
stories: all
	@SRC='$(abspath $(srcdir))' BUILD='$(CURDIR)' EVENHAND='$(CURDIR)/bin/evenhand' CC='$(CC)' \
		EVENHAND_TEST_ROOMS=stories EVENHAND_TEST_TIMEOUT=1800 sh $(srcdir)/tests/run.sh $(TESTS)

stat: all $(stat_programs) $(bad_plugins)
	@SRC='$(abspath $(srcdir))' BUILD='$(CURDIR)' EVENHAND='$(CURDIR)/bin/evenhand' CC='$(CC)' \
		sh $(srcdir)/tests/stat/run.sh $(STAT)
endif

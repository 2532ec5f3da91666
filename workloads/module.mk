# One shared object per workload folder.  The kernel texts and the dialect are data, read when a
# program is built.  host-kernels has the same texts compiled now, for machines without a compiler;
# spirv has them for Level Zero.
workload_names := $(notdir $(patsubst %/,%,$(sort $(dir $(wildcard $(srcdir)/workloads/*/*.c)))))
$(foreach w,$(workload_names),$(eval $(call plugin_rule,$(w),$(sort $(wildcard $(srcdir)/workloads/$(w)/*.c)),workloads,,-lm)))

kernel_texts := $(sort $(wildcard $(srcdir)/workloads/*.k $(srcdir)/workloads/*/*.k $(srcdir)/plugins/conformance/*.k)) \
	$(srcdir)/workloads/dialect.h
DATA += $(addprefix share/evenhand/workloads/,$(notdir $(kernel_texts)))
define kernel_text_rule
share/evenhand/workloads/$(notdir $(1)): $(1)
	$$(folder)
	$$(copy)
endef
$(foreach k,$(kernel_texts),$(eval $(call kernel_text_rule,$(k))))

# A cross build without a program that runs here has no host kernels.
ifneq ($(KERNEL_PROGRAM),)
host_kernels := lib/evenhand/host-kernels/.stamp
lib/evenhand/host-kernels/.stamp: bin/evenhand $(PLUGINS) $(DATA) $(srcdir)/build-aux/host-kernels.sh flags
	$(call say,GEN,$(@D))sh $(srcdir)/build-aux/host-kernels.sh '$(KERNEL_PROGRAM)' obj/host-kernels $(@D) '$(CC)' '$(HOST_KERNEL_CFLAGS)'
	@touch $@
else
host_kernels :=
endif

spirv_kernels :=
ifneq ($(SPIRV_CLANG),)
spirv_kernels := lib/evenhand/spirv/.stamp
lib/evenhand/spirv/.stamp: bin/evenhand $(PLUGINS) $(DATA) $(srcdir)/build-aux/spirv-kernels.sh flags
	$(call say,GEN,$(@D))sh $(srcdir)/build-aux/spirv-kernels.sh '$(KERNEL_PROGRAM)' obj/spirv $(@D) '$(SPIRV_CLANG)' '$(SPIRV_TRANSLATOR)' '$(SPIRV_VAL)'
	@touch $@
endif

# reconstruct: `make help` lists what can be made, and the switches that override what is found on
# this machine. MPI=1 builds reconstruct-mpi, too; V=1 prints the commands. CFLAGS, CPPFLAGS,
# LDFLAGS, AR, RANLIB, OBJCOPY, STRIP, PKG_CONFIG, bindir, libdir and mandir are those of other
# packages.

.DEFAULT_GOAL := all
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules
# All processors, unless make was told how many.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

PREFIX  ?= /usr/local
LIBDIR  ?= lib
BUILD   ?= build
CFLAGS  ?= -O3 -g -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
LDFLAGS ?= -Wl,-z,relro,-z,now
PKG_CONFIG ?= pkg-config
RANLIB  ?= ranlib
OBJCOPY ?= objcopy
export STRIP ?= strip
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
# Of what is executed while it builds: for another machine, HOSTCC=gcc or EMULATOR=qemu-aarch64.
HOSTCC  ?= $(CC)
# Below PREFIX, or anywhere.
bindir  ?= $(PREFIX)/bin
libdir  ?= $(PREFIX)/$(LIBDIR)
mandir  ?= $(PREFIX)/share/man
below_prefix = $(patsubst @%,%,$(subst @$(PREFIX)/,,@$(1)))
BIN := $(call below_prefix,$(bindir))
LIB := $(call below_prefix,$(libdir))
MAN := $(call below_prefix,$(mandir))
# A word of the shell.
quote = '$(subst ','\'',$(1))'
# The newest release. `make RELEASE=1.0.0` is that one; of other builds docs/version.sh tells.
RELEASE := 0.1.0
VERSION := $(if $(filter command%,$(origin RELEASE)),$(RELEASE),$(shell docs/version.sh $(RELEASE)))
# What of it is for comparing: of 1.0.0+5.g0123456789 the 1.0.0.
NUMBER := $(firstword $(subst +, ,$(VERSION)))
# The address where the sources are, without it nothing names one.
REPOSITORY ?=

# ---- packages ----------------------------------------------------------------------------------

# What a fresh Debian or Ubuntu needs; CUDA comes from NVIDIA (README.md). What the tests and
# continuous integration need comes with a goal of theirs, as in `make deps check`.
PACKAGES := gcc g++ make pkg-config libnetpbm-dev libpng-dev libjpeg-dev libtiff-dev libsdl2-dev \
	libsdl2-ttf-dev libfontconfig-dev fonts-dejavu-core libfftw3-dev \
	$(if $(filter deb release,$(MAKECMDGOALS)),build-essential debhelper)
TEST_PACKAGES := libcmocka-dev xvfb xdotool imagemagick clang clang-format valgrind slurmctld \
	slurmd slurm-client munge libopenmpi-dev openmpi-bin groff-base mandoc cmake fish zsh \
	desktop-file-utils librsvg2-bin python3 python3-numpy python3-venv python3-pip locales \
	appstream gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
ifneq ($(filter-out deps all demo bench sample install deb dist,$(MAKECMDGOALS)),)
PACKAGES += $(TEST_PACKAGES) $(if $(filter ci,$(MAKECMDGOALS)),debootstrap)
endif

ifneq ($(filter deps,$(MAKECMDGOALS)),)
# What is on this machine is looked up when make starts: after installing, make starts again.
AFTER_DEPS := $(filter-out deps,$(MAKECMDGOALS))
.PHONY: deps $(AFTER_DEPS)
deps:
	@echo 'packages: $(PACKAGES)'
	@command -v apt-get >/dev/null || { echo "no apt-get here: install what these Debian" \
	  "packages hold; docs/usage.md has the names on Fedora, openSUSE and Arch" >&2; exit 69; }
	@sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	if dpkg -s $(PACKAGES) >/dev/null 2>&1; then echo 'all there'; else \
	  $$sudo apt-get update && $$sudo env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y --no-install-recommends $(PACKAGES) \
	    $$(apt-cache show libclang-rt-dev >/dev/null 2>&1 && echo libclang-rt-dev); fi
$(AFTER_DEPS): deps
	@$(MAKE) --no-print-directory $@
else

# ---- what is on this machine ------------------------------------------------------------------

package = $(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo 1 || echo 0)
have_header = $(shell printf '\043include <%s>\nint main(void){return 0;}\n' '$(1)' | \
	$(CC) $(CPPFLAGS) $(CFLAGS) $(2) -x c -fsyntax-only - >/dev/null 2>&1 && echo 1 || echo 0)

# Cleaning and explaining must work before there is a compiler. And where the build folder belongs
# to somebody else, as with `sudo make install`, what is there is installed as it was built: root
# finds other tools than the user did, and what it wrote there the user could not write again.
AS_BUILT ?= $(shell test -e $(BUILD)/config && ! test -O $(BUILD)/config && echo 1)
BUILDS_NOTHING := help clean uninstall $(if $(AS_BUILT),install)
ifneq ($(if $(MAKECMDGOALS),$(filter-out $(BUILDS_NOTHING),$(MAKECMDGOALS)),all),)

MACHINE := $(shell $(CC) $(CFLAGS) -dumpmachine)
NVCC := $(firstword $(wildcard $(CUDA_PATH)/bin/nvcc) $(if $(CUDA_PATH),,$(shell command -v nvcc) \
	$(wildcard /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc)))
CUDA ?= $(if $(NVCC),1,0)
SDL ?= $(call package,sdl2)
TTF ?= $(call package,'SDL2_ttf >= 2.0.18' fontconfig)
ifeq ($(CUDA),1)
CUDA_HOME := $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
CUDA_TARGET := targets/$(if $(filter aarch64-%,$(MACHINE)),sbsa,x86_64)-linux
CUDA_INCLUDE := $(firstword $(wildcard $(addprefix $(CUDA_HOME)/,include $(CUDA_TARGET)/include)))
CUDA_LIB := $(firstword $(wildcard $(addprefix $(CUDA_HOME)/,lib64 $(CUDA_TARGET)/lib lib)))
endif
# The spectral solver on the CPU. FFT=0 leaves it out; on a device it needs no library.
FFT ?= 1
FFTW := $(if $(filter 1,$(FFT)),$(call package,fftw3),0)
PNG ?= $(call package,libpng)
JPEG ?= $(call package,libjpeg)
TIFF ?= $(call package,'libtiff-4 >= 4.0.10')
NVTX_FLAGS := $(addprefix -isystem ,$(CUDA_INCLUDE))
NVTX ?= $(call have_header,nvtx3/nvToolsExt.h,$(NVTX_FLAGS))
NETPBM_FLAGS := $(shell $(PKG_CONFIG) --cflags netpbm 2>/dev/null)
NETPBM_LIBS := $(or $(shell $(PKG_CONFIG) --libs netpbm 2>/dev/null),-lnetpbm)
NETPBM := $(call have_header,netpbm/pam.h,$(NETPBM_FLAGS))
CMOCKA := $(call have_header,cmocka.h,-include stdarg.h -include stddef.h -include setjmp.h)
# MPI, for reconstruct-mpi alone: Open MPI or MPICH (MPI_PACKAGE=mpich where both are), by
# pkg-config, by their compiler, or where headers and libraries are looked for anyway.
MPI ?= 0
ifeq ($(MPI),1)
MPI_PACKAGE := $(firstword $(foreach p,ompi-c mpich mpi-c, \
	$(if $(filter 1,$(call package,$(p))),$(p))))
MPI_WORDS := $(if $(MPI_PACKAGE),$(shell $(PKG_CONFIG) --cflags --libs $(MPI_PACKAGE)),$(or \
	$(shell mpicc -show 2>/dev/null),-lmpi))
MPI_FLAGS := $(patsubst -I%,-isystem %,$(filter -I%,$(MPI_WORDS)))
MPI_LIBS := $(filter -L% -l% -Wl%,$(MPI_WORDS))
endif

# ---- flags ------------------------------------------------------------------------------------

UNSAFE := $(filter -ffast-math -Ofast -ffinite-math-only -funsafe-math-optimizations \
	-fassociative-math -freciprocal-math,$(CFLAGS) $(CPPFLAGS) $(LDFLAGS))
$(if $(UNSAFE),$(error $(UNSAFE) would change what is computed: leave it out of CFLAGS))

# Functions of an interface need not use all of its parameters.
WARNINGS := -Wall -Wextra -Wno-unused-parameter -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Werror=switch -Werror=switch-enum
# Of the programs that draw sample and icon.
PLAIN_FLAGS = -std=gnu11 -O2 $(WARNINGS) $(if $(WERROR),-Werror) -ffp-contract=off
# -ffp-contract=off: the arithmetic contract of kernels/stencil.h. -fopenmp-simd needs no library.
C_FLAGS := -std=gnu11 $(CPPFLAGS) $(CFLAGS) $(WARNINGS) $(if $(WERROR),-Werror) \
	-ffp-contract=off -pthread -fopenmp-simd -fPIC -fvisibility=hidden \
	-fno-semantic-interposition -D_GNU_SOURCE -Isrc -I. $(SANITIZE)
# With which everything is linked.
LINK = $(CC) $(C_FLAGS) $(LDFLAGS)
# CORE_LIBS are those of libreconstruct.
LIBS = $(FORMAT_LIBS) $(CORE_LIBS)
FORMAT_LIBS := $(NETPBM_LIBS)
CORE_LIBS := -lm -ldl -pthread
# The flags of packages, where switch $(1) is on; their libraries are linked by $(3).
use = $(if $(filter 1,$($(1))), \
	$(eval C_FLAGS += $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(2)))) \
	$(eval $(3) += $(shell $(PKG_CONFIG) --libs $(2))))
$(call use,FFTW,fftw3,CORE_LIBS)
$(call use,PNG,libpng,FORMAT_LIBS)
$(call use,JPEG,libjpeg,FORMAT_LIBS)
$(call use,TIFF,libtiff-4,FORMAT_LIBS)
# Opened by the program when a window is.
$(call use,SDL,sdl2,TEST_LIBS)
override TTF := $(if $(filter 1,$(SDL)),$(TTF),0)
$(call use,TTF,SDL2_ttf fontconfig,OPENED)
C_FLAGS += $(foreach have,CUDA FFTW PNG JPEG TIFF SDL TTF NVTX, \
	-DREC_HAVE_$(have)=$(if $(filter 1,$($(have))),1,0))
C_FLAGS += $(if $(filter 1,$(NVTX)),$(NVTX_FLAGS))
ifeq ($(CUDA),1)
C_FLAGS += -isystem $(CUDA_INCLUDE)
CORE_LIBS += -L$(CUDA_LIB) -lcudart_static -lstdc++ -ldl -lrt
# Code for the card that is here. Without one: for the H100 and H200, and PTX that every supported
# card can load. CUDA_ARCH=all is for packages.
CUDA_ARCH ?= $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
	tr -d . | sort -u)
CUDA_CODE := $(if $(filter all,$(CUDA_ARCH)),75 80 86 89 90 100 120,$(or $(CUDA_ARCH),90))
CUDA_PTX := $(if $(filter all,$(CUDA_ARCH)),120,$(if $(CUDA_ARCH),,75))
# -fmad=false: the arithmetic contract; the update's fma is written out.
NVCC_FLAGS := -std=c++17 -O3 $(if $(LINEINFO),-lineinfo) -fmad=false -I. \
	$(foreach a,$(CUDA_CODE),-gencode arch=compute_$(a),code=sm_$(a)) \
	$(foreach a,$(CUDA_PTX),-gencode arch=compute_$(a),code=compute_$(a)) \
	$(if $(WERROR),-Werror all-warnings) \
	-Xcompiler -Wall,-Wextra,-Werror=switch,-Werror=switch-enum,-fPIC,-fvisibility=hidden
endif

# ---- sources ----------------------------------------------------------------------------------

# Everything but what has a main is in the library: a program, a test, links what it uses.
ROWS := src/solver/cpu/cpu_rows src/solver/convolution/convolution_rows \
	src/solver/multigrid/multigrid_rows
SOURCES := $(filter-out src/main.c src/bench/bench.c src/solver/ranks/% $(ROWS:%=%.c), \
	$(sort $(shell find src -name '*.c')))
without = $(if $(filter 1,$(1)),,$(2))
SOURCES := $(filter-out $(call without,$(CUDA),src/solver/cuda/% src/display/cuda_% \
	src/device/cuda_% src/solver/convolution/convolution_cuda.c src/solver/spectral/device/% \
	src/solver/multigrid/cuda_%) \
	$(if $(filter 1,$(CUDA)),src/device/no_devices.c) \
	$(call without,$(PNG),src/image/formats/png.c) $(call without,$(JPEG),src/image/formats/jpeg%) \
	$(call without,$(TIFF),src/image/formats/tiff%) \
	$(call without,$(FFTW),src/solver/spectral/host/%) \
	$(if $(filter 01 10 11,$(FFTW)$(CUDA)),,src/solver/spectral/spectral_solver.c) \
	$(if $(filter 1,$(SDL)),src/view/absent.c,$(shell grep -l SDL $$(find src/view/*/ -name '*.c'))), \
	$(SOURCES))
CPU_ROWS := base $(if $(filter x86_64-%,$(MACHINE)),avx2 avx512)
C_FLAGS += $(if $(filter avx2,$(CPU_ROWS)),-DREC_X86=1)
CPU_FLAGS_avx2 := -mavx2 -mfma
CPU_FLAGS_avx512 := -mavx512f -mavx512vl -mavx512dq -mfma -mprefer-vector-width=512

LIB_OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(foreach set,$(CPU_ROWS),$(ROWS:%=$(BUILD)/%_$(set).o))
ifeq ($(CUDA),1)
# First, since they take longest. resident.cu is one object a row of its table.
# exercise.cu is for --mine.
KERNELS := $(filter-out kernels/resident.cu kernels/ladder/exercise.cu, \
	$(wildcard kernels/*.cu kernels/ladder/*.cu))
SHAPES := $(shell sed -nE 's/^ *SHAPE.([0-9]+),.*/\1/p' kernels/resident_shapes.h)
LIB_OBJECTS := $(SHAPES:%=$(BUILD)/kernels/resident.%.o) $(KERNELS:%.cu=$(BUILD)/%.o) $(LIB_OBJECTS)
endif
LIB_OBJECTS += $(if $(filter 1,$(SDL)),$(BUILD)/icon_pixels.o)
PROGRAM_OBJECTS := $(BUILD)/src/main.o
BENCH_OBJECTS := $(BUILD)/src/bench/bench.o
MPI_OBJECTS := $(BUILD)/src/solver/ranks/ranks_mpi.o
MANUAL_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard docs/*.c))

# A change of flags rebuilds everything, a new version one file.
differ = $(subst x$(1),,x$(2))$(subst x$(2),,x$(1))
keep = $(if $(call differ,$(file <$(BUILD)/$(1)),$(2)), \
	$(shell mkdir -p $(BUILD))$(file >$(BUILD)/$(1),$(2)))
$(call keep,config,$(LINK) $(NVCC_FLAGS) $(LIBS))
$(call keep,version,$(VERSION))
$(call keep,places,$(BIN) $(LIB) $(MAN) $(NUMBER) $(REPOSITORY))

-include $(shell test -d $(BUILD) && find $(BUILD) -type f -name '*.d')

endif # targets that build

# ---- building ---------------------------------------------------------------------------------

.PHONY: all help found demo bench profile deb dist release wheel install uninstall clean sample \
	format compile_commands.json

# A line of what is made from what; with V=1 the command.
say = $(if $(V),,@printf '%-5s %s\n' '$(1)' '$(2)';)

PROGRAMS := $(BUILD)/reconstruct $(BUILD)/reconstruct-bench \
	$(if $(filter 1,$(MPI)),$(BUILD)/reconstruct-mpi)
all: found $(PROGRAMS) $(BUILD)/installs ## build ./reconstruct from what is there
ifeq ($(BUILD),build)
	@for p in $(PROGRAMS:$(BUILD)/%=%); do \
	  cmp -s $(BUILD)/$$p $$p || install -m 755 $(BUILD)/$$p $$p; done
endif

yes = $(if $(filter 1,$(1)),yes,no )
CUDA_SAYS = $(NVCC) for $(CUDA_CODE)$(addprefix ; PTX of ,$(CUDA_PTX))
MPI_SAYS = $(or $(MPI_PACKAGE),mpicc) (reconstruct-mpi: one image over several processes)
found:
	@printf '%s\n' \
	  "compiler          $$($(CC) --version | head -1)" \
	  "libnetpbm    $(call yes,$(NETPBM))  (the window's plain letters: needed)" \
	  "CUDA         $(call yes,$(CUDA))  $(if $(filter 1,$(CUDA)),$(CUDA_SAYS))" \
	  "FFTW         $(call yes,$(FFTW))  (the exact picture, on the CPU)" \
	  "libpng       $(call yes,$(PNG))  (PNG in and out)" \
	  "libjpeg      $(call yes,$(JPEG))  (JPEG)" \
	  "libtiff      $(call yes,$(TIFF))  (TIFF)" \
	  "SDL2         $(call yes,$(SDL))  (the window)" \
	  "SDL2_ttf     $(call yes,$(TTF))  (its letters, with fontconfig; without it a bitmap font)" \
	  $(if $(filter 1,$(MPI)),"MPI          yes  $(MPI_SAYS)") \
	  "NVTX         $(call yes,$(NVTX))  (ranges for Nsight Systems)" \
	  "cmocka       $(call yes,$(CMOCKA))  (unit tests)"
	@test '$(NETPBM)' = 1 || \
	  { echo "libnetpbm's headers are missing: make deps installs them" >&2; exit 1; }

$(BUILD)/%.o: %.c $(BUILD)/config
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(C_FLAGS) -MMD -MP -c $< -o $@

# Textbook loops that are measured: across two lines of the cache they take half as long again.
$(BUILD)/src/bench/rungs_cpu.o: C_FLAGS += -falign-loops=64

# Inner loops, once for each instruction set.
define rows_of
$(BUILD)/src/%_rows_$(1).o: C_FLAGS += $$(CPU_FLAGS_$(1)) -DREC_ROWS=$(1)
$(BUILD)/src/%_rows_$(1).o: src/%_rows.c $(BUILD)/config
	@mkdir -p $$(@D)
	$$(call say,CC,$$< ($(1)))$$(CC) $$(C_FLAGS) -MMD -MP -c $$< -o $$@
endef
$(foreach set,$(CPU_ROWS),$(eval $(call rows_of,$(set))))

# setmaxnreg is there with the 'a' alone.
$(BUILD)/kernels/diagonal.o: NVCC_FLAGS := $(subst _90,_90a,$(NVCC_FLAGS))
$(BUILD)/kernels/%.o: kernels/%.cu $(BUILD)/config
	@mkdir -p $(@D)
	$(call say,NVCC,$<)$(NVCC) $(NVCC_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/kernels/resident.%.o: kernels/resident.cu $(BUILD)/config
	@mkdir -p $(@D)
	$(call say,NVCC,$< ($*))$(NVCC) $(NVCC_FLAGS) -DREC_SHAPE=$* -MMD -MP -c $< -o $@

# Folders of the build are nobody's business, and change the bytes.
SAID = $(filter-out -ffile-prefix-map=% -fdebug-prefix-map=% -fmacro-prefix-map=% -U%,$(CFLAGS))
$(BUILD)/src/base/version.o: C_FLAGS += -DREC_VERSION='"$(VERSION)"' \
	-DREC_BUILD='"$(CC) $(shell $(CC) -dumpversion) $(SAID)$(if $(BUILT_AS),; $(BUILT_AS))"'
$(BUILD)/src/base/version.o: $(BUILD)/version

$(BUILD)/objects.a: $(LIB_OBJECTS)
	@rm -f $@
	$(call say,AR,$@)$(AR) rc $@ $^ && $(RANLIB) $@

# reconstruct-bench: the ladder of kernels, which `reconstruct bench` executes. reconstruct-mpi: the
# same program, but for the ranks: its own come first, and the library's stay there.
$(BUILD)/reconstruct: $(PROGRAM_OBJECTS)
$(BUILD)/reconstruct-bench: $(BENCH_OBJECTS)
$(BUILD)/reconstruct-mpi: $(PROGRAM_OBJECTS) $(MPI_OBJECTS)
$(BUILD)/src/solver/ranks/%.o: C_FLAGS += $(MPI_FLAGS)
$(PROGRAMS): $(BUILD)/objects.a
	$(call say,LINK,$@)$(LINK) $(filter %.o,$^) $< $(LIBS) $(if $(filter %-mpi,$@),$(MPI_LIBS)) -o $@

# ---- libreconstruct ---------------------------------------------------------------------------

# What src/api needs of the objects. The helper threads of a team live until the process ends:
# the library is never unloaded.
API := $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/api/*.c)) $(BUILD)/objects.a
$(BUILD)/libreconstruct.so.0: $(API) src/api/reconstruct.map
	$(call say,LINK,$@)$(LINK) -shared -Wl,-soname,$(@F),-z,nodelete,--as-needed \
	  -Wl,--version-script=src/api/reconstruct.map $(if $(SANITIZE),,-Wl,-z,defs) $(API) \
	  $(CORE_LIBS) -o $@
# One object, in which other names than the interface's are local; those of C++ are not shared with
# other objects then.
$(BUILD)/libreconstruct.a: $(API)
	@rm -f $@
	$(call say,AR,$@)$(CC) $(if $(filter -flto%,$(CFLAGS)),$(C_FLAGS) -flinker-output=nolto-rel) \
	  -r -nostdlib -Wl,--force-group-allocation $(API) \
	  -o $(BUILD)/libreconstruct.o && \
	  $(OBJCOPY) --localize-hidden $(BUILD)/libreconstruct.o && \
	  $(AR) rc $@ $(BUILD)/libreconstruct.o && $(RANLIB) $@
$(BUILD)/reconstruct.h: src/api/reconstruct.h $(BUILD)/places
	@set -- $(subst ., ,$(NUMBER)); sed "s/@MAJOR@/$$1/; s/@MINOR@/$$2/; s/@PATCH@/$$3/" $< > $@
space := $() $()
# From LIB.
INCLUDE := $(or $(if $(filter /%,$(LIB)),$(PREFIX)), \
	$(subst $(space),/,$(patsubst %,..,$(subst /, ,$(LIB)))))/include
$(BUILD)/reconstruct.pc: $(BUILD)/config $(BUILD)/places
	@printf '%s\n' 'libdir=$${pcfiledir}/..' 'archive=$${libdir}/libreconstruct.a $(CORE_LIBS)' \
	  'includedir=$(if $(filter ..%,$(INCLUDE)),$${libdir}/)$(INCLUDE)' \
	  'Name: reconstruct' "Description: Poisson's equation on images: exact, or by iterations" \
	  'Version: $(NUMBER)' $(if $(REPOSITORY),'URL: $(REPOSITORY)') \
	  'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lreconstruct' \
	  'Libs.private: $(CORE_LIBS)' > $@
$(BUILD)/reconstruct.3: $(BUILD)/reconstruct.h docs/header.awk docs/library.md
	$(call say,MAKE,$@)awk -f docs/header.awk $< > $@

include docs/docs.mk

# ---- the sample --------------------------------------------------------------------------------

SAMPLE := data/castle-edges.pgm

$(BUILD)/castle: data/castle.c $(wildcard data/castle/*.h) $(BUILD)/config
	@mkdir -p $(@D)
	$(call say,CC,$<)$(HOSTCC) $(PLAIN_FLAGS) $< -lm -o $@

sample: $(BUILD)/castle $(BUILD)/reconstruct ## draw the sample picture and make its edges again
	$(BUILD)/castle 768 768 > data/castle.pgm
	$(BUILD)/reconstruct edges data/castle.pgm -o $(SAMPLE)

demo: ## reconstruct the sample: in a window, or without a display exactly into demo/castle.pgm
	@$(MAKE) --no-print-directory all
	@set -- $(SAMPLE); says=; \
	if [ '$(SDL)' != 1 ] || [ -z "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]; then mkdir -p demo; \
	  set -- --headless "$$@" -o demo/castle.pgm; says="the picture is in $(CURDIR)/demo/castle.pgm"; \
	fi; echo "./reconstruct $$*"; ./reconstruct "$$@" && { [ -z "$$says" ] || echo "$$says"; }

include tests/tests.mk

# ---- the rest ----------------------------------------------------------------------------------

BENCH_ARGS ?= --size 2048,8192
bench: all ## climb the ladder of kernels: each checked, then timed (BENCH_ARGS)
	$(BUILD)/reconstruct-bench $(BENCH_ARGS)
profile: ## what Nsight Compute and Nsight Systems see of the ladder (PROFILE_ARGS: for `bench`)
	@$(MAKE) --no-print-directory LINEINFO=1 BUILD=$(BUILD)/lines all
	kernels/ladder/profile.sh $(BUILD)/lines/reconstruct-bench $(PROFILE_ARGS)

DIST := dist
dist: ## the sources in dist/, for make and for pip, always of the same bytes, and a release's notes
	@docs/dist.sh '$(VERSION)' '$(DIST)' '$(REPOSITORY)'
deb: dist ## Debian packages of this tree, without CUDA, in dist/
	@rm -rf build/deb && mkdir -p build/deb
	@tar -xzf '$(DIST)/reconstruct-$(VERSION).tar.gz' -C build/deb
	+@cd 'build/deb/reconstruct-$(VERSION)' && unset MAKEFLAGS MAKELEVEL && \
	  DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -us -uc -b
	@mv build/deb/*.deb '$(DIST)'
release: ## all files of a release, from a clean tree, in dist/ (RELEASE=1.0.0 KEY=... of gpg)
	+@docs/release.sh '$(VERSION)' '$(filter-out -g,$(CFLAGS))' '$(REPOSITORY)' '$(KEY)'

install: $(if $(AS_BUILT),,all) ## install under PREFIX (/usr/local), below DESTDIR
	@docs/install.sh install $(call quote,$(BUILD)) $(call quote,$(PREFIX)) $(call quote,$(DESTDIR))
uninstall: ## remove what install installed, and the folders that it made
	@docs/install.sh uninstall $(call quote,$(PREFIX)) $(call quote,$(DESTDIR))

format: ## format the lines of C and CUDA that are not committed yet, as .clang-format says
	git clang-format --extensions c,h,cu,cuh HEAD

compile_commands.json: Makefile ## how each file is compiled, for editors
	@$(MAKE) --no-print-directory --always-make --dry-run V=1 all unit | awk -v at='$(CURDIR)' \
	  '/ -c [^ ]+ -o [^ ]+$$/ { gsub(/[\\"]/, "\\\\&"); \
	     printf "%s{\"directory\": \"%s\", \"file\": \"%s\", \"command\": \"%s\"}", \
	       n++ ? ",\n" : "[\n", at, $$(NF - 2), $$0 } END { print "\n]" }' > $@

clean: ## remove what was built
	rm -rf build dist demo reconstruct reconstruct-bench reconstruct-mpi compile_commands.json

endif # deps

help: ## this list
	@printf '%-28s%s\n' 'make deps' \
	  'install the packages (Debian, Ubuntu); make deps demo, make deps check'
	@sed -nE 's/^([a-z_.-]+):.*## (.*)/make \1\t\2/p' Makefile tests/tests.mk | expand -t 28
	@echo 'switches: CUDA=0 SDL=0 TTF=0 PNG=0 JPEG=0 TIFF=0 FFT=0 NVTX=0 MPI=1' \
	  'CUDA_PATH=... CUDA_ARCH=80 CC=clang BUILD=folder'

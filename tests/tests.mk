# The tests, included by the Makefile: how their programs are built, and the ways to run them.

.PHONY: unit check asan tsan fuzz fuzz-programs coverage faults kills soak monkey monkey-run \
	sanitize ci ci-compile ci-build

UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
FUZZ_TESTS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
TEST_SUPPORT := $(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c))
TEST_SUPPORT := $(TEST_SUPPORT:%.c=$(BUILD)/%.o)

# ---- parts for tests ---------------------------------------------------------------------------

# They are compiled more often than run.
$(BUILD)/tests/unit/%.o: C_FLAGS += -O1
# What the worker and the window tell each other, and what is drawn, is listened to on the way.
ifeq ($(SDL),1)
$(BUILD)/tests/test_window_events: LISTEN := rec_worker_publish rec_worker_want \
	rec_job_open rec_job_save \
	rec_libraries_open rec_solver_mark
endif
$(BUILD)/tests/test_view: LISTEN := rec_job_open_jumper rec_run_step
$(BUILD)/tests/test_paint: LISTEN := rec_labels_find rec_labels_stop
$(BUILD)/tests/test_spectral_solver: LISTEN := rec_device_available
# Which way iterations take.
$(BUILD)/tests/test_fast_way: LISTEN := rec_cpu_tiles_iterate \
	$(if $(filter 1,$(CUDA)),rec_launch_pixel rec_launch_stream rec_launch_diagonal \
	rec_launch_resident)
# Devices that need not be here.
ifeq ($(CUDA),1)
$(BUILD)/tests/test_resident_tiles: LISTEN := cudaGetDevice cudaDeviceGetAttribute \
	cudaFuncGetAttributes cudaFuncSetAttribute \
	cudaOccupancyMaxActiveBlocksPerMultiprocessor \
	cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags \
	cudaMemGetInfo rec_launch_pixel rec_launch_stream rec_launch_diagonal rec_launch_rotate \
	rec_launch_resident
$(BUILD)/tests/test_room: LISTEN := cudaMalloc cudaMallocHost cudaFree cudaFreeHost \
	cudaStreamCreateWithFlags cudaStreamSynchronize cudaStreamDestroy \
	cudaEventCreate cudaEventCreateWithFlags cudaEventDestroy \
	cudaSetDevice cudaGetDeviceCount cudaGetDeviceProperties cudaMemGetInfo
endif
# The system reads and writes in ways of the test's own.
$(BUILD)/tests/test_image_raster $(BUILD)/tests/test_samples: LISTEN := pread pwrite
$(BUILD)/tests/test_image_output $(BUILD)/tests/test_output_rights: \
	LISTEN := open fchmod fchown
$(BUILD)/tests/test_team: LISTEN := pthread_create
$(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(TEST_SUPPORT) $(BUILD)/objects.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(LINK) $(LISTEN:%=-Wl,--wrap=%) $(filter %.o,$^) \
	  $(filter %.a,$^) $(LIBS) $(TEST_LIBS) -lcmocka -o $@

$(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/memory_file.o \
		$(if $(FUZZER),,$(BUILD)/tests/fuzz/replay.o) $(BUILD)/objects.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(LINK) $(FUZZER) $^ $(LIBS) -o $@

# ---- tests -------------------------------------------------------------------------------------

# Those that take longest come first. WITHOUT='slurm.sh iterates' leaves out some, ONLY= the others.
FIRST := slurm.sh views.sh inputs.sh documents.sh iterates device_iterates limits convolution run
ALL_TESTS := $(filter-out $(addprefix %/test_,$(WITHOUT)), \
	$(filter $(or $(addprefix %/test_,$(ONLY)),%), \
	$(if $(filter 1,$(SDL)),$(wildcard tests/window/test_*.sh)) $(wildcard tests/cli/test_*.sh) \
	$(UNIT_TESTS) $(FUZZ_TESTS)))
TESTS := $(foreach name,$(FIRST),$(filter %/test_$(name),$(ALL_TESTS))) \
	$(filter-out $(addprefix %/test_,$(FIRST)),$(ALL_TESTS))

unit: $(UNIT_TESTS) $(FUZZ_TESTS) $(BUILD)/castle ## build the unit tests and what they need

# Each test is a goal of its own, so that make keeps all processors busy: with other tests, with
# what is still compiled, with the tests of another build.
RESULTS := $(BUILD)/results
RUNS := $(TESTS:%=%.run)
RUN = @RECONSTRUCT='$(abspath $(BUILD))/reconstruct' CASTLE='$(abspath $(BUILD))/castle' \
	TEST_JOBS='$(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS)))' tests/run.sh
.PHONY: $(RUNS) $(RESULTS)
check: all $(RUNS) ## all tests; what needs a GPU is skipped where there is none
	$(RUN) --sum $(RESULTS) $(words $(RUNS))
$(RUNS): %.run: $(RESULTS)
	$(RUN) --one $(RESULTS) $*
$(filter tests/%,$(RUNS)): $(BUILD)/castle $(PROGRAMS) $(BUILD)/installs
$(filter $(BUILD)/%,$(RUNS)): %.run: %
tests/cli/test_handover.sh.run: $(BUILD)/reconstruct-late
$(BUILD)/reconstruct-late: $(PROGRAM_OBJECTS) $(BUILD)/tests/late_device.o \
		$(BUILD)/objects.a
	$(call say,LINK,$@)$(LINK) -Wl,--wrap=rec_solver_with_device $^ $(LIBS) -o $@
ifeq ($(CUDA),1)
tests/cli/test_faults.sh.run: $(BUILD)/reconstruct-faults
tests/cli/test_ranks.sh.run: $(if $(filter 1,$(MPI)),$(BUILD)/reconstruct-mpi-faults)
endif
$(BUILD)/reconstruct-mpi-faults: $(MPI_OBJECTS)
$(BUILD)/reconstruct-faults $(BUILD)/reconstruct-mpi-faults: $(PROGRAM_OBJECTS) \
		$(BUILD)/tests/cuda_faults.o $(BUILD)/objects.a
	$(call say,LINK,$@)$(LINK) -Wl,--wrap=cudaMalloc,--wrap=cudaMallocHost \
	  -Wl,--wrap=cudaIpcOpenMemHandle,--wrap=cudaMemGetInfo \
	  $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(MPI_LIBS) -o $@
$(RESULTS):
	@rm -rf $@ && mkdir -p $@
# The same tests of a build for a sanitizer.
SANITIZING = SANITIZED=1 RECONSTRUCT_TESTS=small ASAN_OPTIONS=allocator_may_return_null=1 \
	UBSAN_OPTIONS=print_stacktrace=1 \
	LSAN_OPTIONS=suppressions='$(CURDIR)/tests/leaks':print_suppressions=0 \
	TSAN_OPTIONS=allocator_may_return_null=1:exitcode=99:die_after_fork=0 \
	$(MAKE) --no-print-directory
# Leaks are looked for but where a graphics driver is, which keeps memory to the end by design.
ASAN = BUILD=$(BUILD)/asan CFLAGS='-O1 -g1 -fno-omit-frame-pointer' \
	SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' CUDA=0
asan: ## the program's tests under the address, leak and undefined-behaviour sanitizers
	+@$(SANITIZING) $(ASAN) check WITHOUT='$(WITHOUT) code.sh install.sh'
TSAN = BUILD=$(BUILD)/tsan CC=clang CFLAGS='-O1 -g1' SANITIZE=-fsanitize=thread CUDA=0
THREADED := team iterates looks solver layers marks view paint reload window_events inputs history \
	handover spectral_solver
tsan: ## the tests of what has threads under the thread sanitizer
	+@$(SANITIZING) $(TSAN) check ONLY='$(THREADED) main_job.sh'

# Loops with so many counters are not vectorised.
FUZZ = BUILD=$(BUILD)/fuzz CC=clang CFLAGS='-O$(if $(QUICK),0,1) -g1' CUDA=0 SDL=0 \
	FUZZER=-fsanitize=fuzzer SANITIZE='-fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all -Wno-pass-failed'
fuzz: ## random inputs for readers and options, under the sanitizers (MINUTES=10 in all)
	@$(MAKE) --no-print-directory $(FUZZ) fuzz-programs
	@tests/fuzz/run.sh '$(MINUTES)' $(BUILD)/fuzz/tests
fuzz-programs: $(FUZZ_TESTS)
# Their counters make clang optimise these loops for minutes.
ifneq ($(FUZZER),)
$(CPU_ROWS:%=$(BUILD)/src/solver/convolution/convolution_rows_%.o): C_FLAGS += -O0
endif
# Of what reads files and options, by default as far as the fuzzers' inputs get.
COVERED := src/image src/run src/job src/commands src/cli src/bench/bench_settings.c
PROFILES = $(abspath $(BUILD))/coverage/profiles
FUZZED = $(FUZZ_TESTS:$(BUILD)/%=$(BUILD)/coverage/%)
coverage: ## the lines that the fuzzers' inputs reach, or those that TESTS=... do
	@rm -rf $(PROFILES)
	+@LLVM_PROFILE_FILE=$(PROFILES)/%4m.profraw RECONSTRUCT_TESTS=small $(MAKE) \
	  --no-print-directory BUILD=$(BUILD)/coverage CC=clang CFLAGS='-O1 -g1' CUDA=0 \
	  SANITIZE='-fprofile-instr-generate -fcoverage-mapping' check \
	  TESTS='$(if $(filter command%,$(origin TESTS)),$(TESTS),$(FUZZED))'
	@llvm-profdata merge $(PROFILES)/*.profraw -o $(PROFILES)/all
	@llvm-cov report $(BUILD)/coverage/reconstruct $(patsubst %,-object %, \
	  $(BUILD)/coverage/reconstruct-bench $(wildcard $(BUILD)/coverage/tests/*_*)) \
	  -instr-profile=$(PROFILES)/all -show-region-summary=0 -show-branch-summary=0 $(COVERED)
KILLS ?= 1000
HOURS ?= 8
faults: ## each call that can fail fails once: memory, files, threads
	+@FAULTS=all TEST_LIMIT=7200 $(MAKE) --no-print-directory check TESTS=tests/cli/test_faults.sh
kills: ## KILLS=1000 runs killed at random moments and started again
	+@KILLS=$(KILLS) TEST_LIMIT=7200 $(MAKE) --no-print-directory check TESTS=tests/cli/test_kills.sh
soak: all ## window and lists side by side for HOURS=8: nothing grows, nothing is left
	@RECONSTRUCT='$(abspath $(BUILD))/reconstruct' tests/soak.sh '$(HOURS)'

MINUTES ?= 10
SEED ?=
monkey: ## random keys, mouse, files in the window, under the sanitizers (MINUTES=10 SEED=...)
	@$(MAKE) --no-print-directory $(ASAN) $(BUILD)/asan/reconstruct
	@$(MAKE) --no-print-directory $(ASAN) monkey-run
monkey-run: $(BUILD)/reconstruct
	@RECONSTRUCT='$(abspath $(BUILD))/reconstruct' MONKEY_LOG='$(abspath $(BUILD))/monkey.log' \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	  UBSAN_OPTIONS=print_stacktrace=1 tests/window/monkey.sh '$(MINUTES)' $(SEED)

sanitize: ## the GPU's kernels under compute-sanitizer (needs a device)
	@$(MAKE) --no-print-directory LINEINFO=1 BUILD=$(BUILD)/lines unit
	@tests/sanitize.sh $(BUILD)/lines/tests

# All tests with gcc; the sanitizers, which have no CUDA; each other part left out, some at a time
# that know nothing of each other, with the tests nearest; what clang says of everything, and what
# both say of the least, with all tests; warnings are errors. The steps share the processors, and
# compiling is half of what they do: where gcc has optimised once, it need not a second time, and
# what is fuzzed for a minute is compiled faster than it is optimised. Nobody debugs it here. The
# kernels are nvcc's whichever compiler has the rest: once is enough. Each script of the window runs
# once, two of them under a sanitizer; all of the window's unit tests run with and without.
PARTS := FFT-NVTX-PNG-TTF TIFF-JPEG-SDL
NEAR_FFT-NVTX-PNG-TTF := picture.sh exact.sh convolve.sh inverse.sh lists.sh trace.sh jumps.sh \
	png_jpeg.sh image_write image_refused solver marks window_events bar plot keys
NEAR_TIFF-JPEG-SDL := png_jpeg.sh image_read image_write image_refused usage.sh manual.sh frames.sh
left_out = $(patsubst %,%=0,$(subst -, ,$(1)))
CI := all asan tsan least fuzz $(PARTS:%=no-%) clang gcc-least
LEAST := CUDA=0 $(call left_out,$(PARTS))
.PHONY: ci-first $(CI:%=ci-%)
ci: ## what continuous integration runs
	+@$(MAKE) --no-print-directory ci-first && $(MAKE) --no-print-directory $(CI:%=ci-%)
# The build that takes longest goes first: its tests wait a lot, beside the builds of the others.
FULL = BUILD=build/ci MPI=$(call package,ompi-c) CFLAGS='$(filter-out -g,$(CFLAGS))'
ci-first: STEP = $(FULL) ci-build
ci-all: STEP = $(FULL) check WITHOUT='inputs.sh brush.sh $(SAME)'
# The course's scripts, where nothing of it is among the last changes.
SAME = $(shell git diff --quiet HEAD~200 -- src/bench kernels/ladder kernels/stencil.h tests/wrong \
	':!*.md' 2>/dev/null && echo mine.sh wrong.sh fibres.sh course.sh bench.sh)
# Scripts whose ways through the program another test has, too, and those that mostly compute.
ci-asan: STEP = asan WITHOUT='window.sh jumps.sh views.sh photograph.sh paint.sh bench.sh mine.sh \
	wrong.sh boundary.sh slabs.sh exact.sh handover.sh course.sh documents.sh heal.sh \
	manual.sh progress.sh sources.sh'
ci-tsan: STEP = tsan
# The sizes are those of sanitizers.
ci-least $(PARTS:%=ci-no-%): export RECONSTRUCT_TESTS = small
# What is near any part, and the ways of the program that have none.
ci-least: STEP = BUILD=build/ci-least CC=clang CFLAGS=-O2 $(LEAST) check \
	ONLY='$(sort $(foreach part,$(PARTS),$(NEAR_$(part))) main_job.sh data.sh heal.sh holes.sh \
	report.sh library.sh abuse.sh run labels parts brush paint multigrid limits iterates \
	samples)'
$(PARTS:%=ci-no-%): PART = $(@:ci-no-%=%)
$(PARTS:%=ci-no-%): STEP = BUILD=build/$@ CFLAGS=-O0 CUDA=0 $(call left_out,$(PART)) check \
	ONLY='$(NEAR_$(PART))'
ci-fuzz: STEP = MINUTES=1 SEED=1 QUICK=1 fuzz
# What a compiler says of the code needs no code of it.
ci-clang: STEP = BUILD=build/ci-clang MPI=$(call package,ompi-c) CC=clang CFLAGS=-fsyntax-only \
	ci-compile
ci-gcc-least: STEP = BUILD=build/ci-gcc-least CFLAGS=-fsyntax-only $(LEAST) ci-compile
ci-first $(CI:%=ci-%): ci-%:
	+@TIMEFORMAT='$*: %0R s, CPU %0U + %0S s'; export TEST_OF=$*; \
	time $(MAKE) --no-print-directory --output-sync=target WERROR=1 $(STEP)
ci-compile: $(filter-out $(BUILD)/kernels/%,$(LIB_OBJECTS)) $(PROGRAM_OBJECTS) \
	$(BENCH_OBJECTS) $(MANUAL_OBJECTS) \
	$(if $(filter 1,$(MPI)),$(MPI_OBJECTS)) \
	$(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/*.c))
ci-build: unit $(BUILD)/reconstruct $(BUILD)/reconstruct-bench $(BUILD)/installs


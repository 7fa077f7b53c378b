/* The ladder on a terminal: a line a rung, as soon as it is known. */
#include <string.h>

#include "base/memory.h"
#include "bench/bench.h"

char *bench_format_seconds(char text[32], double seconds)
{
    const double value = seconds < 1e-3 ? seconds / 1e-6 : seconds < 1 ? seconds / 1e-3 : seconds;
    snprintf(text, 32, "%.*f %s", value < 10 ? 3 : value < 100 ? 2 : 1, value,
             seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s");
    return text;
}

void bench_print_machine(FILE *stream, const bench_machine *machine)
{
    char memory[32], l2[32];
    fprintf(stream, "host    %s; a copy moves %.1f GB/s (read and written)\n", machine->host,
            machine->host_copy * 1e-9);
    if (machine->devices > 1 || machine->slabs > 1)
        fprintf(stream, "slabs   the shipped solvers cut the image, --device and --slabs say how; "
                        "the rest has one device\n");
    if (!machine->has_device) {
        if (machine->no_device[0])
            fprintf(stream, "device  none: %s\n", machine->no_device);
        return;
    }
    const rec_ladder_device *device = &machine->device;
    fprintf(stream,
            "device  %d: %s, compute capability %d.%d, %d multiprocessors, %s, L2 %s\n"
            "        a copy moves %.0f GB/s; %d x %d lanes / 3 instructions: %.0f G updates/s\n"
            "        clock %.0f MHz (%.0f at most), memory %.0f MHz; context ready after %.2f s\n",
            device->number, device->name, device->major, device->minor,
            device->multiprocessors, rec_format_bytes(memory, (double)device->memory),
            rec_format_bytes(l2, (double)device->l2), device->copy_rate * 1e-9,
            device->multiprocessors, device->lanes, machine->peak * 1e-9,
            device->clock_measured * 1e-6, device->clock * 1e-6, device->memory_clock * 1e-6,
            device->start_seconds);
}

void bench_print_head(FILE *stream, const bench_case *problem)
{
    fprintf(stream, "\n%zu x %zu", problem->width, problem->height);
    if (problem->radius) {
        const size_t side = 2 * problem->radius + 1;
        fprintf(stream, ", stencil %zu x %zu", side, side);
        if (problem->ignored)
            fprintf(stream, "; compared with the reference file but for a border of %zu pixels",
                    problem->ignored);
        fprintf(stream, "\n    %-17s%12s%12s%12s%9s%8s%8s%12s%11s", "rung", "median", "mean",
                "minimum", "blocks", "threads", "waves", "GFLOP/s", "FLOP/byte");
    } else
        fprintf(stream, "\n    %-16s%12s%12s%8s%9s%8s%12s%9s%8s", "rung", "iteration", "minimum",
                "spread", "blocks", "threads", "G updates/s", "GB/s", "of copy");
    fprintf(stream, "%10s%10s\n", "before", "CPU");
}

void bench_explain_columns(FILE *stream, bench_problem problem)
{
    static const char *const columns[] = {
        "iteration    median time of one iteration; minimum: the shortest\n"
        "spread       longest minus shortest, as a percentage of the median\n"
        "blocks       of the GPU's grid, and threads of a block\n"
        "G updates/s  pixels updated a second, in billions; of exact, masked/...: pixels solved\n"
        "GB/s         bytes read and written a second, by the kernel's own count\n"
        "of copy      GB/s as a percentage of a plain copy in the same memory\n"
        "before       times as fast as the rung that this one improves\n"
        "CPU          times as fast as cpu-exercise, the exercise's serial loop\n",

        "median       time of one convolution, of 15 repetitions; mean, minimum: likewise\n"
        "blocks       of the GPU's grid, and threads of a block\n"
        "waves        blocks, as multiples of those that all multiprocessors hold at once\n"
        "GFLOP/s      billions of multiplications and additions a second\n"
        "FLOP/byte    the same for a byte, if each pixel is read and written once\n"
        "before       times as fast as the rung that this one improves\n"
        "CPU          times as fast as the serial loops\n"};
    fputs(columns[problem], stream);
}

/* A number and its unit, or a dash where there is none. */
static void print_number(FILE *stream, int width, int digits, double value, const char *unit)
{
    if (value > 0)
        fprintf(stream, "%*.*f%s", width - (int)strlen(unit), digits, value, unit);
    else
        fprintf(stream, "%*s", width, "-");
}

static void print_ratio(FILE *stream, double ratio)
{
    print_number(stream, 10, ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio, "x");
}

static void print_launch(FILE *stream, const rec_ladder_launch *launch)
{
    print_number(stream, 9, 0, (double)launch->blocks, "");
    print_number(stream, 8, 0, launch->blocks ? (double)launch->threads : 0, "");
}

static void print_course(FILE *stream, const bench_result *result)
{
    char median[32], mean[32], minimum[32];
    const double operations = bench_operations(result);
    fprintf(stream, "%12s%12s%12s", bench_format_seconds(median, result->median),
            bench_format_seconds(mean, result->mean),
            bench_format_seconds(minimum, result->minimum));
    print_launch(stream, &result->launch);
    print_number(stream, 8, 2, result->launch.waves, "");
    fprintf(stream, "%12.2f%11.2f", bench_rate(result) * operations * 1e-9,
            operations / result->rung->bytes);
}

static void print_update(FILE *stream, const bench_result *result, const bench_machine *machine)
{
    char median[32], minimum[32];
    const double rate = bench_rate(result), moved = rate * result->rung->bytes;
    const double spread = 100 * (result->maximum - result->minimum) / result->median;
    fprintf(stream, "%12s%12s %6.*f%%", bench_format_seconds(median, result->median),
            bench_format_seconds(minimum, result->minimum), spread < 999 ? 1 : 0, spread);
    print_launch(stream, &result->launch);
    fprintf(stream, "%12.*f", rate < 1e10 ? 3 : 1, rate * 1e-9);
    print_number(stream, 9, moved < 1e10 ? 2 : moved < 1e11 ? 1 : 0, moved * 1e-9, "");
    print_number(stream, 8, 1, 100 * moved / bench_copy_rate(machine, result->rung), "%");
}

void bench_print_result(FILE *stream, const bench_result *result, const bench_machine *machine)
{
    fprintf(stream, "%2d  %-16s", result->rung->number, result->label);
    if (result->outcome != BENCH_TIMED) {
        fprintf(stream, "%s: %s\n", result->outcome == BENCH_WRONG ? "WRONG" : "skipped",
                result->reason);
        return;
    }
    if (result->radius)
        print_course(stream, result);
    else
        print_update(stream, result, machine);
    print_ratio(stream, result->before);
    print_ratio(stream, result->cpu);
    fputc('\n', stream);
}

#include "tests/unit/multigrid_puzzles.h"

#if REC_HAVE_CUDA
#include "solver/multigrid/cuda_multigrid.h"
#endif

/* At column i, row j of a picture. */
static int is_unknown(kind_of_mask shape, test_random *random, size_t i, size_t j, size_t width,
                      size_t height)
{
    const double x = (double)i / (double)width - 0.5, y = (double)j / (double)height - 0.5;
    const double r = hypot(x, y);
    switch (shape) {
    case DISC:
        return r < 0.35;
    case CURVES:
        return fabs(sin(9 * x + 4 * y * y)) > 0.05 && fabs(cos(7 * y + 5 * x)) > 0.04;
    case POINTS:
        return random_integer(random, 0, 99) > 0;
    case MANY_POINTS:
        return random_integer(random, 0, 99) > 29;
    case HOLES:
        return hypot(fmod(x + 2, 0.3) - 0.15, fmod(y + 2, 0.4) - 0.2) > 0.05;
    case BLOCKS: /* those that are skipped, side by side with others */
        return (i / 64 * 7 + j / 32 * 3) % 4 == 0;
    case ONE:
        return 0;
    case ALL_BUT_ONE:
    case ALL:
    case SHAPES:
        break;
    }
    return 1;
}

static rec_mask make_mask(size_t width, size_t height, kind_of_mask shape, test_random *random)
{
    rec_mask mask = new_mask(width, height);
    for (size_t i = 0; i < width * height; i++)
        mask.unknown[i] = (unsigned char)is_unknown(shape, random, i % width, i / width, width,
                                                    height);
    if (shape == ONE || shape == ALL_BUT_ONE)
        mask.unknown[random_bits(random) % (width * height)] ^= 1;
    rec_mask_measure(&mask);
    return mask;
}

/* Some of the blocks have a mass, and their edges lose mass M, without rounding. */
void add_mass(case_of *made, uint64_t seed)
{
    static const float masses[] = {0x1p-10F, 0x1p-5F, 1, 128};
    const size_t width = made->picture.width, height = made->picture.height;
    if (!made->mass.data)
        made->mass = new_image(width, height, 1);
    for (size_t i = 0; i < width * height; i++) {
        const size_t x = i % width, y = i / width;
        const float mass = (x / 5 + y / 3) % 4 ? masses[seed % 4] : 0;
        rec_image_row(&made->mass, 0, y)[x] = mass;
        for (size_t p = 0; p < made->picture.planes; p++) {
            float *edge = rec_image_row(&made->edges, p, y) + x;
            *edge = (float)(*edge - (double)mass * rec_image_row(&made->picture, p, y)[x]);
        }
    }
}

case_of make_puzzle(size_t width, size_t height, size_t planes, rec_boundary_kind kind,
                    kind_of_mask shape, uint64_t seed)
{
    test_random random = {seed};
    case_of made = {.picture = seed % 2 ? random_image(width, height, planes, -2047, 2047, seed)
                                        : problem_picture(width, height, planes, (unsigned)seed),
                    .start = random_image(width, height, planes, 0, 255, seed + 1),
                    .mask = make_mask(width, height, shape, &random)};
    for (size_t i = 0; seed % 2 && i < planes * width * height; i++)
        *sample_of(&made.picture, i) /= 16; /* and with mass and edges still no digit is lost */
    made.problem = (rec_problem){.boundary.kind = kind};
    made.problem.boundary.value = rec_boundary_has_constant(kind) ? (float)(seed % 200) : 0;
    SUCCEEDS(rec_make_edges(&made.picture, &made.problem, &made.edges, &error));
    made.problem.boundary.mean_count = rec_boundary_frees_mean(kind) && shape == ALL ? 3 : 0;
    if (seed % 3 == 2 && !made.problem.boundary.mean_count)
        add_mass(&made, seed);
    for (size_t p = 0; p < planes; p++)
        made.problem.boundary.means[p] = rec_image_mean(&made.picture, p);
    for (size_t i = 0; i < planes * width * height; i++)
        if (!made.mask.unknown[i % (width * height)]) {
            *sample_of(&made.start, i) = *sample_of(&made.picture, i);
            *sample_of(&made.edges, i) = (float)random_integer(&random, -1000, 1000);
        }
    return made;
}

void set_unknown(case_of *of, size_t x, size_t y, size_t width, size_t height, int unknown)
{
    EACH_SAMPLE(size_t, p, row, column, of->start.planes, height, width) {
        const size_t at = (y + row) * of->mask.width + x + column;
        of->mask.unknown[at] = (unsigned char)unknown;
        rec_image_row(&of->start, p, y + row)[x + column] =
            unknown ? 77 : rec_image_row(&of->picture, p, y + row)[x + column];
    }
    rec_mask_measure(&of->mask);
}

/* ---- the solver ---- */

static const char *tested;

void choose_engine(const char *kernel) { kernel_or_skip("multigrid", tested = kernel); }

static void show(solver_of *engine)
{
    rec_image_destroy(&engine->picture);
    engine->picture = solver_image(engine->solver);
}

solver_of make_engine(const rec_problem *problem)
{
    const rec_solver_options options = {.kernel = tested};
    const solver_of engine = {solver_for(solver_or_skip("multigrid"), problem, &options), {0}};
#if REC_HAVE_CUDA
    if (!strcmp(tested, "cuda")) /* as with an old driver: tools cannot follow a graph's loop */
        ((rec_cuda_multigrid *)*engine.solver->state)->host_loops = tests_are("small");
#endif
    return engine;
}

void destroy_engine(solver_of *engine)
{
    rec_solver_destroy(engine->solver);
    rec_image_destroy(&engine->picture);
}

void use_again(solver_of *engine, const rec_problem *problem)
{
    const rec_solver_options options = {.kernel = tested};
    const rec_solver *before = engine->solver;
    SUCCEEDS(rec_solver_renew(&engine->solver, solver_or_skip("multigrid"), problem, &options,
                              &error));
    assert_ptr_equal(engine->solver, before);
}

rec_multigrid solve(solver_of *engine, double stop, double seconds)
{
    rec_multigrid *head = *engine->solver->state;
    int reached = 1;
    head->tolerance = stop;
    SUCCEEDS(rec_solver_solve(engine->solver, seconds, &reached, &error));
    assert_int_equal(reached, !head->look.missed);
    show(engine);
    return *head;
}

void change(solver_of *engine, const rec_problem *problem, size_t x, size_t y, size_t width,
            size_t height)
{
    SUCCEEDS(rec_solver_change(engine->solver, problem, (rec_area){x, y, width, height}, &error));
    show(engine);
}

double largest_error(const rec_image *solved, const case_of *puzzle, size_t *wrong)
{
    const rec_image *picture = &puzzle->picture;
    const size_t pixels = picture->width * picture->height;
    double largest = 0;
    *wrong = 0;
    for (size_t i = 0; i < picture->planes * pixels; i++) {
        const double found = *sample_of(solved, i), truth = *sample_of(picture, i);
        largest = fmax(largest, fabs(found - truth));
        *wrong += fabs(found - truth) > (puzzle->mask.unknown[i % pixels] ? 0.02 : 0);
    }
    return largest;
}

void check_steps(solver_of *engine, const case_of *puzzle, kind_of_mask shape, uint64_t seed)
{
    const rec_image *picture = &puzzle->picture;
    rec_multigrid solved;
    double error;
    size_t wrong;
    do {
        solved = solve(engine, 0.01, 0);
        error = largest_error(&engine->picture, puzzle, &wrong);
    } while (solved.look.distance_max >= error && solved.look.missed && solved.steps < MOST_STEPS);
    if (wrong || solved.steps > MOST_STEPS || solved.look.missed ||
        !(solved.look.distance_max + 3e-5 >= error) ||
        !(solved.look.distance_rms <= solved.look.distance_max))
        fail_msg("%zu x %zu, %s, shape %d, seed %d: %zu wrong, error %g, estimate %g, %d steps",
                 picture->width, picture->height,
                 rec_boundaries[puzzle->problem.boundary.kind].name, shape, (int)seed, wrong, error,
                 solved.look.distance_max, solved.steps);
}

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/output.h"
#include "image/image_files.h"
#include "run/run.h"

#define MAGIC "reconstruct checkpoint"
#define VERSION 4
#define HEADER_LINES 5
#define HEADER_SIZE 256

static uint64_t checksum(const rec_run_state *state, uint64_t identity, const rec_image *image)
{
    const uint64_t parts[] = {
        VERSION,  state->iterations,    state->jumped != 0, state->jumped ? state->jumped_to : 0,
        identity, rec_image_hash(image)};
    return rec_hash(REC_HASH_START, parts, sizeof parts);
}

/* The lines in front of the image. */
static void make_header(char header[HEADER_SIZE], const rec_run_state *state, uint64_t identity,
                        uint64_t sum)
{
    char jumped[24] = "no";
    if (state->jumped && state->jumped_to == REC_LIMIT_ITERATION)
        snprintf(jumped, sizeof jumped, "limit");
    else if (state->jumped)
        snprintf(jumped, sizeof jumped, "%" PRIu64, state->jumped_to);
    snprintf(header, HEADER_SIZE,
             MAGIC " %d\niterations %" PRIu64 "\njumped %s\nidentity %016" PRIx64
             "\nchecksum %016" PRIx64 "\n", VERSION, state->iterations, jumped, identity, sum);
}

rec_status rec_checkpoint_write(const char *path, const rec_run_state *state, uint64_t identity,
                                const rec_image *image, rec_error *error)
{
    rec_output *output;
    REC_TRY(rec_output_open(&output, path, rec_image_is_part(image), error));
    FILE *stream = rec_output_stream(output);
    char header[HEADER_SIZE];
    make_header(header, state, identity, checksum(state, identity, image));
    fputs(header, stream);
    const rec_write_options options = {.format = rec_format_find("pfm")};
    const rec_status status = rec_image_write_stream(stream, path, image, &options, error);
    return rec_output_commit(output, rec_image_agree(image, status, error), NULL, error);
}

static rec_status refuse(rec_error *error, const char *path, const char *why)
{
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: %s; to start from the beginning, remove the file", path, why);
}

static rec_status read_header(FILE *stream, const char *path, uint64_t identity,
                              rec_run_state *state, uint64_t *sum, rec_error *error)
{
    char header[HEADER_SIZE] = "", canonical[HEADER_SIZE], jumped[24];
    uint64_t found;
    int version;
    for (size_t line = 0, length = 0; line < HEADER_LINES; line++, length = strlen(header))
        if (!fgets(header + length, (int)(sizeof header - length), stream))
            break;
    if (ferror(stream))
        return rec_fail_system(error, REC_IO, errno, "%s: cannot read the checkpoint", path);
    const int fields = sscanf(header, MAGIC " %d iterations %" SCNu64 " jumped %23s identity %"
                              SCNx64 " checksum %" SCNx64, &version, &state->iterations,
                              jumped, &found, sum);
    if (fields < 1)
        return rec_fail(error, REC_BAD_INPUT, "%s: is not a checkpoint; name another file", path);
    if (version != VERSION)
        return refuse(error, path, "is a checkpoint of another version of this program");
    if (fields == HEADER_LINES) { /* made again below: a header that differs is damaged */
        state->jumped = strcmp(jumped, "no") != 0;
        state->jumped_to =
            strcmp(jumped, "limit") ? strtoull(jumped, NULL, 10) : REC_LIMIT_ITERATION;
        make_header(canonical, state, found, *sum);
    }
    if (fields != HEADER_LINES || strcmp(header, canonical))
        return refuse(error, path, "is a damaged checkpoint");
    return found == identity
               ? REC_OK
               : refuse(error, path, "is the checkpoint of another input or of other options");
}

void rec_checkpoint_remove(const char *path, uint64_t identity)
{
    rec_run_state state;
    uint64_t sum;
    rec_owned_stream *stream = fopen(path, "rbe");
    if (stream && !read_header(stream, path, identity, &state, &sum, NULL))
        unlink(path);
}

rec_status rec_checkpoint_read(const char *path, uint64_t identity, int shared, int *found,
                               rec_run_state *state, rec_image *image, rec_error *error)
{
    uint64_t sum = 0;
    *image = (rec_image){0};
    rec_owned_stream *stream = fopen(path, "rb");
    rec_status status = REC_OK;
    *found = stream || errno != ENOENT;
    if (shared)
        rec_ranks_share(found, sizeof *found);
    if (*found && !stream)
        status = rec_fail_system(error, REC_NO_INPUT, errno, "%s: cannot open the checkpoint",
                                 path);
    else if (*found)
        status = read_header(stream, path, identity, state, &sum, error);
    if (*found && !status) {
        status = rec_image_read_pfm_stream(stream, path, shared, image, error);
        /* Short memory or a failed read is no damage. */
        if (status == REC_BAD_INPUT || (!status && fgetc(stream) != EOF))
            status = refuse(error, path, "is a damaged checkpoint");
    }
    if (shared)
        status = rec_ranks_agree(status, error);
    if (!status && *found && checksum(state, identity, image) != sum)
        status = refuse(error, path, "is a damaged checkpoint (wrong checksum)");
    if (status)
        rec_image_destroy(image);
    *found = *found && !status;
    return status;
}

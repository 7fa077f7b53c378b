#include "run/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"

#define MAGIC "reconstruct checkpoint"
#define VERSION 1

static uint64_t checksum(uint64_t iterations, uint64_t identity, const rec_image *image)
{
    const uint64_t parts[] = {VERSION, iterations, identity, rec_image_hash(image)};
    return rec_hash(REC_HASH_START, parts, sizeof parts);
}

rec_status rec_checkpoint_write(const char *path, uint64_t iterations, uint64_t identity,
                                const rec_image *image, rec_error *error)
{
    rec_output *output;
    rec_status status = rec_output_open(&output, path, error);
    if (status)
        return status;
    FILE *stream = rec_output_stream(output);
    fprintf(stream, MAGIC " %d\niterations %" PRIu64 "\nidentity %016" PRIx64
            "\nchecksum %016" PRIx64 "\n", VERSION, iterations, identity,
            checksum(iterations, identity, image));
    const rec_write_options options = {.format = REC_FORMAT_PFM};
    status = rec_image_write_stream(stream, path, image, &options, error);
    if (status) {
        rec_output_abandon(output);
        return status;
    }
    return rec_output_commit(output, error);
}

static rec_status refuse(rec_error *error, const char *path, const char *why)
{
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: %s; remove the file to start from the beginning", path, why);
}

static rec_status read_stream(FILE *stream, const char *path, uint64_t identity,
                              uint64_t *iterations, rec_image *image, rec_error *error)
{
    uint64_t its, sum;
    int version, end = 0;
    char line[80];
    if (!fgets(line, sizeof line, stream) || sscanf(line, MAGIC " %d\n", &version) != 1)
        return refuse(error, path, "is not a checkpoint");
    if (version != VERSION)
        return refuse(error, path, "is a checkpoint of another version of this program");
    if (!fgets(line, sizeof line, stream) ||
        sscanf(line, "iterations %" SCNu64 "\n%n", iterations, &end) != 1 || !end ||
        !fgets(line, sizeof line, stream) || sscanf(line, "identity %" SCNx64, &its) != 1 ||
        !fgets(line, sizeof line, stream) || sscanf(line, "checksum %" SCNx64, &sum) != 1)
        return refuse(error, path, "is a damaged checkpoint");
    if (its != identity)
        return refuse(error, path, "is the checkpoint of another input or of other options");
    if (rec_image_read_pfm_stream(stream, path, image, error))
        return refuse(error, path, "is a damaged checkpoint");
    if (checksum(*iterations, identity, image) != sum || fgetc(stream) != EOF) {
        rec_image_destroy(image);
        return refuse(error, path, "is a damaged checkpoint (its content does not fit its checksum)");
    }
    return REC_OK;
}

rec_status rec_checkpoint_read(const char *path, uint64_t identity, int *found,
                               uint64_t *iterations, rec_image *image, rec_error *error)
{
    *found = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream && errno == ENOENT)
        return REC_OK;
    if (!stream)
        return rec_fail(error, REC_NO_INPUT, "%s: cannot open the checkpoint: %s", path,
                        strerror(errno));
    const rec_status status = read_stream(stream, path, identity, iterations, image, error);
    fclose(stream);
    *found = !status;
    return status;
}

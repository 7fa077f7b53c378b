/* Which bytes of a file the folders, tags and blocks of a TIFF have, so that a copy with another
 * picture damages none of its other parts, and keeps nothing of what it no longer shows. */
#include "image/formats/tiff.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { MOST_FOLDERS = 10000, DEEPEST = 5, STATISTICS = 42112 };

/* ---- numbers of the file ---- */

static uint64_t number_at(rec_tiff_map *map, uint64_t at, size_t bytes)
{
    if (at < map->cached || at + bytes > map->cached + map->held) {
        const int inside = at < (uint64_t)INT64_MAX;
        const ssize_t got = inside ? pread(map->file, map->cache, sizeof map->cache, (off_t)at) : 0;
        map->cached = at;
        map->held = got > 0 ? (size_t)got : 0;
    }
    map->unknown |= at - map->cached + bytes > map->held;
    return rec_tiff_number(map->cache, map->held, at - map->cached, (int)bytes, map->big);
}

static void put_number(rec_tiff_map *map, uint64_t at, size_t bytes, uint64_t number)
{
    uint8_t raw[8];
    rec_put_number(&(rec_number){'u', (int)bytes, map->big}, (double)number, raw); /* below 2^53 */
    map->failed |= pwrite(map->file, raw, bytes, (off_t)at) != (ssize_t)bytes;
    map->held = 0;
}

/* ---- parts ---- */

static void add(rec_tiff_map *map, uint64_t from, uint64_t bytes)
{
    if (!bytes || from > (uint64_t)INT64_MAX || bytes > (uint64_t)INT64_MAX)
        return;
    if (map->count == map->capacity) {
        const size_t capacity = 2 * map->capacity + 1000;
        uint64_t *more = realloc(map->from, capacity * sizeof *more);
        map->from = more ? more : map->from;
        uint64_t *also = more ? realloc(map->to, capacity * sizeof *also) : NULL;
        map->to = also ? also : map->to;
        map->unknown |= !also;
        if (!also)
            return;
        map->capacity = capacity;
    }
    map->from[map->count] = from;
    map->to[map->count++] = from + bytes;
}

static rec_tiff_list list_of(rec_tiff_map *map, uint64_t entry)
{
    const size_t word = map->word;
    const int width = TIFFDataWidth((TIFFDataType)number_at(map, entry + 2, 2));
    rec_tiff_list list = {.count = number_at(map, entry + 4, word), .width = (size_t)width};
    if (!width) /* of no known type: nothing is there */
        list.count = 0;
    const int inside = list.count * list.width <= word;
    map->unknown |= list.count > (uint64_t)1 << 40;
    list.place = inside ? entry + 4 + word : number_at(map, entry + 4 + word, word);
    if (!inside)
        add(map, list.place, list.count * list.width);
    return list;
}

static uint64_t item(rec_tiff_map *map, const rec_tiff_list *list, uint64_t i)
{
    return i < list->count ? number_at(map, list->place + i * list->width, list->width) : 0;
}

/* The folder that the number at `link` leads to, those that follow it, and those inside. */
static void walk(rec_tiff_map *map, uint64_t link, size_t width, int depth)
{
    const uint64_t size = 4 + 2 * map->word;
    uint64_t at;
    for (; (at = number_at(map, link, width)) && !map->unknown; width = map->word) {
        rec_tiff_folder folder = {.link = link, .at = at, .tags = number_at(map, at, map->half)};
        rec_tiff_list jpeg[2] = {{0}};
        map->unknown |= map->seen++ > MOST_FOLDERS || depth > DEEPEST || folder.tags > UINT16_MAX;
        link = at + map->half;
        for (uint64_t n = 0; n < folder.tags && !map->unknown; n++, link += size) {
            const rec_tiff_list list = list_of(map, link);
            const uint64_t tag = number_at(map, link, 2), type = number_at(map, link + 2, 2);
            if (tag == TIFFTAG_SUBFILETYPE)
                folder.kind |= item(map, &list, 0);
            else if (tag == TIFFTAG_OSUBFILETYPE)
                folder.kind |= item(map, &list, 0) == OFILETYPE_REDUCEDIMAGE;
            else if (tag == TIFFTAG_STRIPOFFSETS || tag == TIFFTAG_TILEOFFSETS)
                folder.offsets = list;
            else if (tag == TIFFTAG_STRIPBYTECOUNTS || tag == TIFFTAG_TILEBYTECOUNTS)
                folder.counts = list;
            else if (tag == TIFFTAG_JPEGIFOFFSET || tag == TIFFTAG_JPEGIFBYTECOUNT)
                jpeg[tag == TIFFTAG_JPEGIFBYTECOUNT] = list;
            else if (tag == TIFFTAG_SUBIFD || tag == TIFFTAG_EXIFIFD || tag == TIFFTAG_GPSIFD ||
                     tag == TIFFTAG_INTEROPERABILITYIFD || type == TIFF_IFD || type == TIFF_IFD8)
                for (uint64_t i = 0; i < list.count && !map->unknown; i++)
                    walk(map, list.place + i * list.width, list.width, depth + 1);
        }
        add(map, at, link + map->word - at);
        add(map, item(map, &jpeg[0], 0), item(map, &jpeg[1], 0));
        for (uint64_t i = 0; i < folder.offsets.count && !map->unknown; i++)
            add(map, item(map, &folder.offsets, i), item(map, &folder.counts, i));
        if (!depth && map->folders < MOST_PAGES)
            map->folder[map->folders++] = folder;
    }
}

static int by_number(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

rec_status rec_tiff_map_read(rec_tiff_map *map, int file, rec_error *error)
{
    *map = (rec_tiff_map){.file = file};
    REC_TRY(rec_allocate(&map->folder, MOST_PAGES, sizeof *map->folder, "a TIFF's pages", error));
    map->big = number_at(map, 0, 1) == 'M';
    const int wide = number_at(map, 2, 2) == TIFF_VERSION_BIG;
    map->word = wide ? 8 : 4;
    map->half = wide ? 8 : 2;
    add(map, 0, 2 * map->word);
    walk(map, map->word, map->word, 0);
    qsort(map->from, map->count, sizeof *map->from, by_number);
    qsort(map->to, map->count, sizeof *map->to, by_number);
    return REC_OK;
}

void rec_tiff_map_free(rec_tiff_map *map)
{
    free(map->from);
    free(map->to);
    rec_free(map->folder);
}

/* How many of them are below. */
static size_t below(const uint64_t *numbers, size_t count, uint64_t limit)
{
    size_t low = 0;
    while (low < count) {
        const size_t middle = low + (count - low) / 2;
        if (numbers[middle] < limit)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

size_t rec_tiff_map_count(const rec_tiff_map *map, uint64_t from, uint64_t bytes)
{
    return bytes ? below(map->from, map->count, from + bytes) -
                       below(map->to, map->count, from + 1) : 0;
}

/* ---- changes ---- */

void rec_tiff_map_loosen(rec_tiff_map *map, size_t page, uint32_t block)
{
    const rec_tiff_list *const lists[] = {&map->folder[page].offsets, &map->folder[page].counts};
    for (size_t i = 0; i < 2 && page < map->folders; i++)
        if (block < lists[i]->count)
            put_number(map, lists[i]->place + block * lists[i]->width, lists[i]->width, 0);
}

/* What statistics a tag says becomes blanks. */
static void drop_statistics(char *text, size_t bytes)
{
    static const char begin[] = "<Item name=\"STATISTICS_", end[] = "</Item>";
    char *at = text, *behind;
    while ((at = memmem(at, bytes - (size_t)(at - text), begin, sizeof begin - 1)) &&
           (behind = memmem(at, bytes - (size_t)(at - text), end, sizeof end - 1))) {
        behind += sizeof end - 1;
        memset(at, ' ', (size_t)(behind - at));
        at = behind;
    }
}

/* Takes away tag number n of a folder, if it holds a picture; returns how many. */
static uint64_t drop_tag(rec_tiff_map *map, rec_tiff_folder *folder, uint64_t n)
{
    static const uint32_t tags[] = {STATISTICS, TIFFTAG_XMLPACKET, TIFFTAG_PHOTOSHOP, LAYERS,
                                    TIFFTAG_SUBIFD}; /* texts, what may have one, and has */
    const uint64_t size = 4 + 2 * map->word, entry = folder->at + map->half + n * size;
    const uint64_t rest = (folder->tags - n - 1) * size + map->word, tag = number_at(map, entry, 2);
    size_t i = 0;
    while (i < 5 && tags[i] != tag)
        i++;
    if (i == 5)
        return 0;
    const rec_tiff_list list = list_of(map, entry);
    const size_t bytes = list.count * list.width;
    rec_owned char *data = NULL;
    if (rec_allocate(&data, 1, rec_larger(bytes, rest + size), "a tag", NULL) ||
        pread(map->file, data, bytes, (off_t)list.place) != (ssize_t)bytes)
        return 0;
    if (i < 2) {
        const int found = i && rec_xmp_wipe(data, bytes);
        drop_statistics(data, bytes);
        map->failed |= pwrite(map->file, data, bytes, (off_t)list.place) != (ssize_t)bytes;
        return (uint64_t)found;
    }
    if (i == 2 && !rec_find_picture((unsigned char *)data, bytes, NULL))
        return 0;
    map->failed |= pread(map->file, data, rest, (off_t)(entry + size)) != (ssize_t)rest;
    memset(data + rest, 0, size);
    map->failed |= pwrite(map->file, data, rest + size, (off_t)entry) != (ssize_t)(rest + size);
    put_number(map, folder->at, map->half, --folder->tags);
    return tag == TIFFTAG_SUBIFD ? list.count : 1;
}

uint64_t rec_tiff_map_leave_out(rec_tiff_map *map, size_t page)
{
    uint64_t count = 0, link = 0;
    size_t first = page, end = page + 1;
    while (first && map->folder[first - 1].kind & NO_PAGE)
        first--;
    first = first ? page : 0; /* in front of the first page, too */
    while (end < map->folders && map->folder[end].kind & NO_PAGE)
        end++;
    for (size_t i = first; i < end; i++) {
        const rec_tiff_folder *of = &map->folder[i];
        const uint64_t next = of->at + map->half + of->tags * (4 + 2 * map->word);
        link = link ? link : of->link; /* where its place is told now */
        if (i != page && of->kind & FILETYPE_REDUCEDIMAGE) {
            put_number(map, link, map->word, number_at(map, next, map->word));
            count++;
        } else {
            link = 0;
        }
    }
    for (uint64_t n = map->folder[page].tags; n-- > 0;)
        count += drop_tag(map, &map->folder[page], n);
    return count;
}

static void wipe(rec_tiff_map *map, uint64_t from, uint64_t to)
{
    static const char zeros[1 << 14];
    struct stat about;
    const uint64_t size = fstat(map->file, &about) ? 0 : (uint64_t)about.st_size;
    for (to = to < size ? to : size; from < to;) {
        const ssize_t some = pwrite(map->file, zeros, rec_smaller(sizeof zeros, to - from),
                                    (off_t)from);
        map->failed |= some <= 0;
        from = some > 0 ? from + (uint64_t)some : to;
    }
}

void rec_tiff_map_wipe(rec_tiff_map *map, const rec_tiff_map *old)
{
    const uint64_t *const ends[] = {old->from, old->to, map->from, map->to};
    const size_t counts[] = {old->count, old->count, map->count, map->count};
    size_t passed[4] = {0};
    for (uint64_t at = 0, next; passed[1] < old->count; at = next) {
        next = old->to[passed[1]];
        for (size_t i = 0; i < 4; i++)
            if (passed[i] < counts[i] && ends[i][passed[i]] < next)
                next = ends[i][passed[i]];
        if (passed[0] > passed[1] && passed[2] == passed[3])
            wipe(map, at, next);
        for (size_t i = 0; i < 4; i++)
            while (passed[i] < counts[i] && ends[i][passed[i]] == next)
                passed[i]++;
    }
}

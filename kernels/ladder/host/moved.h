/* What a launch moved, line by line, and its races: a part of fibres.cpp. */
#pragma once

std::string text_of(const char *path, int line)
{
    char text[512] = "";
    FILE *file = fopen(path, "r");
    for (int i = 0; file && i < line && fgets(text, sizeof text, file); i++)
        text[strcspn(text, "\n")] = '\0';
    if (file)
        fclose(file);
    return std::string(text + strspn(text, " \t")).substr(0, 60);
}

/* The innermost line of each instruction that is not of our files. */
void find_lines()
{
    Dl_info info;
    char text[4096];
    auto row = rows.begin();
    dladdr(__ehdr_start, &info);
    setenv("FIBRE_LIBRARY", info.dli_fname, 1);
    std::string command = "addr2line -aie \"$FIBRE_LIBRARY\" 0";
    for (const auto &each : rows) {
        snprintf(text, sizeof text, " %#tx", (char *)each.first - 1 - __ehdr_start);
        command += text;
    }
    FILE *lines = popen(command.c_str(), "r");
    for (size_t n = 0; lines && fgets(text, sizeof text, lines);) {
        char *colon = strrchr(text, ':');
        if (!colon)
            row = n++ < 2 ? rows.begin() : std::next(row);
        else if (n > 1 && !row->second.line && !strstr(text, "/ladder/host/")) {
            *colon = '\0';
            row->second.line = atoi(colon + 1);
            row->second.text = text_of(text, row->second.line);
        }
    }
    if (lines)
        pclose(lines);
}

/* Instructions of a line that are alike are one row. */
void print_rows(FILE *to)
{
    std::map<std::tuple<int, bool, std::string, size_t, size_t>, std::vector<const Row *>> alike;
    Row sectors = {}, conflicts = {}; /* where they are the most */
    fprintf(to, "%5s%31s%9s%7s%11s\n", "line", "requests", "sectors", "ideal", "conflicts");
    for (const auto &each : rows) {
        const Row &r = each.second;
        const bool shared = r.place == shared_memory;
        const size_t figure = shared ? r.conflicts : r.sectors;
        if (!r.requests)
            continue;
        alike[{r.line, r.write, r.place, r.requests, figure}].push_back(&r);
        if (!shared && figure >= 2 * r.ideal && r.each(figure) > sectors.each(sectors.sectors))
            sectors = r;
        if (r.each(r.conflicts) > conflicts.each(conflicts.conflicts))
            conflicts = r;
    }
    for (const auto &each : alike) {
        const Row &r = *each.second[0];
        fprintf(to, "%5d  %2zu %s %-7s%8zu", r.line, each.second.size(),
                r.write ? "store to" : "load of ", r.place, r.requests);
        if (r.place == shared_memory)
            fprintf(to, "%27.1f  %s\n", r.each(r.conflicts), r.text.c_str());
        else
            fprintf(to, "%9.1f%7.1f%11s  %s\n", r.each(r.sectors), r.each(r.ideal), "",
                    r.text.c_str());
    }
    if (sectors.line)
        fprintf(to, "\nline %d: %.1f sectors of 32 bytes a request, where %.1f would hold its "
                "bytes: neighbouring threads\nshould have neighbouring cells (lesson 2)\n",
                sectors.line, sectors.each(sectors.sectors), sectors.each(sectors.ideal));
    if (conflicts.line)
        fprintf(to, "\nline %d: %.1f conflicts a request: the threads of a warp want different "
                "words of one bank, as down\na column of 32; rows of 33 spread them (lesson 6)\n",
                conflicts.line, conflicts.each(conflicts.conflicts));
}

void print_races(FILE *to)
{
    std::set<std::pair<int, int>> said;
    for (const auto &each : races) {
        const Touch &a = each.second.first, &b = each.second.second;
        const int store = rows[a.at].line, other = rows[b.at].line;
        if (said.insert({min(store, other), max(store, other)}).second)
            fprintf(to, "\nrace: line %d stores to %s what line %d %s: thread %u of block %u and "
                    "thread %u of block %u%s\n", store, a.place, other,
                    b.write ? "stores, too" : "loads", a.thread, a.block, b.thread, b.block,
                    a.block == b.block ? ",\nand no barrier between: is a __syncthreads() missing?"
                    : store == other && b.write
                        ? ";\ndo all blocks do the same: is blockIdx in the index?"
                        : ";\nblocks have no barrier but the end of the launch");
    }
}

# Makes the manual page of section 3 from the comments of src/api/reconstruct.h: the first is the
# description, the others stand above what they are about.
function text(from)
{
    sub(/ +$/, "", from)
    gsub(/^\/\* ?|^ \*\/?|\*\/$/, "", from)
    if (from ~ /^     /) {
        if (!literal) print ".nf"
        literal = 1
    } else if (literal) {
        print ".fi"
        literal = 0
    }
    gsub(/\\/, "\\e", from)
    gsub(/-/, "\\-", from)
    sub(/^ +/, literal ? "    " : "", from)
    sub(/ +$/, "", from)
    if (from == "") print literal ? "" : ".PP"
    else print from
}
BEGIN {
    print ".TH RECONSTRUCT 3 2026-11-24\n.SH NAME\nreconstruct \\- Poisson's equation on images\n.SH SYNOPSIS"
    print ".B #include <reconstruct.h>\n.PP\ncc program.c $(pkg-config --cflags --libs reconstruct)"
    print ".SH DESCRIPTION"
}
/^\/\*/ { comment = held = "" ; inside = 1 }
inside {
    comment = comment $0 "\n"
    if ($0 !~ /\*\//) next
    inside = 0
    if (described) next
    described = 1
    count = split(comment, line, "\n")
    for (i = 1; i < count; i++) text(line[i])
    comment = ""
    print ".SH INTERFACE"
    next
}
/^#ifdef|^#ifndef|^#endif|^#include|^extern "C"|^}$|^#define RECONSTRUCT_H/ { next }
/^$/ {
    if (comment != "" && held != "") {
        print (shown++ ? ".PP\n" : "") ".nf"
        sub(/\n$/, "", held)
        gsub(/\\/, "\\e", held)
        gsub(/-/, "\\-", held)
        count = split(held, line, "\n")
        for (i = 1; i <= count; i++) print "\\fB" line[i] "\\fR"
        print ".fi\n.RS"
        count = split(comment, line, "\n")
        for (i = 1; i < count; i++) text(line[i])
        print ".RE"
    }
    comment = held = ""
    next
}
{ held = held $0 "\n" }
END { # the example is that of the document
    print ".SH EXAMPLES\nA program that clones without a seam:\n.PP\n.nf"
    while ((getline row < "docs/library.md") > 0) {
        if (row == "```") example = 0
        if (example) {
            gsub(/\\/, "\\e", row)
            gsub(/-/, "\\-", row)
            print row
        }
        if (row == "```c") example = 1
    }
    print ".fi\n.SH SEE ALSO\n.BR reconstruct (1)"
}

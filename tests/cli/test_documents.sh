#!/usr/bin/env bash
# The documents' commands run; those of docs/course.md are in test_course.sh.
. tests/documents.sh

none_is_hidden() {
    empty "$(cd "$root" && for file in README.md docs/*.md; do
        awk -v file="$file" '/^ *```/ { inside = !inside }
            !inside && /^    +(\.\/)?(reconstruct|make|sbatch|srun|mpirun|convert) / {
                print file ": " $0 }' "$file"
    done)"
}
check 'no command stands in a block that is not sh' none_is_hidden
for document in ${DOCUMENTS:-$(cd "$root" && ls README.md docs/*.md | grep -v course)}; do
    run_document "$document"
done
finish

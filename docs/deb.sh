#!/bin/sh
# Makes Debian packages of this tree in dist/: reconstruct, reconstruct-bench, libreconstruct0 and
# libreconstruct-dev, for the Debian that it runs on, without CUDA.
#
#     docs/deb.sh VERSION
#
# Files are compiled in build/deb, once; which package has one follows from its place. Times in the
# packages are those of SOURCE_DATE_EPOCH, else of the last commit.
set -eu
cd "$(dirname "$0")/.."
version=$(echo "$1" | tr - .)-1
arch=$(dpkg --print-architecture) multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
of_commit=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Makefile)
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$of_commit}"
umask 022
stage=build/deb/packages
rm -rf "$stage"
mkdir -p dist "$stage/debian"

build()
{
    make --no-print-directory CUDA=0 MPI=0 BUILD=build/deb PREFIX=/usr "LIBDIR=lib/$multiarch" \
        BUILT_AS="Debian package $version" "$@"
}
build all
build install "DESTDIR=$PWD/$stage/all" >/dev/null
rm "$stage/all/usr/share/reconstruct/installed"

# The place decides: what to link with, what is linked, and the programs.
find "$stage/all" ! -type d -printf '%P\n' | while read -r path; do
    case $path in
    usr/include/* | *.a | *.so | *.pc | *.cmake | */man3/*) package=libreconstruct-dev ;;
    */lib*.so.*) package=libreconstruct0 ;;
    */reconstruct-bench* | */share/reconstruct/kernels/*) package=reconstruct-bench ;;
    *) package=reconstruct ;;
    esac
    mkdir -p "$stage/$package/$(dirname "$path")"
    mv "$stage/all/$path" "$stage/$package/$path"
done
rm -r "$stage/all"
${STRIP:-strip} --remove-section=.comment --remove-section=.note \
    "$stage/reconstruct/usr/bin/reconstruct" "$stage/reconstruct-bench/usr/bin/reconstruct-bench"
${STRIP:-strip} --strip-unneeded --remove-section=.comment --remove-section=.note \
    "$stage/libreconstruct0/usr/lib/$multiarch/"*.so.*
${STRIP:-strip} --strip-debug --enable-deterministic-archives \
    "$stage/libreconstruct-dev/usr/lib/$multiarch/"*.a

needed() # FILE: the packages of the libraries that it is linked with
{
    printf 'Source: reconstruct\nPackage: reconstruct\nArchitecture: any\n' >"$stage/debian/control"
    (cd "$stage" && dpkg-shlibdeps -O -e"$1" 2>/dev/null) | sed 's/^shlibs:Depends=//'
}

pack() # PACKAGE SECTION SUMMARY DESCRIPTION [FIELD]...
{
    package=$1 root=$stage/$1 section=$2 summary=$3 description=$4
    shift 4
    docs=$root/usr/share/doc/$package
    mkdir -p "$docs" "$root/DEBIAN"
    cp "$stage/copyright" "$docs/copyright"
    gzip -9nc "$stage/changelog" >"$docs/changelog.Debian.gz"
    find "$root/usr/share/man" -type f -exec gzip -9n {} + 2>/dev/null || true
    {
        printf '%s\n' "Package: $package" 'Source: reconstruct' "Version: $version" \
            "Architecture: $arch" "Section: $section" 'Priority: optional' \
            'Maintainer: The founders of reconstruct <maintainers@reconstruct.invalid>' \
            "Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)" "$@" \
            "Description: $summary"
        echo "$description" | fold -s -w 76 | sed 's/ *$//; s/^/ /'
    } >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --build "$root" "dist/${package}_${version}_$arch.deb"
}

{
    printf '%s\n' 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' '' \
        'Files: *' "$(sed -n 's/^Copyright (c)/Copyright:/p' LICENSE)" 'License: Expat'
    sed '1,/^Copyright/d; /./!s/^/./; s/^/ /' LICENSE | sed '1d'
} >"$stage/copyright"
printf 'reconstruct (%s) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' "$version" \
    'Built from the sources; docs/changelog.md there says what is new.' \
    'The founders of reconstruct <maintainers@reconstruct.invalid>' \
    "$(LC_ALL=C date -uRd "@$SOURCE_DATE_EPOCH")" >"$stage/changelog"

about="It solves Poisson's equation on the pixels of a picture: exactly, or by iterations"
mkdir -p "$stage/libreconstruct0/DEBIAN"
echo "libreconstruct 0 libreconstruct0 (>= ${version%%[!0-9.]*})" \
    >"$stage/libreconstruct0/DEBIAN/shlibs"
echo 'activate-noawait ldconfig' >"$stage/libreconstruct0/DEBIAN/triggers"
pack libreconstruct0 libs "Poisson's equation on images (library)" \
    "$about. This is the shared library." \
    "Depends: $(needed "libreconstruct0/usr/lib/$multiarch/libreconstruct.so.0")" \
    'Multi-Arch: same'
pack libreconstruct-dev libdevel "Poisson's equation on images (development files)" \
    "$about. These are the header, the archive, and the manual of the library." \
    "Depends: libreconstruct0 (= $version), libfftw3-dev"
pack reconstruct graphics 'picture that an edge image came from' \
    "$about. The program shows the picture appear in a window, or works without one. It reads \
PGM, PPM, PAM, PFM, PNG, JPEG, TIFF and NumPy arrays. The window needs SDL2, which is opened when \
a window is." \
    "Depends: $(needed reconstruct/usr/bin/reconstruct)" \
    "Recommends: libsdl2-2.0-0, libsdl2-ttf-2.0-0, libfontconfig1, fonts-dejavu-core, \
reconstruct-bench"
pack reconstruct-bench graphics 'ladder of kernels for stencils on pictures' \
    "$about. This program, which 'reconstruct bench' executes, checks and times the same iteration \
written many times, one idea after the other: a course in making it fast." \
    "Depends: $(needed reconstruct-bench/usr/bin/reconstruct-bench)"

#!/usr/bin/env bash
# make install and make uninstall of what was built, and that the tree is afterwards what it was;
# the desktop's entry and the icon. Nothing is built here.
. tests/lib.sh

built=$(dirname "$program")
[ -e "$built/installs" ] || built=$root/build
[ -e "$built/installs" ] || { echo 'Bail out! no list of what to install: make builds it'; exit 1; }
unset MAKEFLAGS MAKELEVEL MFLAGS DESTDIR PREFIX

# A stand-in for the desktop's own tool, which may not be here: it makes its list.
mkdir "$top/tools" && cat >"$top/tools/update-desktop-database" <<'END'
#!/bin/sh
[ "$1" = -q ] && cd "$2" && ls *.desktop >mimeinfo.cache
END
chmod +x "$top/tools/update-desktop-database"
PATH=$top/tools:$PATH

make_it() { # TARGET VARIABLE=VALUE...
    make -s -C "$root" --no-print-directory AS_BUILT=1 BUILD="$built" "$@"
}
tree() { # FOLDER: all that is in it, but for its times
    (cd "$1" 2>/dev/null && find . -printf '%y %m %p %l\n' | sort &&
        find . -type f -print0 | sort -z | xargs -0r sha256sum)
}
is_as_before() { # FOLDER: since tree FOLDER >before
    tree "$1" >after
    diff before after
}

# ---- installing ----

has_all() { # FOLDER: everything in the build's list, as it was built, and the record, and no more
    local mode name target
    while read -r mode name target; do
        [ "$mode" != link ] || mode=777 # of every link
        same "$built/$name" "$1/$target" && equal "$(stat -c %a "$1/$target")" "$mode" || return
    done <"$built/installs"
    equal "$(find "$1" ! -type d | wc -l)" "$(($(wc -l <"$built/installs") + 1))"
}
opens_to_all() { empty "$(find "$1" -type d ! -perm 755)"; } # FOLDER: folders of mode 755
check 'install below DESTDIR' eval '(umask 077 &&
    make_it install DESTDIR="$PWD/stage/" PREFIX=/usr) && has_all stage/usr &&
    opens_to_all stage/usr && stage/usr/bin/reconstruct --version | grep reconstruct &&
    stage/usr/bin/reconstruct bench --version | grep reconstruct-bench'
for name in bin/reconstruct share/man/man1/reconstruct.1 \
    bin/reconstruct-bench share/man/man1/reconstruct-bench.1 \
    share/bash-completion/completions/reconstruct-bench share/reconstruct/castle-edges.pgm \
    share/bash-completion/completions/reconstruct share/zsh/site-functions/_reconstruct \
    share/fish/vendor_completions.d/reconstruct.fish; do
    check "it brings $name" test -s "stage/usr/$name"
done
for name in share/applications/reconstruct.desktop \
    share/icons/hicolor/scalable/apps/reconstruct.svg; do
    if built_with SDL2; then
        check "with a window it brings $name" test -s "stage/usr/$name"
    else
        check "without a window it does not bring $name" absent "stage/usr/$name"
    fi
done
finds_its_header() { # where there is no other
    (cd "$root" && cat tests/wrong/rim.c) >my.c && TMPDIR=$top stage/usr/bin/reconstruct-bench \
        --mine my.c --rungs mine | grep 'border pixels' && TMPDIR=$top \
        stage/usr/bin/reconstruct-bench -o my.pgm --mine \
        stage/usr/share/reconstruct/kernels/ladder/exercise.c && [ -s my.pgm ]
}
check_where 'command -v "${CC:-cc}"' 'no compiler' \
    'an installed program compiles a kernel of one'"'"'s own' finds_its_header
check 'a package gets no list of the desktop' absent stage/usr/share/applications/mimeinfo.cache
check 'uninstall takes it away, DESTDIR too, which install made' eval \
    'make_it uninstall DESTDIR="$PWD/stage" PREFIX=/usr && absent stage'
nothing_there() {
    make_it uninstall DESTDIR="$PWD/stage" PREFIX=/usr | grep 'nothing of reconstruct'
}
check 'uninstall where nothing is' nothing_there

# ---- beside what is there already ----

# Folders that were empty before stay, and so does what is not ours.
mkdir -p home/.local/bin home/.local/share/man/man1 home/.local/share/fish
echo other >home/.local/share/man/man1/other.1
tree home >before
prefix="$PWD/home/.local"
again() {
    make_it install PREFIX="$prefix" && make_it install PREFIX="$prefix" &&
        make_it uninstall PREFIX="$prefix" && is_as_before home
}
check 'install into the home folder, and away again' eval \
    'make_it install PREFIX="$prefix" && make_it uninstall PREFIX="$prefix" && is_as_before home'
check 'install twice, uninstall once' again
if where 'built_with SDL2' 'there is no window in this build' 'the list of the desktop'; then
    check 'the list of the desktop is made' eval 'make_it install PREFIX="$prefix" &&
        grep -q reconstruct.desktop home/.local/share/applications/mimeinfo.cache'
    make_it uninstall PREFIX="$prefix" >/dev/null
    mkdir home/.local/share/applications
    echo other >home/.local/share/applications/other.desktop
    update-desktop-database -q home/.local/share/applications
    tree home >before
    check 'the list of the desktop is kept for others' again
fi
odd="a b'c" other="/d e'f"
mkdir "$odd"
tree "$odd" >before
check 'folders with blanks and an apostrophe' eval '
    make_it install DESTDIR="$PWD/$odd" PREFIX="$other" && has_all "$odd$other" &&
        make_it uninstall DESTDIR="$PWD/$odd" PREFIX="$other" && is_as_before "$odd"'
check 'what came later stays, with its folder' \
    eval 'make_it install DESTDIR="$PWD/stage" PREFIX=/usr && echo mine >stage/usr/bin/mine &&
    make_it uninstall DESTDIR="$PWD/stage" PREFIX=/usr &&
    equal "$(find stage -type f)" stage/usr/bin/mine && rm -r stage'
halfway() {
    mkdir -p stage/usr/share && : >stage/usr/share/man && tree stage >before &&
        ! make_it install DESTDIR="$PWD/stage" PREFIX=/usr && [ -e stage/usr/bin/reconstruct ] &&
        make_it uninstall DESTDIR="$PWD/stage" PREFIX=/usr && is_as_before stage && rm -r stage
}
check 'what failed halfway can be taken away' halfway
refused() { # TEXT VARIABLE=VALUE...
    ! make_it install "${@:2}" >said 2>&1 && contains said "$1" && absent stage
}
mkdir empty
check 'a relative PREFIX' refused 'must begin with /' DESTDIR="$PWD/stage" PREFIX=usr
check 'nothing is built' refused 'make builds it' DESTDIR="$PWD/stage" PREFIX=/usr \
    BUILD="$PWD/empty"

# ---- the sources as one file ----

same_bytes() (
    name=reconstruct-1.0.0
    export SOURCE_DATE_EPOCH=1700000000
    (cd "$root" && docs/dist.sh 1.0.0 "$top/one" https://example.org/r) && sleep 1.1 &&
        (cd "$root" && umask 077 && docs/dist.sh 1.0.0 "$top/other" https://example.org/r) &&
        diff -r "$top/one" "$top/other" && cd "$top/one" && mv $name.md notes &&
        [ "$(grep -c '^## ' notes)" = 1 ] && [ "$(tail -n +3 "$root/docs/changelog.md" |
            head -n "$(wc -l <notes)")" = "$(cat notes)" ] &&
        tar -xzf $name.tar.gz && same $name/LICENSE "$root/LICENSE" &&
        equal "$($name/docs/version.sh 0.1.0)" 1.0.0 && ! grep -r '@VERSION@' $name/docs/recipes &&
        equal "$(cat $name/CITATION.cff $name/Makefile $name/debian/control |
            grep -c ' https://example.org/r$')" 3 &&
        touch $name/reconstruct && # what was built is no source
        (cd $name && docs/dist.sh 1.0.0 dist) && same $name/dist/$name.tar.gz $name.tar.gz
)
check_where 'git -C "$root" ls-files' 'this tree is no clone' \
    'make dist packs the same bytes every time, and the newest notes' same_bytes
two_folders() {
    local at objects='src/base/version.o src/base/output.o src/problem/boundary.o'
    mkdir -p elsewhere/deeper && for at in here elsewhere/deeper/there; do
        cp -r "$top/one/reconstruct-1.0.0" $at && rm -rf $at/dist &&
            make -sC $at BUILD=build CUDA=0 BUILT_AS=test \
            CFLAGS="-O1 -g -ffile-prefix-map=$PWD/$at=." $(printf 'build/%s ' $objects) || return
    done
    for at in $objects; do
        same here/build/$at elsewhere/deeper/there/build/$at || return
    done
}
check_where 'git -C "$root" ls-files' 'this tree is no clone' \
    'what is compiled in two folders has the same bytes' two_folders
says_what_is_inside() {
    : >"$top/one/libreconstruct0_1.0.0_amd64.deb" && SOURCE_DATE_EPOCH=0 \
        "$root/docs/spdx.sh" "$top/one" 1.0.0 >spdx &&
        equal "$(grep -c '^PackageFileName' spdx)" 3 && contains spdx \
        "PackageChecksum: SHA256: $(sha256sum "$top/one/reconstruct-1.0.0.tar.gz" | cut -c -64)" &&
        grep -x 'Relationship: SPDXRef-File-3 DYNAMIC_LINK SPDXRef-FFTW' spdx
}
check_where 'git -C "$root" ls-files && pkg-config --exists fftw3' 'no clone, or no FFTW' \
    'the list of what is inside a release' says_what_is_inside

# Of commits of a clone of its own.
version_is() { equal "$(v/docs/version.sh 1.0.0)" "$1"; }
versions() (
    commit() { git -C v -c user.name=n -c user.email=e commit -qam "$1"; }
    mkdir -p v/docs && cp "$root/docs/version.sh" v/docs && git init -q v &&
        echo 'RELEASE := 0.1.0' >v/Makefile && git -C v add . && commit one &&
        echo 'all:' >>v/Makefile && commit two &&
        hash() { git -C v rev-parse --short=10 HEAD; } && version_is "1.0.0+1.g$(hash)" &&
        sed -i s/0.1/1.0/ v/Makefile && version_is "1.0.0+1.g$(hash).dirty" && commit three &&
        version_is "1.0.0+0.g$(hash)" && git -C v tag v1.0.0 && version_is 1.0.0 &&
        echo 'more:' >>v/Makefile && version_is "1.0.0+0.g$(hash).dirty" && commit four &&
        version_is "1.0.0+1.g$(hash)" && mv v deep && git clone -q --depth 1 "file://$PWD/deep" v &&
        version_is "1.0.0+0.shallow.g$(hash)" && rm -rf v/.git && version_is 1.0.0+unknown
)
check_where 'command -v git' 'no git here' 'a version says what follows which' versions
check 'what was built by what is said' eval 'exits 0 --version && prints "built by: "'

# ---- what builders of packages say ----

dry() { # VARIABLE=VALUE...: what make would do
    make -nBC "$root" V=1 BUILD="$PWD/dry" CUDA=0 SDL=0 CC="${CC:-gcc}" "$@" all >said 2>&1
}
honoured() {
    local word
    dry LDFLAGS=-Wl,-z,marked CPPFLAGS=-DMARKED AR=other-ar RANLIB=other-ranlib \
        OBJCOPY=other-objcopy PKG_CONFIG=false HOSTCC=other-cc EMULATOR=other-emulator \
        PREFIX=/usr bindir=/opt/bin libdir=/usr/lib64 mandir=/usr/man || return
    for word in -Wl,-z,marked -DMARKED 'other-ar rc' other-ranlib 'other-objcopy --loc' \
        "CC='other-cc'" 'other-emulator ' REC_HAVE_PNG=0 755:reconstruct:/opt/bin/reconstruct \
        :lib64/libreconstruct.a :man/man1/; do
        contains said "$word" || return
    done
}
check 'flags, tools and places' honoured
fast_math() { ! dry "CFLAGS=-O2 -ffast-math" && contains said '-ffast-math would change'; }
check 'other arithmetic is refused' fast_math

# ---- another build ----

copy_build() { # FOLDER: what install needs of a build
    local mode name target
    mkdir "$1" && cp "$built/installs" "$built/config" "$1" &&
        while read -r mode name target; do
            mkdir -p "$(dirname "$1/$name")" && cp -p "$built/$name" "$1/$name" || return
        done <"$built/installs"
}
given copy_build other
without_window() {
    grep -v applications other/installs >list && mv list other/installs &&
        make_it install DESTDIR="$PWD/stage" PREFIX=/usr &&
        make_it install DESTDIR="$PWD/stage" PREFIX=/usr BUILD="$PWD/other" &&
        absent stage/usr/share/applications/reconstruct.desktop &&
        [ -x stage/usr/bin/reconstruct ] &&
        make_it uninstall DESTDIR="$PWD/stage" PREFIX=/usr && absent stage
}
check 'a build without a window takes the entry of one with it away' without_window
check 'a part that is not built' all rm other/reconstruct.1 and refused \
    'other/reconstruct.1 is not built' DESTDIR="$PWD/stage" PREFIX=/usr BUILD="$PWD/other"

# Without AS_BUILT: make finds out by itself that the build is another's, and leaves it as it is.
of_another_user() {
    copy_build theirs && chown -R 65534 theirs && find theirs -printf '%p %T@ %U\n' | sort >was &&
        make -s -C "$root" --no-print-directory BUILD="$PWD/theirs" CFLAGS=-Og PREFIX=/usr \
            DESTDIR="$PWD/stage" install && [ -x stage/usr/bin/reconstruct ] &&
        find theirs -printf '%p %T@ %U\n' | sort >is && same was is && rm -r stage
}
check_where is_root 'only root can try' \
    "root installs a user's build and builds nothing" of_another_user

# ---- the entry, the icon ----

given eval '"$built/manual" "$root/docs/reconstruct.desktop.in" >reconstruct.desktop'
entry=reconstruct.desktop
check_where 'command -v desktop-file-validate' 'there is no desktop-file-validate here' \
    "the desktop's entry is valid" eval 'empty "$(desktop-file-validate "$entry" 2>&1)"'
# Without a repository there is no homepage to name; AppStream 1.0 asks for one.
valid_metainfo() {
    local made=$PWD/entry/reconstruct.metainfo.xml
    made() { make -sBC "$root" BUILD="$PWD/entry" CUDA=0 "$@" "$made"; }
    made REPOSITORY=https://example.org/r && contains "$made" 'https://example.org/r/raw/v' &&
        appstreamcli validate --no-net "$made" && made && ! grep @ "$made" &&
        { appstreamcli validate --no-net "$made" ||
            appstreamcli validate --no-net --override=url-homepage-missing=info "$made"; }
}
check_where 'command -v appstreamcli' 'there is no appstreamcli here' \
    "the software centre's entry is valid" valid_metainfo
check 'the entry names the icon and the program' eval \
    'grep -qx Icon=reconstruct "$entry" && grep -qx "Exec=reconstruct %F" "$entry"'

if where 'built_with SDL2' 'there is no window in this build' 'the icon'; then
    given cp "$built/reconstruct.svg" icon.svg
    icon_samples() { # PIXELS
        "$built/icon" pam "$1" >icon.pam &&
            equal "$(tail -c "$((4 * $1 * $1))" icon.pam | wc -c)" $((4 * $1 * $1)) &&
            equal "$(head -n 7 icon.pam | tr '\n' ' ')" \
                "P7 WIDTH $1 HEIGHT $1 DEPTH 4 MAXVAL 255 TUPLTYPE RGB_ALPHA ENDHDR "
    }
    is_in_window() { # the pixels compiled in are those of the picture
        icon_samples 64 &&
            sed '1,/{/d; /};/d' "$built/icon_pixels.c" | tr -s ',\n' '\n' >compiled &&
            tail -c 16384 icon.pam | od -An -v -w1 -tu1 | tr -d ' ' >drawn && same compiled drawn
    }
    agrees() { # PIXELS: SVG and pixels, drawn by two programs, but for what edges look like
        "$built/icon" pam "$1" >icon.pam &&
            convert icon.pam -background black -alpha remove a.png &&
            rsvg-convert -w "$1" -h "$1" icon.svg -o icon.png &&
            convert icon.png -background black -alpha remove b.png &&
            compare -metric RMSE a.png b.png null: 2>&1 | tee far |
            sed -E 's/.*\((.*)\)/\1/' | awk '{ exit !($1 < 0.03) }' || { cat far; return 1; }
    }
    check 'the icon of 16 pixels' icon_samples 16
    check "the window's icon is that of 64 pixels" is_in_window
    if where 'command -v rsvg-convert && command -v convert' 'no rsvg-convert or no convert' \
        'SVG and pixels agree'; then
        check 'SVG and pixels agree at 64' agrees 64
        check 'SVG and pixels agree at 256' agrees 256
    fi
    for wrong in '' 'png' 'pam 0' 'pam 2000' 'svg 3'; do
        # shellcheck disable=SC2086
        check "icon $wrong: usage" eval '"$built/icon" $wrong >said 2>&1; equal $? 64'
    done
fi

finish

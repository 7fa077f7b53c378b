#!/bin/sh
# Prints what is inside each file of a release's FOLDER, with licences and copyrights, in SPDX 2.3:
#
#     docs/spdx.sh FOLDER VERSION [REPOSITORY]
#
# FFTW is in what is linked with it, as an archive or when it is loaded. The time is that of
# SOURCE_DATE_EPOCH.
set -eu
owner=$(sed -n 's/^Copyright/&/p' "$(dirname "$0")/../LICENSE")
gpl=GPL-2.0-or-later fftw='Copyright (c) 2003, 2007-14 Matteo Frigo
Copyright (c) 2003, 2007-14 Massachusetts Institute of Technology'

package() # ID NAME VERSION LICENCE COPYRIGHT [FILE]
{
    printf '\n%s\n' "PackageName: $2"
    printf '%s\n' "SPDXID: SPDXRef-$1" "PackageVersion: $3" \
        ${6:+"PackageFileName: $2"} 'PackageDownloadLocation: NOASSERTION' 'FilesAnalyzed: false' \
        ${6:+"PackageChecksum: SHA256: $(sha256sum <"$6" | cut -c 1-64)"} \
        "PackageLicenseConcluded: $4" "PackageLicenseDeclared: $4" \
        "PackageCopyrightText: <text>$5</text>"
}

cat <<EOF
SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: reconstruct-$2
DocumentNamespace: ${3:-https://reconstruct.invalid}/spdx/reconstruct-$2
Creator: Organization: $(echo "$owner" | sed 's/.* 20[0-9]* //')
Created: $(date -ud "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
EOF
package FFTW FFTW "$(pkg-config --modversion fftw3)" $gpl "$fftw"
number=0
for file in "$1"/*.tar.gz "$1"/*.deb "$1"/*.whl; do
    [ -e "$file" ] || continue
    number=$((number + 1)) base=$(basename "$file") licence=MIT how=
    # An installed program or library is as a whole under the licence of what it is linked with.
    case $base in
    libreconstruct-dev_*) ;;
    *.deb) how=DYNAMIC_LINK ;;
    *_fftw-*) how=CONTAINS ;;
    esac
    [ -z "$how" ] || licence="MIT AND $gpl"
    package "File-$number" "$base" "$2" "$licence" "$owner${how:+
$fftw}" "$file"
    echo "Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-File-$number"
    [ -z "$how" ] || echo "Relationship: SPDXRef-File-$number $how SPDXRef-FFTW"
done

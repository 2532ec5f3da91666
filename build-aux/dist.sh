#!/bin/sh
# A release tarball: what git tracks, the generated configure, and the commit.
# usage: dist.sh SOURCE-FOLDER NAME
set -eu
src=$1 name=$2
commit=$(git -C "$src" rev-parse HEAD) || { echo "dist: a release is made from a git checkout" >&2; exit 5; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$name"
git -C "$src" archive HEAD | tar -x -C "$work/$name"
cp "$src/configure" "$work/$name/configure"
printf '%s\n' "$commit" > "$work/$name/COMMIT"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner \
	--mtime="@$(git -C "$src" log -1 --format=%ct)" -czf "$name.tar.gz.tmp" "$name"
mv "$name.tar.gz.tmp" "$name.tar.gz"
echo "$(pwd)/$name.tar.gz"

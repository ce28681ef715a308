#!/bin/sh
# Installs Headroom for this user: the program below ~/.local/lib, its commands, menu entry and icons where the
# desktop looks for them. Needs no rights and no network. "install.sh --uninstall" takes all of it away again;
# pictures and settings stay.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
data=${XDG_DATA_HOME:-"$HOME/.local/share"}
programs="$HOME/.local/lib"
commands="$HOME/.local/bin"
target="$programs/headroom"
metainfo=studio.headroom.Headroom.metainfo.xml

remove() {
  rm -rf "$target" "$target.new"
  rm -f "$commands/headroom" "$commands/headroom-cli" "$data/applications/headroom.desktop" "$data/metainfo/$metainfo"
  for size in 16 24 32 48 64 128 256 512; do
    rm -f "$data/icons/hicolor/${size}x${size}/apps/headroom.png"
  done
  rm -f "$data/icons/hicolor/scalable/apps/headroom.svg"
}

refresh() {
  if command -v update-desktop-database >/dev/null 2>&1; then
    update-desktop-database -q "$data/applications" || true
  fi
  if command -v gtk-update-icon-cache >/dev/null 2>&1; then
    gtk-update-icon-cache -qtf "$data/icons/hicolor" || true
  fi
}

if [ "${1:-}" = "--uninstall" ]; then
  remove
  refresh
  echo "Headroom is uninstalled. Pictures, settings and models were left where they are."
  exit 0
elif [ "$#" -gt 0 ]; then
  echo "usage: install.sh [--uninstall]" >&2
  exit 2
fi

if [ ! -x "$here/headroom/headroom" ]; then
  echo "The folder headroom is not beside this script: unpack the whole archive, then run install.sh in it." >&2
  exit 1
fi

# Copied whole under another name first, so that an interrupted copy leaves the installed one as it was.
mkdir -p "$programs" "$commands" "$data/applications" "$data/metainfo"
rm -rf "$target.new"
cp -R "$here/headroom" "$target.new"
rm -rf "$target"
mv "$target.new" "$target"

ln -sf "$target/headroom" "$commands/headroom"
ln -sf "$target/headroom-cli" "$commands/headroom-cli"
icons="$target/_internal/resources/icons"
for size in 16 24 32 48 64 128 256 512; do
  folder="$data/icons/hicolor/${size}x${size}/apps"
  mkdir -p "$folder"
  cp "$icons/headroom-$size.png" "$folder/headroom.png"
done
mkdir -p "$data/icons/hicolor/scalable/apps"
cp "$icons/headroom.svg" "$data/icons/hicolor/scalable/apps/headroom.svg"
# A menu entry with the whole path works also where ~/.local/bin is not on the PATH.
sed -e "s|^Exec=.*|Exec=\"$target/headroom\"|" -e "s|^TryExec=.*|TryExec=$target/headroom|" \
  "$here/headroom.desktop" >"$data/applications/headroom.desktop"
cp "$here/$metainfo" "$data/metainfo/$metainfo"
refresh

echo "Headroom is installed in $target."
echo "Start it from the menu or with: $commands/headroom"
case ":$PATH:" in
  *":$commands:"*) ;;
  *) echo "$commands is not on your PATH; log in again or add it there to type just: headroom" ;;
esac

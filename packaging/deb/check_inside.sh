#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The part of packaging/check_deb.sh that runs inside the clean root.
set -euo pipefail
here=/opt/check
result=$here/result
mkdir -p "$result"
if [ -r $here/certificates.crt ]; then export PIP_CERT=$here/certificates.crt; fi
if [ -r $here/pip.conf ]; then export PIP_CONFIG_FILE=$here/pip.conf; fi
if [ -z "${PIP_INDEX_URL:-}" ]; then unset PIP_INDEX_URL; fi
failed() { echo "check_deb.sh: $*" >&2; exit 1; }
step() { printf '== %s\n' "$*"; }
as_user() { # COMMAND...: as an ordinary user, in a login's environment
  setpriv --reuid tester --regid tester --init-groups env -i HOME=/home/tester USER=tester PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 "$@"
}
list() { # every file, folder and link, with its type, mode, owner, size and content's hash or target
  find / -xdev \( -path /proc -o -path /dev -o -path /sys -o -path /tmp -o -path /run -o -path $here \) -prune -o \
    -printf '%y %m %u:%g %p %l\n' | LC_ALL=C sort -k4 >"$1"
  find / -xdev \( -path /proc -o -path /dev -o -path /sys -o -path /tmp -o -path /run -o -path $here \) -prune -o \
    -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum >"$1.sha256"
}

step "apt: what the packages depend on"
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/check # this root need not survive a power cut
apt-get update -qq
apt-get install -y -qq --no-install-recommends adduser >/dev/null
useradd --create-home tester
packages=("$here"/rankscope*.deb)
# without Recommends, so that a package missing in Depends is noticed; espeak-ng, only recommended, speaks the sample
apt-get install -s --no-install-recommends "${packages[@]}" espeak-ng | sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep -v '^rankscope' >"$result/dependencies.txt"
echo "$(wc -l <"$result/dependencies.txt") packages: $(tr '\n' ' ' <"$result/dependencies.txt" | cut -c1-300)..."
# the dependencies first, so that leftovers of our packages can be told apart from theirs
xargs apt-get install -y -qq --no-install-recommends <"$result/dependencies.txt" >"$result/apt.log" 2>&1 ||
  { tail -n 20 "$result/apt.log" >&2; failed "apt cannot install the dependencies"; }
apt-get clean
list "$result/before"

step "an older version of the packages, then apt-get install ./*.deb"
mkdir -p $here/older
for package in "${packages[@]}"; do # the same package, as a build of an earlier commit
  dpkg-deb -R "$package" $here/older/tree
  version=$(sed -n 's/^Version: //p' $here/older/tree/DEBIAN/control)
  sed -i "s/$version/0.1.0~git202001010000.0000000000-1/g" $here/older/tree/DEBIAN/control
  dpkg-deb -b $here/older/tree $here/older/ >/dev/null
  rm -rf $here/older/tree
done
apt-get install -y --no-install-recommends $here/older/*.deb >>"$result/apt.log" 2>&1 || { tail -n 20 "$result/apt.log" >&2; failed "apt cannot install the older packages"; }
rm -rf $here/older
apt-get install -y --no-install-recommends "${packages[@]}" >>"$result/apt.log" 2>&1 || { tail -n 20 "$result/apt.log" >&2; failed "apt cannot install the packages"; }
grep 'rankscope-setup' "$result/apt.log" || failed "the installation does not say how to get LibTorch"
dpkg -l 'rankscope*' | tail -n 3
for name in rankscope rankscopectl rankscope-trainer; do
  if [ "$(dpkg-query -W -f '${Version}' $name)" != "$version" ]; then failed "$name was not upgraded to $version"; fi
done
commit=${version##*.} commit=${commit%-1}
for program in rankscope rankscopectl rankscope-setup; do
  if [ "$commit" != "${version%-1}" ] && ! "/usr/bin/$program" --version | grep -q "commit $commit"; then failed "$program --version names no commit"; fi
done
dpkg -L rankscope | grep -q '/tour/run/run.json' || failed "the tour is in no package"
for name in rankscope rankscopectl rankscope-trainer; do
  grep -q 'yaml-cpp' "/usr/share/doc/$name/notices.txt" || failed "$name lacks the notices of third-party components"
done
if grep -iE 'yaml' /usr/share/applications/mimeinfo.cache 2>/dev/null | grep rankscope; then failed "the window claims every YAML file"; fi
if [ -n "$(dpkg --audit)" ]; then dpkg --audit; failed "dpkg finds half-installed packages"; fi
for program in rankscope rankscopectl rankscope-setup; do "/usr/bin/$program" --version || failed "$program does not start"; done
if ldd /usr/lib/rankscope/rankscope-trainer | grep 'not found' | grep -vE 'libtorch|libc10'; then failed "libraries are missing that Depends should name"; fi

step "without LibTorch"
cd /usr/share/rankscope
if as_user rankscopectl launch configs/quickstart.yaml 2>"$result/without.txt"; then failed "a launch without LibTorch succeeds"; fi
if as_user rankscope-trainer --version 2>>"$result/without.txt"; then failed "the trainer starts without LibTorch"; fi
cat "$result/without.txt"
grep -q 'rankscope-setup' "$result/without.txt" || failed "no message says what to do without LibTorch"
if [ -e /home/tester/.local ]; then failed "a refused launch leaves files behind"; fi

step "rankscope-setup"
rankscope-setup
rankscope-trainer --version
recipe=/var/lib/rankscope/quickstart/configs/quickstart.yaml
cp $recipe $here/recipe
echo '# an edit' >>$recipe
rankscope-setup --only sample
if ! tail -n 1 $recipe | grep -q 'an edit'; then failed "rankscope-setup overwrites an edited recipe"; fi
cp $here/recipe $recipe
mkdir -m 700 /root/venv && cp -r /var/lib/rankscope/wheels/torch /root/venv/torch
if rankscope-setup --only libtorch --libtorch /root/venv/torch; then failed "a LibTorch that only root can enter is taken for all users"; fi
rm -rf /root/venv
if rankscope-setup --place prefix --only sample; then failed "a package's rankscope-setup writes next to /usr/bin"; fi
as_user rankscope-trainer --version >/dev/null || failed "the LibTorch installed before is gone"
du -sh /var/lib/rankscope

step "the quickstart, $STEPS steps, as an ordinary user"
cd /var/lib/rankscope/quickstart
as_user rankscopectl launch configs/quickstart.yaml "trainer.max_steps=$STEPS" trainer.val_check_interval=10 2>"$result/launch.err" ||
  { cat "$result/launch.err" >&2; failed "the quickstart fails"; }
as_user rankscopectl list
as_user rankscopectl show last | grep -q "$STEPS of $STEPS" || failed "the run did not do all its steps"

step "the window's picture, without a display"
cd /home/tester
as_user rankscope --run last --page review --screenshot /tmp/window.png
as_user rankscope --config /var/lib/rankscope/quickstart/configs/quickstart.yaml --page configure --screenshot /tmp/configure.png
cp /tmp/window.png /tmp/configure.png "$result/"
ls -l "$result"/*.png

step "purge"
list "$result/installed"
apt-get purge -y rankscope rankscopectl rankscope-trainer >>"$result/apt.log" 2>&1 || { tail -n 20 "$result/apt.log" >&2; failed "purge fails"; }
apt-get clean
list "$result/after"
if dpkg -l 'rankscope*' 2>/dev/null | grep -E '^[a-z]i|^rc'; then failed "dpkg still knows the packages"; fi

step "what is left"
diff "$result/before" "$result/after" >"$result/left.txt" || true
echo "$(wc -l <"$result/before") files and folders before, $(wc -l <"$result/installed") installed, $(wc -l <"$result/after") after"
runs=/home/tester/.local/share/rankscope/runs
# expected to differ: the runs and the folders above them; apt's and dpkg's own logs and lists
strangers=$(sed -n 's/^[<>] //p' "$result/left.txt" | awk '{print $4}' | LC_ALL=C sort -u |
  grep -vE "^(/home/tester/\.local(/share(/rankscope(/runs(/.*)?)?)?)?)\$" |
  grep -vE '^(/var/lib/apt/extended_states|/var/lib/dpkg/(status-old|available-old|diversions-old))$' || true)
find "$runs" -mindepth 1 -maxdepth 1 -printf 'a run: %f\n'
if [ -z "$(find "$runs" -name run.sqlite)" ]; then failed "the user's run is gone"; fi
changed=$(LC_ALL=C join -j 2 <(awk '{print $1, $2}' "$result/before.sha256" | LC_ALL=C sort -k2) <(awk '{print $1, $2}' "$result/after.sha256" | LC_ALL=C sort -k2) |
  awk '$2 != $3 {print $1}')
printf 'files whose content changed (bookkeeping of dpkg and its caches):\n%s\n' "$changed"
if [ -n "$strangers" ]; then printf 'left behind:\n%s\n' "$strangers" >&2; failed "a purge leaves more than the user's runs"; fi
if printf '%s\n' "$changed" | grep -vE '^(/var/(lib/(dpkg|apt|systemd)|log|cache)/.*|/usr/share/(applications/mimeinfo.cache|mime/.*|icons/hicolor/icon-theme.cache)|)$'; then
  failed "a purge leaves files changed (see above)"
fi
echo "nothing but the user's runs is left"

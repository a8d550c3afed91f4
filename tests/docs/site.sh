#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The documentation site builds without warnings, and every public name has a comment and a place on a page.
# Exit 77 skips.
#
#     site.sh SOURCE_ROOT
set -eu
for tool in doxygen sphinx-build; do
    command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
# The Python that runs Sphinx.
python=$(sed -n '1s/^#!//p' "$(command -v sphinx-build)")
for module in myst_parser breathe furo; do
    $python -c "import $module" 2>/dev/null || { echo "Python's $module is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1/scripts/site" "$work/site"
for page in index api/reduce tutorials/classify; do
    [ -s "$work/site/$page.html" ] || { echo "there is no page $page"; exit 1; }
done
grep -q 'id="c.gpuprim_reduce"' "$work/site/api/reduce.html" || { echo "gpuprim_reduce is missing"; exit 1; }

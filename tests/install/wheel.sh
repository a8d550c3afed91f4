#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pip makes a wheel of the Python package and installs it into a virtual environment. It has the library's
# version, the licence and every file of the package, and computes. Nothing is downloaded. Exit 77 skips.
#
#     wheel.sh SOURCE_ROOT LIBGPUPRIM.so PYTHON
set -eu
source=$1 library=$2 python=$3
for module in pip hatchling numpy; do
    "$python" -c "import $module" 2>/dev/null || {
        echo "skipped: $python has no $module (Debian: python3-$module)"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -rL "$source/python" "$work/python" # building writes beside the sources
"$python" -m venv --system-site-packages --without-pip "$work/venv"
"$python" -m pip --quiet --python "$work/venv/bin/python" install --no-index --no-deps \
    --no-build-isolation "$work/python"
cd "$work/venv"
GPUPRIM_LIBRARY=$library bin/python - "$("$source/scripts/version")" "$work/python" <<'END'
import pathlib
import sys
from importlib import metadata
version, source = sys.argv[1], pathlib.Path(sys.argv[2])
wheel = metadata.distribution("gpuprim")
assert wheel.version == version, f"the wheel has version {wheel.version}, the library {version}"
assert wheel.metadata["License-Expression"] == "Apache-2.0"
packed = {str(file) for file in wheel.files}
wanted = {str(file.relative_to(source)) for file in source.glob("gpuprim/*") if file.is_file()}
wanted.add(f"gpuprim-{version}.dist-info/licenses/LICENSE")
assert wanted <= packed, f"the wheel lacks {wanted - packed}"
import gpuprim
assert gpuprim.__file__.startswith(sys.prefix), gpuprim.__file__
import numpy
try:
    answer = gpuprim.sum(numpy.arange(12, dtype=numpy.int32).reshape(3, 4), axis=0)
except gpuprim.NoDevice:
    print("without a device it was only installed")
else:
    assert answer.tolist() == [12, 15, 18, 21], answer
END
echo "the wheel is complete"

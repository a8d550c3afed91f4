# SPDX-License-Identifier: Apache-2.0
"""Builds tests/install/consumer with the package, and runs it."""
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.meson import Meson


class Consumer(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "MesonToolchain", "PkgConfigDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        self.folders.root = "../../.."
        self.folders.source = "tests/install/consumer"
        self.folders.build = "build-conan"
        self.folders.generators = "build-conan/conan"

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def test(self):
        if can_run(self):
            self.run(os.path.join(self.build_folder, "consumer"), env="conanrun")

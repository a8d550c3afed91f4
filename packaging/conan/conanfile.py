# SPDX-License-Identifier: Apache-2.0
"""A recipe of the tree that this folder lies in:

    conan create packaging/conan

The OpenCL loader is the system's, whose drivers it finds; Meson and Ninja are, too.
"""
import os
import subprocess

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain
from conan.tools.system.package_manager import Apt

PARTS = ["meson.build", "meson_options.txt", "LICENSE", "cmake/*", "include/*", "kernels/*",
         "scripts/*", "src/*"]


class Gpuprim(ConanFile):
    name = "gpuprim"
    description = "Parallel primitives on GPUs and CPUs over OpenCL: reduce, convolve1d, classify"
    license = "Apache-2.0"
    topics = ("opencl", "gpu", "reduction", "convolution", "histogram")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": True}

    @property
    def _tree(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def set_version(self):
        script = os.path.join(self._tree, "scripts", "version")
        self.version = subprocess.check_output([script], text=True).strip()

    def export_sources(self):
        for part in PARTS:
            copy(self, part, self._tree, self.export_sources_folder)

    def configure(self): # the library is C
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("gpuprim is for Linux")

    def layout(self):
        basic_layout(self)

    def system_requirements(self):
        Apt(self).install(["ocl-icd-opencl-dev", "opencl-c-headers"])

    def generate(self):
        toolchain = MesonToolchain(self)
        for part in ("tests", "tools", "examples", "docs", "bench"):
            toolchain.project_options[part] = False
        toolchain.generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        Meson(self).install()

    def package_info(self):
        self.cpp_info.libs = ["gpuprim"]
        self.cpp_info.system_libs = ["OpenCL"] if self.options.shared else ["OpenCL", "pthread"]

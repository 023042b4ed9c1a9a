"""Builds a program with the package and runs it."""

from os.path import join

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class GimmalTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain"
    test_type = "explicit"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            if self.dependencies["gimmal"].options.library:
                self.run(join(self.cpp.build.bindir, "in_c"), env="conanrun")
            self.run(join(self.cpp.build.bindir, "in_cpp"), env="conanrun")

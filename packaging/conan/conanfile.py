"""gimmal for Conan 2: the headers, and with the option `library` libgimmal, which cargo builds."""

from os.path import join
from re import search

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load


class Gimmal(ConanFile):
    name = "gimmal"
    description = "Lock-free rings with one byte layout for Rust, C and C++"
    license = "MIT OR Apache-2.0"
    url = "https://github.com/gimmal/gimmal"
    topics = ("ring", "spsc", "lock-free", "ffi")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"library": [True, False], "shared": [True, False], "features": ["ANY"]}
    default_options = {"library": True, "shared": False, "features": ""}

    @property
    def _root(self):
        return join(self.recipe_folder, "..", "..")

    def set_version(self):
        manifest = load(self, join(self._root, "Cargo.toml"))
        self.version = search(r'^version = "(.+)"$', manifest, 8).group(1)

    def configure(self):
        if not self.options.library:
            self.options.rm_safe("shared")
            self.options.rm_safe("features")
            self.package_type = "header-library"

    def package_id(self):
        if not self.info.options.library:
            self.info.clear()
        # cargo builds the library, in release.
        self.info.settings.rm_safe("compiler")
        self.info.settings.rm_safe("build_type")

    def export_sources(self):
        for part in ("CMakeLists.txt", "Cargo.toml", "README.md", "LICENSE-*", "include/*", "packaging/cmake/*"):
            copy(self, part, self._root, self.export_sources_folder)
        # The library's crates, and the workspace that they are members of.
        for part in ("*/Cargo.toml", "*.rs", "ffi/*", "docs/WAITING.md"):
            copy(self, part, self._root, self.export_sources_folder, excludes=("target*", "*/target/*", "packaging/conan/*"))

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["GIMMAL_LIBRARY"] = bool(self.options.library)
        toolchain.cache_variables["GIMMAL_FEATURES"] = str(self.options.get_safe("features", "")).replace(",", ";")
        toolchain.cache_variables["CMAKE_INSTALL_LIBDIR"] = "lib"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE-*", self.source_folder, join(self.package_folder, "licenses"))

    def package_info(self):
        # CMake and pkg-config find gimmal by the files that it installs itself.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [join("share", "gimmal", "cmake")]
        if self.options.library:
            self.cpp_info.libs = ["gimmal"]
        else:
            self.cpp_info.bindirs = []
            self.cpp_info.libdirs = []

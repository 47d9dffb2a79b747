// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bitcode of libstdc++ that `thrum vm-library` makes. It is made once, in the build folder, and stays
// there: a change of what it depends on makes another. That it is complete, and right, is seen by linking it
// natively, in place of the shared library.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string line_of(const std::string& text) { return text.substr(0, text.find('\n')); }

class VmLibrary : public EndToEnd {
 protected:
  // With its cache in the folder of that name, in the test's own folder.
  ChildResult with_cache(const std::string& cache, Words arguments) {
    arguments.insert(arguments.begin(), {THRUM_PROGRAM, "vm-library"});
    return run(arguments, path("."), {"XDG_CACHE_HOME=" + path(cache)});
  }

  // The path of the library that stays; empty: there are no sources.
  std::string library() {
    if (!has_sources()) return "";
    const ChildResult made = run({THRUM_PROGRAM, "vm-library"}, path("."), kept_cache());
    EXPECT_EQ(made.exit_code, 0) << made.errors;
    return line_of(made.output);
  }
  static Words kept_cache() {
    return {"XDG_CACHE_HOME=" +
            (fs::path(THRUM_PROGRAM).parent_path().parent_path() / "tests/vm-library").string()};
  }

  // Whether the sources of the GCC that clang selects are installed.
  bool has_sources() {
    const std::string version = gcc();
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/usr/src/gcc-" + version, error)) {
      if (entry.path().filename().string().find(".tar.") != std::string::npos) return true;
    }
    return false;
  }
  // Such as 12.
  std::string gcc() {
    const ChildResult result = run(
        {"sh", "-c", "echo _GLIBCXX_RELEASE | clang++-19 -E -P -include bits/c++config.h -x c++ - | tail -1"},
        path("."));
    return line_of(result.output);
  }

  // What lies in a cache of Thrum, without the names of libraries.
  std::set<std::string> contents(const std::string& cache) {
    std::set<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(path(cache) + "/thrum", error)) {
      const std::string name = entry.path().filename();
      names.insert(name.starts_with("vm-library-") ? "vm-library" : name);
    }
    return names;
  }

  // A folder with an archive that has what a recipe asks for, in which the file is broken.
  std::string broken_sources(const std::string& file, const std::string& text) {
    const std::string version = gcc(), tree = path("tree/gcc-" + version + ".9.9/");
    for (const char* name :
         {"libstdc++-v3/libsupc++/x", "libstdc++-v3/src/x", "libstdc++-v3/config/x", "libgcc/unwind-pe.h",
          "include/x.h", "libiberty/cp-demangle.c", "libiberty/cp-demangle.h"}) {
      fs::create_directories(fs::path(tree + name).parent_path());
      write(fs::relative(tree + name, path(".")), "");
    }
    write(fs::relative(tree + file, path(".")), text);
    fs::create_directories(path("sources/gcc-" + version));
    const std::string archive = path("sources/gcc-" + version + "/gcc-" + version + ".9.9.tar.gz");
    EXPECT_EQ(
        run({"tar", "-czf", archive, "-C", path("tree"), "gcc-" + version + ".9.9"}, path(".")).exit_code, 0);
    return path("sources");
  }
};

TEST_F(VmLibrary, IsMadeOnce) {
  const std::string made = library();
  if (made.empty()) GTEST_SKIP() << "the sources of GCC are not installed";
  const auto time = fs::last_write_time(made);
  EXPECT_EQ(library(), made);
  EXPECT_EQ(fs::last_write_time(made), time);
  const ChildResult where = run({THRUM_PROGRAM, "vm-library", "--where"}, path("."), kept_cache());
  EXPECT_EQ(where.exit_code, 0);
  EXPECT_EQ(where.output, made + "\n");
  EXPECT_TRUE(fs::exists(fs::path(made).parent_path() / "thrum-vm.bc"));
}

TEST_F(VmLibrary, DoesNativelyWhatTheSharedLibraryDoes) {
  const std::string made = library();
  if (made.empty()) GTEST_SKIP() << "the sources of GCC are not installed";
  const std::string program = std::string(THRUM_SOURCES) + "/tests/endtoend/programs/library_tour.cpp";
  const Words flags = {"clang++-19", "-std=gnu++20", "-O0", "-w", "-pthread", program, "-o"};
  Words shared = flags, own = flags;
  shared.push_back(path("shared"));
  // The library has no personality routine, since the machine does without one; libsupc++.a has, with what
  // handlers.cpp has too.
  own.insert(own.end(), {path("own"), "-DWITH_MATCH", made, "-nostdlib++", "-Wl,-z,muldefs", "-Wl,-Bstatic",
                         "-lsupc++", "-Wl,-Bdynamic", "-lm"});
  ASSERT_EQ(run(shared, path(".")).exit_code, 0);
  const ChildResult linked = run(own, path("."));
  ASSERT_EQ(linked.exit_code, 0) << linked.errors;
  const ChildResult expected = run({path("shared")}, path(".")), found = run({path("own")}, path("."));
  EXPECT_EQ(expected.exit_code, 0);
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_GT(std::count(expected.output.begin(), expected.output.end(), '\n'), 30);
  EXPECT_EQ(found.output, expected.output);
  EXPECT_EQ(found.errors, expected.errors);
  EXPECT_EQ(run({"sh", "-c", "ldd own | grep -c 'libstdc++'"}, path(".")).output, "0\n");
}

// Another installation has the same library, unless a source of it is another.
TEST_F(VmLibrary, AChangeOfASourceMakesAnother) {
  const std::string made = library();
  if (made.empty()) GTEST_SKIP() << "the sources of GCC are not installed";
  fs::create_directories(path("prefix/bin"));
  fs::create_directories(path("prefix/share/thrum"));
  fs::copy_file(THRUM_PROGRAM, path("prefix/bin/thrum"));
  fs::copy(THRUM_SOURCES "/libraries", path("prefix/share/thrum/libraries"), fs::copy_options::recursive);
  const Words where = {path("prefix/bin/thrum"), "vm-library", "--where"};
  EXPECT_EQ(run(where, path("."), kept_cache()).output, made + "\n");
  write("prefix/share/thrum/libraries/headers/cpuid.h", "// nothing\n");
  const ChildResult other = run(where, path("."), kept_cache());
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_EQ(other.output, "");
}

// Nothing of C++ is missing but what is weak; nothing is instrumented, or in the processor's own words.
TEST_F(VmLibrary, WantsNamesOfTheCLibraryOnly) {
  const std::string made = library();
  if (made.empty()) GTEST_SKIP() << "the sources of GCC are not installed";
  std::istringstream lines(run({"llvm-nm-19", "-u", made}, path(".")).output);
  std::size_t names = 0;
  for (std::string kind, name; lines >> kind >> name; ++names) {
    if (kind == "w" || name == "__gxx_personality_v0") continue;
    EXPECT_FALSE(name.starts_with("_Z") || name.starts_with("__gxx") || name.starts_with("__tsan")) << name;
    const bool of_runtime = name == "__cxa_atexit" || name == "__cxa_thread_atexit_impl";
    EXPECT_TRUE(of_runtime || !name.starts_with("__cxa")) << name;
  }
  EXPECT_GT(names, 100U);
  const std::string count = "llvm-dis-19 -o - '" + made + "' | grep -cE ' asm |<[0-9]+ x |sanitize_thread'";
  EXPECT_EQ(run({"sh", "-c", count}, path(".")).output, "0\n");
}

TEST_F(VmLibrary, WithoutSourcesTheCFunctionsAreThereAndTheRestIsRefused) {
  const ChildResult refused = with_cache("cache", {"--sources", path("nowhere")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.output, "");
  EXPECT_NE(
      refused.errors.find("\nthrum: libstdc++.bc: the sources of GCC are not in " + path("nowhere") +
                          "/gcc-" + gcc() + ": install gcc-" + gcc() + "-source, and run thrum vm-library\n"),
      std::string::npos)
      << refused.errors;
  EXPECT_EQ(contents("cache"), (std::set<std::string>{"vm-library", "thrum-vm.bc"}));
  const ChildResult where = with_cache("cache", {"--where"});
  EXPECT_EQ(where.exit_code, 1);
  EXPECT_EQ(where.output + where.errors, "");
}

TEST_F(VmLibrary, AFileThatDoesNotCompileIsNamedAndNothingIsLeft) {
  const std::string sources =
      broken_sources("libstdc++-v3/libsupc++/array_type_info.cc", "#error this is broken\n");
  const ChildResult refused = with_cache("cache", {"--sources", sources, "--jobs", "1"});
  EXPECT_EQ(refused.exit_code, 2);
  const std::string messages = path("cache") + "/thrum/vm-library.messages";
  EXPECT_NE(refused.errors.find(
                "\nthrum: libstdc++.bc: libstdc++-v3/libsupc++/array_type_info.cc does not compile: see "
                "the messages of clang++-19 in " +
                messages + "\n"),
            std::string::npos)
      << refused.errors;
  EXPECT_NE(read(messages).find("this is broken"), std::string::npos);
  EXPECT_EQ(contents("cache"), (std::set<std::string>{"vm-library", "thrum-vm.bc", "vm-library.messages"}));
}

TEST_F(VmLibrary, ASourcePackageThatIsNoneIsRefused) {
  fs::create_directories(path("sources/gcc-" + gcc()));
  const std::string archive = path("sources/gcc-" + gcc() + "/gcc-" + gcc() + ".1.0.tar.xz");
  write(fs::relative(archive, path(".")), "this is no archive");
  const ChildResult refused = with_cache("cache", {"--sources", path("sources")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("\nthrum: " + archive + ": cannot be unpacked: "), std::string::npos)
      << refused.errors;
  EXPECT_EQ(contents("cache"), (std::set<std::string>{"vm-library", "thrum-vm.bc"}));
}

TEST_F(VmLibrary, TwoAtOnceDoNoHarm) {
  const std::string thrum = "'" THRUM_PROGRAM "' vm-library --sources nowhere 2>/dev/null";
  const ChildResult both =
      run({"sh", "-c", thrum + " & " + thrum + "; wait"}, path("."), {"XDG_CACHE_HOME=" + path("cache")});
  EXPECT_EQ(both.exit_code, 0);
  EXPECT_EQ(contents("cache"), (std::set<std::string>{"vm-library", "thrum-vm.bc"}));
}

TEST_F(VmLibrary, WhatIsMissingIsNamed) {
  const auto problem = [&](const Words& environment) {
    Words command = {"env"};
    command.insert(command.end(), environment.begin(), environment.end());
    command.insert(command.end(), {THRUM_PROGRAM, "vm-library"});
    const ChildResult refused = run(command, path("."));
    EXPECT_EQ(refused.exit_code, 2);
    return refused.errors;
  };
  EXPECT_EQ(problem({"XDG_CACHE_HOME=", "HOME="}),
            "thrum: vm-library: there is no cache: set XDG_CACHE_HOME or HOME\n");
  EXPECT_EQ(problem({"PATH=/nowhere"}), "thrum: vm-library: clang++-19 cannot be run: install clang-19\n");
  write("file", "");
  const std::string blocked = problem({"XDG_CACHE_HOME=" + path("file")});
  EXPECT_TRUE(blocked.starts_with("thrum: " + path("file") + "/thrum: cannot be made: ")) << blocked;
}

}  // namespace

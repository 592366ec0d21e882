// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_runner.h"

#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace rankscope::test {

namespace {

/// Filled during the initialization of static objects, so it is created on first use.
std::map<std::string, TestMain, std::less<>>& tests() {
    static std::map<std::string, TestMain, std::less<>> all;
    return all;
}

std::string stemOf(std::string_view file) {
    file.remove_prefix(file.rfind('/') + 1); // npos + 1 is 0
    return std::string(file.substr(0, file.rfind('.')));
}

} // namespace

RegisteredTest::RegisteredTest(const char* sourceFile, TestMain run) {
    if (!tests().emplace(stemOf(sourceFile), run).second)
        qFatal("%s: two tests of this program have that name", sourceFile);
}

} // namespace rankscope::test

int main(int argc, char** argv) {
    using namespace rankscope::test;
    const auto found = argc < 2 ? tests().end() : tests().find(std::string_view(argv[1]));
    if (found == tests().end()) {
        std::fprintf(stderr, "usage: %s TEST [Qt Test's arguments], where TEST is one of\n", argv[0]);
        for (const auto& [name, run] : tests())
            std::fprintf(stderr, "  %s\n", name.c_str());
        return 2;
    }
    // the test's name becomes the application's, as if it were a separate program
    return found->second(argc - 1, argv + 1);
}

// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include "core/base/files/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace rankscope::fuzz {

namespace fs = std::filesystem;

namespace {

struct Scratch {
    fs::path dir;
    pid_t owner = ::getpid();

    Scratch() {
        const bool memory = ::access("/dev/shm", W_OK) == 0;
        std::string name =
            ((memory ? fs::path("/dev/shm") : fs::temp_directory_path()) / "rankscope-fuzz-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            throw std::system_error(errno, std::generic_category(), "create " + name);
        dir = name;
    }
    ~Scratch() {
        std::error_code ec;
        if (::getpid() == owner)
            fs::remove_all(dir, ec);
    }
};

/// Returns the list of targets, created on first use because static objects fill it while they are constructed.
std::vector<const Target*>& targets() {
    static std::vector<const Target*> all;
    return all;
}

} // namespace

const fs::path& scratch() {
    static const Scratch folder;
    return folder.dir;
}

fs::path put(const char* name, std::string_view bytes) {
    fs::path path = scratch() / name;
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    for (std::size_t done = 0; fd && done < bytes.size();) {
        const ssize_t n = ::write(fd.get(), bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            throw std::system_error(errno, std::generic_category(), "write " + path.string());
        done += static_cast<std::size_t>(n);
    }
    if (!fd)
        throw std::system_error(errno, std::generic_category(), "create " + path.string());
    return path;
}

Target::Target(std::string name, Examine examine) : m_name(std::move(name)), m_examine(examine) {
    targets().push_back(this);
}

const Target* Target::named(std::string_view name) {
    for (const Target* target : targets())
        if (target->m_name == name)
            return target;
    return nullptr;
}

const Target& Target::only() {
    if (targets().size() != 1)
        throw std::logic_error("this program must hold one target and holds " + std::to_string(targets().size()));
    return *targets().front();
}

std::string Target::check(const std::string& bytes) const {
    try {
        m_examine(bytes);
    } catch (const Broken& broken) {
        return broken.what;
    }
    return {};
}

} // namespace rankscope::fuzz

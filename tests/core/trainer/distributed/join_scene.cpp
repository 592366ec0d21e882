// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/file.h"
#include "core/trainer/distributed/observe/observed_group.h"
#include "tests/core/trainer/distributed/two_ranks.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <fstream>
#include <latch>
#include <set>
#include <sstream>
#include <thread>

namespace rankscope::test {
namespace {

using namespace trainer;
namespace fs = std::filesystem;

// Before main(), because Qt Test reads the environment in a separate thread.
[[maybe_unused]] const bool kFlightRecorderOffWhileJoining = (disableFlightRecorder(), true);

std::uint16_t freePort() {
    const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

std::set<std::string> ownSockets() {
    std::set<std::string> inodes;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const std::string target = fs::read_symlink(entry.path(), gone).string();
        if (target.starts_with("socket:[")) {
            inodes.insert(target.substr(8, target.size() - 9));
        }
    }
    return inodes;
}

/// Returns the local addresses (hex, as the kernel prints them) of this process's listening sockets.
std::vector<std::string> listeningAddresses() {
    const auto own = ownSockets();
    std::vector<std::string> addresses;
    for (const char* table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
        std::ifstream file(table);
        std::string line;
        std::getline(file, line); // headings
        while (std::getline(file, line)) {
            std::istringstream fields(line);
            std::string number, local, remote, state, queues, timer, retransmits, uid, timeout, inode;
            fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> uid >> timeout >> inode;
            if (state == "0A" && own.contains(inode)) {
                addresses.push_back(local.substr(0, local.find(':')));
            }
        }
    }
    return addresses;
}

} // namespace

JoinScene joinOverTcp(int worldSize, int comers, int timeoutMs) {
    JoinScene scene;
    scene.errors.resize(static_cast<std::size_t>(comers));
    const std::uint16_t port = freePort();
    std::latch joined(comers), looked(1);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < comers; ++rank) {
        threads.emplace_back([&, rank] {
            RankEnvironment me;
            me.rank = me.localRank = rank;
            me.worldSize = worldSize;
            me.masterAddress = "localhost";
            me.masterPort = port;
            GroupOptions options;
            options.joinTimeout = std::chrono::milliseconds(timeoutMs);
            auto group = ObservedGroup::join(
                me, options, std::make_shared<observer::RankTelemetry>(observer::RankTelemetry::detached()));
            if (!group) {
                scene.errors[static_cast<std::size_t>(rank)] = group.error().message();
            }
            joined.count_down();
            looked.wait(); // the sockets stay open until they have been listed
        });
    }
    joined.wait();
    scene.listening = listeningAddresses();
    looked.count_down();
    for (auto& thread : threads) {
        thread.join();
    }
    return scene;
}

} // namespace rankscope::test

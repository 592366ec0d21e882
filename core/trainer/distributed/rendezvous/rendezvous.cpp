// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/rendezvous/rendezvous.h"

#include "core/base/files/file.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/trainer/exception_text.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

namespace rankscope::trainer {
namespace {

/// c10d's own server would listen on every interface: it gets a socket that is bound to the loopback.
Result<UniqueFd> listenOnLoopback(const std::string& where, std::uint16_t port) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd)
        return tl::unexpected(systemError("cannot open a socket for the rendezvous", where, errno));
    const int on = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(fd.get(), SOMAXCONN) != 0)
        return tl::unexpected(systemError("cannot listen for the other ranks", where, errno));
    return fd;
}

std::string joinedKey(int rank) {
    return fmt::format("joined/{}", rank);
}

} // namespace

Result<c10::intrusive_ptr<c10d::Store>> connectStore(const RankEnvironment& me, std::chrono::milliseconds timeout) {
    const std::string where = fmt::format("{}:{}", me.masterAddress, me.masterPort);
    c10d::TCPStoreOptions options;
    options.port = me.masterPort;
    options.isServer = me.rank == 0 && !me.agentStore;
    options.waitWorkers = false;
    options.timeout = timeout;
    if (options.isServer && me.onLoopback()) {
        RS_TRY_ASSIGN(auto fd, listenOnLoopback(where, me.masterPort));
        options.masterListenFd = fd.release(); // the server owns it from here on
    }
    try {
        // ours listens on 127.0.0.1 alone, while "localhost" may name ::1 first; an agent's listens where it says
        const bool agents = me.agentStore && me.oneHost && me.masterAddress != "localhost";
        const std::string host = me.onLoopback() && !agents ? "127.0.0.1" : me.masterAddress;
        auto store = c10::make_intrusive<c10d::TCPStore>(host, options);
        return c10::make_intrusive<c10d::PrefixStore>(fmt::format("rankscope/{}", me.attempt), std::move(store));
    } catch (const std::exception& error) {
        return fail(Errc::Io,
                    fmt::format("rank {} cannot reach the rendezvous within {} s: {}", me.rank, timeout.count() / 1000,
                                firstLine(error)),
                    where);
    }
}

Result<void> awaitRanks(c10d::Store& store, int rank, int worldSize, std::chrono::milliseconds timeout) {
    std::vector<std::string> keys;
    keys.reserve(static_cast<std::size_t>(worldSize));
    for (int r = 0; r < worldSize; ++r)
        keys.push_back(joinedKey(r));
    try {
        store.set(joinedKey(rank), std::vector<std::uint8_t>{1});
        store.wait(keys, timeout);
        return {};
    } catch (const std::exception& error) {
        std::vector<int> missing;
        try {
            for (int r = 0; r < worldSize; ++r)
                if (!store.check({joinedKey(r)}))
                    missing.push_back(r);
        } catch (const std::exception&) {
            missing.clear();
        }
        if (missing.empty()) { // the store itself is gone: rank 0 gave up first
            return fail(Errc::Io,
                        fmt::format("not every rank of {} joined, and rank 0 has left the rendezvous ({})", worldSize,
                                    firstLine(error)),
                        fmt::format("rank {}", rank));
        }
        return fail(Errc::Io,
                    fmt::format("rank {} of {} did not join within {} s: see its log", joinInts(missing), worldSize,
                                timeout.count() / 1000),
                    fmt::format("rank {}", rank));
    }
}

} // namespace rankscope::trainer

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
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>

namespace rankscope::trainer {
namespace {

/// Returns a socket bound to the loopback for c10d's server, which would otherwise listen on every interface.
Result<UniqueFd> listenOnLoopback(const std::string& where, std::uint16_t port) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd)
        return tl::unexpected(systemError("open a socket for the rendezvous", where, errno));
    const int on = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(fd.get(), SOMAXCONN) != 0)
        return tl::unexpected(systemError("listen for the other ranks", where, errno));
    return fd;
}

std::string joinedKey(int rank) {
    return fmt::format("joined/{}", rank);
}

std::string numeric(const sockaddr* address, socklen_t size) {
    std::array<char, NI_MAXHOST> text{};
    return ::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0 ? text.data() : "";
}

bool isLoopback(const sockaddr* address) {
    if (address->sa_family == AF_INET)
        return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == 127;
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

/// Whether the interface's address can be used. Link-local IPv6 addresses mean nothing without their interface.
bool usable(const ifaddrs& interface) {
    constexpr unsigned up = IFF_UP | IFF_RUNNING;
    if (!interface.ifa_addr || (interface.ifa_flags & up) != up || (interface.ifa_flags & IFF_LOOPBACK))
        return false;
    const int family = interface.ifa_addr->sa_family;
    return family == AF_INET ||
           (family == AF_INET6 &&
            !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(interface.ifa_addr)->sin6_addr));
}

std::string firstInterface() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0)
        return {};
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(list, &::freeifaddrs);
    for (const int family : {AF_INET, AF_INET6})
        for (const ifaddrs* i = list; i; i = i->ifa_next)
            if (usable(*i) && i->ifa_addr->sa_family == family)
                return numeric(i->ifa_addr, family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    return {};
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
        options.masterListenFd = fd.release(); // the server owns it from now on
    }
    try {
        // our store listens on 127.0.0.1 only, while "localhost" may resolve to ::1 first; an agent's store is at the
        // address that the agent passes
        const bool agents = me.agentStore && me.oneHost && me.masterAddress != "localhost";
        const std::string host = me.onLoopback() && !agents ? "127.0.0.1" : me.masterAddress;
        auto store = c10::make_intrusive<c10d::TCPStore>(host, options);
        return c10::make_intrusive<c10d::PrefixStore>(fmt::format("rankscope/{}", me.attempt), std::move(store));
    } catch (const std::exception& error) {
        return fail(
            Errc::Io,
            {"rank {} cannot reach the rendezvous within {} s: {}", me.rank, timeout.count() / 1000, firstLine(error)},
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
        if (missing.empty()) { // the store itself is gone: rank 0 has given up first
            return fail(
                Errc::Io,
                {"not all {} ranks joined, and rank 0 has left the rendezvous ({})", worldSize, firstLine(error)},
                fmt::format("rank {}", rank));
        }
        return fail(Errc::Io,
                    {"rank {} of {} did not join within {} s: see its log", joinInts(missing), worldSize,
                     timeout.count() / 1000},
                    fmt::format("rank {}", rank));
    }
}

std::string ownAddressTowards(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_DGRAM; // connecting a datagram socket only consults the routing table and sends nothing
    addrinfo* list = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0)
        return {};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(list, &::freeaddrinfo);
    for (const addrinfo* to = list; to; to = to->ai_next) {
        const UniqueFd fd(::socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        sockaddr_storage mine{};
        socklen_t size = sizeof mine;
        auto* address = reinterpret_cast<sockaddr*>(&mine);
        if (fd && ::connect(fd.get(), to->ai_addr, to->ai_addrlen) == 0 &&
            ::getsockname(fd.get(), address, &size) == 0 && !isLoopback(address))
            return numeric(address, size);
    }
    return firstInterface();
}

} // namespace rankscope::trainer

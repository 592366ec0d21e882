// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/rendezvous/local_address.h"

#include "core/base/files/file.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <memory>

namespace rankscope::trainer {
namespace {

std::string numeric(const sockaddr* address, socklen_t size) {
    std::array<char, NI_MAXHOST> text{};
    return ::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0 ? text.data() : "";
}

bool isLoopback(const sockaddr* address) {
    if (address->sa_family == AF_INET)
        return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == 127;
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

/// Link-local IPv6 addresses mean nothing without their interface.
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

std::string ownAddressTowards(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_DGRAM; // to connect one asks the routing table and sends nothing
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

// SPDX-License-Identifier: Apache-2.0
// Measures how much processor time of a virtual machine went to other machines ("steal"), which makes times less
// reliable.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace rankscope::bench {

class StolenTime {
public:
    StolenTime() : m_began(read()) {}
    /// Returns the share of all processor time since construction, in percent; 0 on a physical machine.
    double percent() const {
        const Ticks now = read();
        const auto all = static_cast<double>(now.all - m_began.all);
        return all > 0 ? 100 * static_cast<double>(now.stolen - m_began.stolen) / all : 0;
    }

private:
    struct Ticks {
        std::int64_t all = 0, stolen = 0;
    };
    static Ticks read() {
        constexpr int kSteal = 7; // user, nice, system, idle, iowait, irq, softirq, steal
        std::ifstream file("/proc/stat");
        std::string name;
        file >> name;
        Ticks ticks;
        for (int i = 0; i <= kSteal; ++i) {
            std::int64_t value = 0;
            file >> value;
            ticks.all += value;
            if (i == kSteal)
                ticks.stolen = value;
        }
        return ticks;
    }

    Ticks m_began;
};

} // namespace rankscope::bench

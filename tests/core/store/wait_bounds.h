// SPDX-License-Identifier: Apache-2.0
// What must be true of the waits in every store, whatever run it contains.
#pragma once

#include "tests/core/store/synthetic.h"

#include <QTest>

#include <filesystem>

namespace rankscope::test {

/// No rank waits longer in a step than the step takes, for each kind of collective and in total; the kinds add up to
/// the total.
inline void checkWaitsWithinSteps(const std::filesystem::path& file) {
    using store::Metric;
    auto reader = synthetic::take(store::RunReader::open(file));
    std::int64_t steps = 0;
    for (int rank = 0; rank < reader.meta().worldSize; ++rank)
        QVERIFY(reader.eachStep(rank, {0, INT64_MAX - 1}, [&](const store::StepRow& row) -> Result<void> {
            ++steps;
            const double all = row.value(Metric::WaitTotal).value_or(0);
            double kinds = 0;
            for (auto kind = static_cast<int>(Metric::WaitLengthSync); kind <= static_cast<int>(Metric::WaitOther);
                 ++kind)
                kinds += row.value(static_cast<Metric>(kind)).value_or(0);
            const auto lasted = static_cast<double>(row.endNs - row.beginNs);
            if (all < 0 || all > lasted || (row.value(Metric::WaitTotal) && kinds != all))
                return fail(Errc::Malformed, QStringLiteral("rank %1, step %2: waited %3 ns of %4, by kind %5")
                                                 .arg(row.rank)
                                                 .arg(row.step)
                                                 .arg(all, 0, 'f', 0)
                                                 .arg(lasted, 0, 'f', 0)
                                                 .arg(kinds, 0, 'f', 0)
                                                 .toStdString());
            return {};
        }));
    QVERIFY2(steps > 0, "a store without steps says nothing");
}

} // namespace rankscope::test

// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/run_reader.h"

namespace rankscope::store {

Result<RunReader> RunReader::open(const std::filesystem::path& file, const RunMeta* known) {
    RS_TRY_ASSIGN(auto store, OpenStore::open(file, known));
    return RunReader(std::move(store));
}

std::int64_t RunReader::version() {
    auto version = m_store->statement("PRAGMA data_version");
    std::int64_t value = 0;
    if (version)
        (void)forEach(**version, [&](const Statement& row) { value = row.integer(0); });
    return value;
}

} // namespace rankscope::store

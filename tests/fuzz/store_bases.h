// SPDX-License-Identifier: Apache-2.0
// Sound stores, small and with every table filled, that inputs do damage to.
#pragma once

#include <string>
#include <vector>

namespace rankscope::fuzz {

struct Table {
    std::string name;
    std::vector<std::string> columns;
};

struct StoreBase {
    std::string file, log; ///< bytes; log empty: there is none
    std::vector<Table> tables;
};

/// A run that was measured; the same with a log that its writer left; one that was imported.
const StoreBase& measuredStore();
const StoreBase& storeWithLog();
const StoreBase& importedStore();

/// A value of one row is another one: int64, double, text or bytes as the kind says; null for any other.
struct Cell {
    std::size_t table = 0, column = 0, row = 0;
    int kind = 0;
    std::string value;
};
/// The file after these changes, made by SQLite in memory: what SQLite refuses is left out.
std::string changed(const StoreBase& base, const std::vector<Cell>& cells);

} // namespace rankscope::fuzz

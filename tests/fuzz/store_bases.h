// SPDX-License-Identifier: Apache-2.0
// Sound stores, small and with every table filled, which the inputs damage.
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

/// The stores of a measured run, of the same run with a log that its writer left, and of an imported run.
const StoreBase& measuredStore();
const StoreBase& storeWithLog();
const StoreBase& importedStore();

/// A change of one value of a row to an int64, double, text or bytes, as the kind says; to null for any other kind.
struct Cell {
    std::size_t table = 0, column = 0, row = 0;
    int kind = 0;
    std::string value;
};
/// Returns the file after these changes, made by SQLite in memory; changes that SQLite refuses are left out.
std::string changed(const StoreBase& base, const std::vector<Cell>& cells);

} // namespace rankscope::fuzz

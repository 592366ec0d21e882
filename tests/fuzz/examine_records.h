// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/formats/archives/checkpoint_records.h"
#include "tests/fuzz/target.h"

namespace rankscope::fuzz {

/// Checks the records that LibTorch would be given.
inline void isSound(const Result<trainer::CheckpointRecords>& records, std::size_t fileBytes) {
    if (!records)
        return require(!records.error().what.empty(), "refused without a reason");
    ++taken;
    std::uint64_t bytes = 0;
    for (const auto& [key, storage] : records->storages)
        bytes += storage.size();
    require(bytes <= fileBytes, "more bytes than the file has");
    for (const auto& t : records->tensors) {
        const auto storage = records->storages.find(t.storage.key);
        require(storage != records->storages.end(), "a tensor without its storage");
        require(static_cast<std::uint64_t>(t.storage.elements) * trainer::elementBytes(t.storage.type) ==
                    storage->second.size(),
                "a storage of another size");
        require(storage->second.view().size() == storage->second.size() && storage->second.view().data(), "no bytes");
    }
}

} // namespace rankscope::fuzz

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/message.h"
#include "core/config/schema/key_schema.h"

#include <optional>
#include <string>
#include <vector>

namespace rankscope::config {

struct Loaded;

/// Four values of a key: yours, the NeMo YAML's, the code's default, and the effective one with its origin.
struct KeyRow {
    std::string key;                ///< "model.encoder.sync_max_audio_length"
    std::optional<ValueText> yours; ///< as written in the file
    std::optional<ValueText> nemoYaml;
    std::optional<ValueText> code; ///< default in NeMo's or Lightning's code
    std::string codeSource;        ///< "NeMo ConformerEncoder", "Lightning Trainer", "torch DistributedDataParallel"
    std::optional<ValueText> effective; ///< with interpolations resolved; none: "???" or required and absent
    bool isOpen = false;                ///< "???", also by an interpolation or override: only given at launch
    Origin origin = Origin::Unset;
    Position at;                      ///< in your file
    bool differs = false;             ///< effective differs from the effective value of NeMo's YAML with code defaults
    bool affectsRanks = false;        ///< it affects collectives, batches per rank, or process layout
    Message risk;                     ///< one line; empty: none, or attachRisks() was not called
    std::string type;                 ///< "bool", "int", "float", "string", "list", "null"
    std::vector<std::string> choices; ///< if the values are a closed set
    const KeySpec* spec =
        nullptr; ///< type and limits, owned by the facts that evaluated the recipe; null: not a known key
};

/// Returns the rows of all keys: yours in file order, those that an override removed, code defaults that apply, and
/// required keys that are absent. `full`: the resolved tree with the code's defaults.
std::vector<KeyRow> buildKeyTable(const Loaded& loaded, const Node& full, const KeySchema& facts);

} // namespace rankscope::config

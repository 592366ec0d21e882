// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/model/evidence.h"

#include "core/base/text/untrusted_json.h"

#include <algorithm>

namespace rankscope::diagnosis {

using nlohmann::json;

namespace {

void readField(const json& value, std::optional<std::string>& into) {
    if (value.is_string())
        into = value.get<std::string>();
}

void readField(const json& value, std::optional<std::int64_t>& into) {
    into = wholeNumber<std::int64_t>(value);
}

void readField(const json& value, std::optional<double>& into) {
    if (value.is_number())
        into = value.get<double>();
}

void readField(const json& value, std::optional<bool>& into) {
    if (value.is_boolean())
        into = value.get<bool>();
}

} // namespace

json toJson(const Evidence& evidence) {
    json object = evidence.other;
    for (const EvidenceField& field : kEvidenceFields)
        std::visit(
            [&](auto member) {
                if (evidence.*member)
                    object[std::string(field.key)] = *(evidence.*member);
            },
            field.member);
    return object;
}

Evidence evidenceFromJson(const json& object) {
    Evidence evidence;
    if (!object.is_object())
        return evidence;
    for (const auto& [key, value] : object.items()) {
        const auto field = std::ranges::find(kEvidenceFields, key, &EvidenceField::key);
        const bool taken = field != kEvidenceFields.end() && std::visit(
                                                                 [&](auto member) {
                                                                     readField(value, evidence.*member);
                                                                     return (evidence.*member).has_value();
                                                                 },
                                                                 field->member);
        if (!taken)
            evidence.other[key] = value;
    }
    return evidence;
}

} // namespace rankscope::diagnosis

// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/tensor_files/nemo_file.h"

#include "core/base/values/result.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/load_recipe.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/config/schema/key_lookup.h"
#include "core/trainer/formats/archives/nemo_members.h"
#include "core/trainer/tensor_files/torch_checkpoint.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>
#include <utility>

namespace rankscope::trainer {
namespace {

constexpr const char* kTarget = "nemo.collections.asr.models.ssl_models.EncDecDenoiseMaskedTokenPredModel";
constexpr std::time_t kTime = 315532800; ///< 1980, as in the zip: equal contents make equal files

la_ssize_t writeBlock(archive*, void* file, const void* data, std::size_t size) {
    static_cast<AtomicFile*>(file)->write(data, size); // its failure is reported by commit()
    return static_cast<la_ssize_t>(size);
}

class TarWriter {
public:
    explicit TarWriter(AtomicFile& file) : m_tar(archive_write_new(), &archive_write_free) {
        archive_write_set_format_pax_restricted(m_tar.get()); // ustar, with pax headers only if a size needs them
        check(archive_write_open(m_tar.get(), &file, nullptr, &writeBlock, nullptr));
    }

    void begin(const char* name, std::uint64_t size) {
        const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), &archive_entry_free);
        archive_entry_set_pathname(entry.get(), name);
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), 0644);
        archive_entry_set_mtime(entry.get(), kTime, 0);
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
        check(archive_write_header(m_tar.get(), entry.get()));
    }
    void write(const void* data, std::size_t size) {
        if (size > 0 && archive_write_data(m_tar.get(), data, size) != static_cast<la_ssize_t>(size))
            check(ARCHIVE_FATAL);
    }
    Result<void> end(const std::string& where) {
        check(archive_write_close(m_tar.get()));
        return m_problem.empty() ? Result<void>() : fail(Errc::Internal, m_problem, where);
    }

private:
    void check(int r) {
        if (r == ARCHIVE_OK || !m_problem.empty())
            return;
        const char* said = archive_error_string(m_tar.get());
        m_problem =
            Message("cannot create the tar file: {}", said ? Message(std::string(said)) : Message("no reason given"));
    }

    std::unique_ptr<archive, int (*)(archive*)> m_tar;
    Message m_problem; ///< the first
};

void setText(config::Node& section, const char* key, const std::string& text) {
    if (config::Node* old = section.child(key)) {
        *old = config::Node::plain(text);
        return;
    }
    section.entries.push_back({config::Node::plain(key), config::Node::plain(text)});
}

/// Removes keys at their default, so that every version of NeMo that has all remaining keys can load the file.
void dropDefaultsOfSomeVersions(config::Node& section, const std::string& at) {
    std::erase_if(section.entries, [&](const config::Entry& entry) {
        return config::isDefaultOfSomeVersions(config::joinKey(at, entry.key.text), entry.value);
    });
    for (config::Entry& entry : section.entries)
        dropDefaultsOfSomeVersions(entry.value, config::joinKey(at, entry.key.text));
}

} // namespace

Result<NemoFile> readNemo(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(const auto members, readNemoMembers(path));
    NemoFile out;
    out.modelConfig = members.config.view();
    RS_TRY_ASSIGN(auto weights,
                  readTorchCheckpoint(members.weights.view(), fmt::format("{}:{}", path.string(), kNemoWeights)));
    out.weights = std::move(weights);
    return out;
}

Result<void> writeNemo(const std::filesystem::path& path, const NemoFile& content) {
    RS_TRY_ASSIGN(auto file, AtomicFile::create(path));
    return writeNemo(std::move(file), content);
}

Result<void> writeNemo(AtomicFile file, const NemoFile& content) {
    const std::string where = file.path().string();
    // a tar's header holds the size: the checkpoint is made twice, the first time only to count its bytes
    std::uint64_t size = 0;
    const auto count = [&](const void*, std::size_t n) { size += n; };
    RS_TRY(detail::streamTorchCheckpoint(content.weights, where, count));
    TarWriter tar(file);
    tar.begin("./model_config.yaml", content.modelConfig.size());
    tar.write(content.modelConfig.data(), content.modelConfig.size());
    tar.begin("./model_weights.ckpt", size);
    const auto sink = [&](const void* data, std::size_t n) { tar.write(data, n); };
    RS_TRY(detail::streamTorchCheckpoint(content.weights, where, sink));
    RS_TRY(tar.end(where));
    return file.commit();
}

/// A file with only a model section, as in a .nemo, has no place for rankscope.nemo: NeMo's own key gives the version.
static std::vector<std::string> versionOfModelSection(const std::string& yamlText) {
    const config::Loaded loaded = config::load(yamlText, {}, config::builtinSchema());
    const config::Node* said = loaded.modelOnly ? config::find(loaded.resolved, "model.nemo_version") : nullptr;
    const auto version = said && said->isScalar() ? config::nemoVersionFor(said->text) : std::nullopt;
    return version ? std::vector{fmt::format("++rankscope.nemo={}", config::toText(*version))}
                   : std::vector<std::string>{};
}

Result<std::string> nemoModelConfig(const std::string& yamlText, const std::string& fileName) {
    const std::vector<std::string> overrides = versionOfModelSection(yamlText);
    RS_TRY(config::readRecipe(yamlText, fileName, overrides));
    config::Loaded loaded = config::load(yamlText, overrides, config::builtinSchema());
    config::Node* model = loaded.resolved.child("model");
    if (!model || !model->isMap())
        return fail(Errc::BadInput, "has no model section", fileName);
    const config::Node* target = model->child("target");
    if (!target || !target->text.starts_with("nemo.")) // another NeMo class is the user's choice
        setText(*model, "target", kTarget);
    if (!model->child("nemo_version"))
        setText(*model, "nemo_version", loaded.facts->nemoVersion);
    dropDefaultsOfSomeVersions(*model, "model");
    return config::effectiveYaml(*model, *loaded.facts, false);
}

} // namespace rankscope::trainer

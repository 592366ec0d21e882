// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe/recipe_file.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/values/result.h"
#include "core/config/edit/document.h"
#include "core/config/edit/document_edit.h"
#include "core/config/yaml/scalar.h"

#include <QFileInfo>
#include <QStringDecoder>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

/// One undo step. Typing in one place is merged into one step, up to the end of a line.
class TextCommand final : public QUndoCommand {
public:
    TextCommand(ConfigFile* file, TextChange change, bool typing, const QString& text)
        : QUndoCommand(text), m_file(file), m_change(std::move(change)), m_typing(typing) {}

    int id() const override { return m_typing ? 1 : -1; }
    void redo() override { m_file->applyChange(m_change); }
    void undo() override { m_file->applyChange(m_change.inverse()); }

    bool mergeWith(const QUndoCommand* other) override {
        const TextChange& next = static_cast<const TextCommand*>(other)->m_change;
        if (next.inserted.find('\n') != std::string::npos || m_change.inserted.find('\n') != std::string::npos)
            return false;
        if (next.removed.empty() && next.offset == m_change.offset + m_change.inserted.size()) {
            m_change.inserted += next.inserted;
            return true;
        }
        const bool backspace =
            next.inserted.empty() && m_change.inserted.empty() && next.offset + next.removed.size() == m_change.offset;
        if (!backspace)
            return false;
        m_change.offset = next.offset;
        m_change.removed = next.removed + m_change.removed;
        return true;
    }

private:
    ConfigFile* m_file;
    TextChange m_change;
    bool m_typing;
};

ConfigFile::ConfigFile(QObject* parent) : QObject(parent) {
    connect(&m_evaluator, &Evaluator::evaluated, this,
            [this](const Evaluation& result, const std::string& text, const std::shared_ptr<RecipeTree>& tree) {
                if (text != m_bytes)
                    return;
                m_evaluation = result;
                m_document = result->document;
                m_tree = tree;
                emit evaluationChanged();
            });
    m_settle.setSingleShot(true);
    m_settle.setInterval(120);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_settle, qOverload<>(&QTimer::start));
    connect(&m_settle, &QTimer::timeout, this, &ConfigFile::fileChanged);
    m_draftTimer.setSingleShot(true);
    m_draftTimer.setInterval(1000);
    connect(&m_draftTimer, &QTimer::timeout, this, &ConfigFile::saveDraft);
}

QString ConfigFile::title() const {
    return m_path.isEmpty() ? m_title : QFileInfo(m_path).fileName();
}

void ConfigFile::setTitle(const QString& title) {
    if (!m_open || !m_path.isEmpty() || title == m_title)
        return;
    if (m_drafts)
        m_drafts->drop(m_path, m_title); // drafts are found by their title
    m_title = title;
    saveDraft();
    evaluateSoon(0);
    emit dirtyChanged(isDirty());
}

Result<std::string> ConfigFile::readChecked(const QString& path) const {
    auto bytes = readFile(path.toStdString(), 16u << 20);
    if (!bytes)
        return bytes;
    QStringDecoder decoder(QStringDecoder::Utf8, QStringConverter::Flag::Stateless);
    const QString text = decoder(QByteArrayView(bytes->data(), static_cast<qsizetype>(bytes->size())));
    Q_UNUSED(text.size());
    if (decoder.hasError() || bytes->find('\0') != std::string::npos)
        return fail(Errc::BadInput, "is not UTF-8 text; a recipe is a YAML file", path.toStdString());
    return bytes;
}

Result<void> ConfigFile::open(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    RS_TRY_ASSIGN(auto bytes, readChecked(absolute));
    adopt(std::move(bytes), absolute, {}, absolute);
    recover();
    return {};
}

Result<void> ConfigFile::openText(std::string bytes, const QString& title, const QString& origin) {
    adopt(std::move(bytes), {}, title, origin);
    return {};
}

void ConfigFile::adopt(std::string bytes, const QString& path, const QString& title, const QString& origin) {
    if (hasUnsavedEdits() && !hasUnkeptEdits())
        saveDraft(); // of the previous recipe: its edits are restored when it is opened again
    else
        dropDraft(); // the user has been asked
    m_bytes = m_saved = m_onDisk = std::move(bytes);
    m_path = path;
    m_title = title;
    m_origin = origin;
    m_open = true;
    m_launched.clear();
    m_launchedRun.clear();
    m_overrides.clear(); // the caller sets those of this recipe afterwards
    m_undo.clear();
    m_evaluation.reset();
    m_document.reset();
    evaluateSoon(0); // runs while the text is shown
    watch();
    m_wasDirty = isDirty();
    emit opened();
    emit bytesChanged();
    emit dirtyChanged(m_wasDirty);
    acceptLaunchFields();
}

void ConfigFile::watch() {
    if (!m_watcher.files().isEmpty())
        m_watcher.removePaths(m_watcher.files());
    if (!m_path.isEmpty())
        m_watcher.addPath(m_path);
}

void ConfigFile::fileChanged() {
    if (m_path.isEmpty())
        return;
    watch(); // a replaced file is no longer watched
    const auto now = readChecked(m_path);
    if (!now) {
        if (!QFileInfo::exists(m_path)) {
            m_saved.clear(); // there is no file on disk: the text counts as unsaved
            m_onDisk.clear();
            emit changedOnDisk();
            emit dirtyChanged(m_wasDirty = isDirty());
        }
        return;
    }
    if (*now == m_onDisk)
        return;
    m_onDisk = *now;
    if (*now == m_bytes) {
        m_saved = *now;
        emit dirtyChanged(m_wasDirty = isDirty());
        return;
    }
    emit changedOnDisk();
}

Result<void> ConfigFile::reload() {
    RS_TRY_ASSIGN(auto now, readChecked(m_path));
    m_onDisk = m_saved = now;
    push(changeBetween(m_bytes, now), false, tr("reload"));
    emit dirtyChanged(m_wasDirty = isDirty());
    return {};
}

void ConfigFile::keepMyVersion() {
    m_saved = m_onDisk; // so that the text counts as changed compared with the file on disk
    emit dirtyChanged(m_wasDirty = isDirty());
}

Result<void> ConfigFile::save() {
    return m_path.isEmpty() ? fail(Errc::BadInput, "has no file yet; save it under a name", title().toStdString())
                            : saveAs(m_path);
}

Result<void> ConfigFile::saveAs(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    m_watcher.blockSignals(true);
    auto written = writeFileAtomic(absolute.toStdString(), m_bytes, 0644);
    m_watcher.blockSignals(false);
    if (!written)
        return written;
    m_saved = m_onDisk = m_bytes;
    dropDraft();
    m_path = m_origin = absolute;
    watch();
    emit dirtyChanged(m_wasDirty = isDirty());
    evaluateSoon(0); // problems contain the file's name
    return {};
}

/// Returns the current document; parses the text only if that has not been done yet.
config::Document ConfigFile::document() const {
    const std::string name = title().toStdString();
    return m_document && m_document->fileName() == name ? *m_document : config::Document::fromText(m_bytes, name);
}

Result<void> ConfigFile::setValue(const QString& key, const QString& yaml) {
    auto document = this->document();
    RS_TRY(config::setValue(document, key.toStdString(), yaml.toStdString()));
    push(std::move(document), tr("set %1").arg(key));
    return {};
}

Result<void> ConfigFile::setValues(const KeySettings& settings) {
    auto document = this->document();
    QStringList keys;
    for (const KeySetting& one : settings) {
        const std::string key = one.key.toStdString();
        RS_TRY(one.yaml.isEmpty() ? config::removeKey(document, key)
                                  : config::setValue(document, key, one.yaml.toStdString()));
        keys << one.key;
    }
    push(std::move(document), tr("set %1").arg(keys.join(QStringLiteral(", "))));
    return {};
}

bool ConfigFile::hasKey(const QString& key) const {
    const auto document = this->document();
    return !document.parseError() && config::find(*document.root(), key.toStdString());
}

Result<void> ConfigFile::removeKey(const QString& key) {
    auto document = this->document();
    RS_TRY(config::removeKey(document, key.toStdString()));
    push(std::move(document), tr("remove %1").arg(key));
    return {};
}

Result<void> ConfigFile::renameKey(const QString& key, const QString& name) {
    const auto document = this->document();
    if (document.parseError())
        return fail(Errc::BadInput, document.parseError()->text, title().toStdString());
    const config::Path path = config::splitKey(key.toStdString());
    const config::Node* parent = config::find(*document.root(), config::Path(path.begin(), path.end() - 1));
    const config::Entry* entry = parent && parent->isMap() ? parent->entry(path.back()) : nullptr;
    bool elsewhere = !entry || entry->merged; // an alias or "<<" takes it from elsewhere
    for (std::size_t depth = 1; depth < path.size() && !elsewhere; ++depth)
        elsewhere = config::find(*document.root(),
                                 config::Path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth)))
                        ->alias;
    if (elsewhere)
        return fail(Errc::NotFound, "is not written there as a separate key", key.toStdString());
    if (parent->entry(name.toStdString()))
        return fail(Errc::BadInput, "is there already; remove one of the two", name.toStdString());
    std::size_t at = entry->key.offset;
    if (at < m_bytes.size() && (m_bytes[at] == '\'' || m_bytes[at] == '"'))
        ++at;
    if (m_bytes.compare(at, path.back().size(), path.back()) != 0)
        return fail(Errc::BadInput, "cannot be renamed here; edit it in the text", key.toStdString());
    push(TextChange{at, path.back(), name.toStdString()}, false, tr("rename %1").arg(key));
    return {};
}

Result<void> ConfigFile::moveKey(const QString& key, const QString& section, const QString& before) {
    const auto document = this->document();
    if (document.parseError())
        return fail(Errc::BadInput, document.parseError()->text, title().toStdString());
    const config::Path from = config::splitKey(key.toStdString());
    config::EditTarget to{
        section.isEmpty() ? config::Path{} : config::splitKey(section.toStdString()), {}, config::kAtEnd};
    const config::Node* parent = config::find(*document.root(), to.parent);
    if (parent && !before.isEmpty()) {
        const std::string next = config::splitKey(before.toStdString()).back();
        const bool within = config::joinKey(config::Path(from.begin(), from.end() - 1)) == section.toStdString();
        std::size_t index = 0;
        for (const config::Entry& entry : parent->entries) {
            if (entry.merged)
                continue;
            if (entry.key.text == next)
                to.index = index;
            // the moved key is removed first and must not be counted
            if (!within || entry.key.text != from.back())
                ++index;
        }
    }
    RS_TRY_ASSIGN(auto edit, config::moveValue(document, from, to));
    push(std::move(edit.after), tr("move %1").arg(key));
    return {};
}

void ConfigFile::setShownText(const std::string& shown) {
    push(toBytes(changeBetween(withLineFeeds(m_bytes), shown), m_bytes), true, tr("typing"));
}

void ConfigFile::push(const TextChange& change, bool typing, const QString& text) {
    if (!change.empty())
        m_undo.push(new TextCommand(this, change, typing, text));
}

void ConfigFile::push(config::Document after, const QString& text) {
    const TextChange change = changeBetween(m_bytes, after.text());
    m_after = std::make_shared<const config::Document>(std::move(after));
    push(change, false, text);
    m_after.reset();
}

void ConfigFile::applyChange(const TextChange& change) {
    static constexpr std::size_t kReadAtOnce = 32u << 10;
    const auto before = std::exchange(m_document, nullptr);
    m_bytes = change.apply(m_bytes);
    if (m_after && m_after->text() == m_bytes)
        m_document = m_after;
    else if (auto part = before
                             ? config::reparsedPart(*before, m_bytes,
                                                    {change.offset, change.offset + change.removed.size()}, kReadAtOnce)
                             : std::nullopt)
        m_document = std::make_shared<const config::Document>(std::move(*part));
    // on a slow machine a long text is evaluated when typing pauses
    static constexpr int kSlowMs = 60, kPauseMs = 120;
    const bool typing = change.inserted.size() + change.removed.size() <= 1;
    evaluateSoon(typing && m_evaluator.lastMs() > kSlowMs ? kPauseMs : 0);
    emit bytesChanged();
    emitEditedKey(change);
    if (const bool dirty = isDirty(); dirty != m_wasDirty)
        emit dirtyChanged(m_wasDirty = dirty);
    if (m_drafts && !m_draftTimer.isActive())
        m_draftTimer.start(); // not restarted by each key press, so that drafts are also kept during continuous typing
}

void ConfigFile::emitEditedKey(const TextChange& change) {
    const config::Node* node = m_document ? m_document->root() : nullptr;
    const std::size_t at = change.offset + std::max<std::size_t>(change.inserted.size(), 1) - 1;
    config::Path path;
    while (node && node->isMap() && !node->entries.empty()) {
        const config::Entry* holder = nullptr;
        for (const config::Entry& entry : node->entries)
            if (!entry.merged && !entry.mergeKey && entry.key.offset <= at)
                holder = &entry;
        if (holder)
            path.push_back(holder->key.text);
        node = holder ? &holder->value : nullptr;
    }
    if (node)
        emit valueWritten(QString::fromStdString(config::joinKey(path)), config::toText(*node));
}

void ConfigFile::setDraftDir(const QString& dir) {
    m_drafts = dir.isEmpty() ? nullptr : std::make_unique<DraftStore>(dir);
}

void ConfigFile::saveDraft() {
    if (!m_drafts || !m_open)
        return;
    const LaunchFields fields = launchFields();
    if (hasUnsavedEdits() || fields != m_fieldsOpened)
        m_drafts->keep({m_path, m_title, m_origin, m_bytes, DraftStore::hashOf(m_saved), QDateTime::currentDateTime(),
                        m_saved, fields});
    else
        m_drafts->drop(m_path, m_title);
}

void ConfigFile::dropDraft() {
    m_draftTimer.stop();
    if (m_drafts && m_open)
        m_drafts->drop(m_path, m_title);
}

void ConfigFile::recover() {
    if (!m_drafts)
        return;
    const auto draft = m_drafts->take(m_path, m_title);
    if (!draft)
        return;
    if (draft->text == m_bytes && draft->launch.value_or(launchFields()) == launchFields()) {
        m_drafts->drop(m_path, m_title);
        return;
    }
    restore(*draft, draft->baseHash != DraftStore::hashOf(m_saved));
}

/// Restores a draft. Undo cannot go back past it: otherwise one key press could lose the restored edits.
void ConfigFile::restore(const Draft& draft, bool diskChanged) {
    if (draft.text != m_bytes) {
        m_bytes = draft.text;
        m_document.reset();
        m_undo.clear();
        evaluateSoon(0);
        emit bytesChanged();
        emit dirtyChanged(m_wasDirty = isDirty());
    }
    if (draft.launch)
        emit launchFieldsRecovered(*draft.launch);
    saveDraft();
    emit recovered(draft.when, diskChanged);
}

bool ConfigFile::recoverUntitled() {
    const auto draft = m_drafts ? m_drafts->takeUntitled() : std::nullopt;
    if (!draft)
        return false;
    std::string base = draft->base.value_or(std::string());
    if (!draft->base && !draft->origin.isEmpty())
        if (auto bytes = readChecked(draft->origin); bytes && DraftStore::hashOf(*bytes) == draft->baseHash)
            base = std::move(*bytes);
    adopt(std::move(base), {}, draft->title, draft->origin);
    restore(*draft, false);
    return true;
}

bool ConfigFile::recoverLost(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    const auto draft = m_drafts && !QFileInfo::exists(absolute) ? m_drafts->take(absolute, {}) : std::nullopt;
    if (!draft)
        return false;
    adopt(draft->base.value_or(std::string()), absolute, {}, absolute);
    restore(*draft, false);
    return true;
}

void ConfigFile::setLaunchFields(std::function<LaunchFields()> fields) {
    m_launchFields = std::move(fields);
    acceptLaunchFields();
}

void ConfigFile::acceptLaunchFields() {
    m_fieldsOpened = launchFields();
}

void ConfigFile::launchFieldsChanged() {
    if (m_drafts && m_open && !m_draftTimer.isActive())
        m_draftTimer.start();
}

void ConfigFile::markLaunched(const std::string& text, const QString& runDir) {
    m_launched = text;
    m_launchedRun = runDir;
    acceptLaunchFields();
    saveDraft();
    emit dirtyChanged(m_wasDirty = isDirty());
}

void ConfigFile::discardEdits() {
    push(changeBetween(m_bytes, m_saved), false, tr("discard edits"));
    dropDraft();
}

void ConfigFile::setOverrides(const QStringList& overrides) {
    if (overrides == m_overrides)
        return;
    m_overrides = overrides;
    if (m_open)
        evaluateSoon(250);
}

void ConfigFile::evaluateSoon(int delayMs) {
    m_evaluator.request(m_bytes, title(), m_overrides, delayMs, m_document);
}

} // namespace rankscope::ui

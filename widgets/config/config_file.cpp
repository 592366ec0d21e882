// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/config_file.h"

#include "core/base/file.h"
#include "core/config/document.h"

#include <QFileInfo>
#include <QStringDecoder>

namespace rankscope::ui {

/// One undo step. Typing in one place joins into one step, until a line ends.
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
    connect(&m_evaluator, &Evaluator::evaluated, this, [this](const Evaluation& result, const std::string& text) {
        if (text != m_bytes)
            return;
        m_evaluation = result;
        emit evaluationChanged();
    });
    m_settle.setSingleShot(true);
    m_settle.setInterval(120);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_settle, qOverload<>(&QTimer::start));
    connect(&m_settle, &QTimer::timeout, this, &ConfigFile::fileChanged);
}

QString ConfigFile::title() const {
    return m_path.isEmpty() ? m_title : QFileInfo(m_path).fileName();
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
    auto bytes = readChecked(absolute);
    if (!bytes)
        return tl::unexpected(bytes.error());
    adopt(std::move(*bytes), absolute, {}, absolute);
    return {};
}

Result<void> ConfigFile::openText(std::string bytes, const QString& title, const QString& origin) {
    adopt(std::move(bytes), {}, title, origin);
    return {};
}

void ConfigFile::adopt(std::string bytes, const QString& path, const QString& title, const QString& origin) {
    m_bytes = m_saved = m_onDisk = std::move(bytes);
    m_path = path;
    m_title = title;
    m_origin = origin;
    m_open = true;
    m_undo.clear();
    m_evaluation.reset();
    watch();
    m_wasDirty = isDirty();
    emit opened();
    emit bytesChanged();
    emit dirtyChanged(m_wasDirty);
    evaluateSoon(0);
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
    watch(); // a file that was replaced is watched no more
    const auto now = readChecked(m_path);
    if (!now) {
        if (!QFileInfo::exists(m_path)) {
            m_saved.clear(); // nothing on disk: what is shown is unsaved
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
    auto now = readChecked(m_path);
    if (!now)
        return tl::unexpected(now.error());
    m_onDisk = m_saved = *now;
    push(changeBetween(m_bytes, *now), false, tr("reload"));
    emit dirtyChanged(m_wasDirty = isDirty());
    return {};
}

void ConfigFile::keepMine() {
    m_saved = m_onDisk; // so that the text counts as changed against what is there now
    emit dirtyChanged(m_wasDirty = isDirty());
}

Result<void> ConfigFile::save() {
    return m_path.isEmpty() ? fail(Errc::BadInput, "has no file yet; save it under a name", title().toStdString())
                            : saveAs(m_path);
}

Result<void> ConfigFile::saveAs(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    m_watcher.blockSignals(true);
    const auto written = writeFileAtomic(absolute.toStdString(), m_bytes, 0644);
    m_watcher.blockSignals(false);
    if (!written)
        return written;
    m_saved = m_onDisk = m_bytes;
    m_path = m_origin = absolute;
    watch();
    emit dirtyChanged(m_wasDirty = isDirty());
    evaluateSoon(0); // problems name the file
    return {};
}

Result<void> ConfigFile::setValue(const QString& key, const QString& yaml) {
    auto document = config::Document::fromText(m_bytes, title().toStdString());
    if (auto done = document.set(key.toStdString(), yaml.toStdString()); !done)
        return done;
    push(changeBetween(m_bytes, document.text()), false, tr("set %1").arg(key));
    return {};
}

Result<void> ConfigFile::removeKey(const QString& key) {
    auto document = config::Document::fromText(m_bytes, title().toStdString());
    if (auto done = document.remove(key.toStdString()); !done)
        return done;
    push(changeBetween(m_bytes, document.text()), false, tr("remove %1").arg(key));
    return {};
}

void ConfigFile::setShownText(const std::string& shown) {
    push(toBytes(changeBetween(withLineFeeds(m_bytes), shown), m_bytes), true, tr("typing"));
}

void ConfigFile::push(const TextChange& change, bool typing, const QString& text) {
    if (!change.empty())
        m_undo.push(new TextCommand(this, change, typing, text));
}

void ConfigFile::applyChange(const TextChange& change) {
    m_bytes = change.apply(m_bytes);
    emit bytesChanged();
    if (const bool dirty = isDirty(); dirty != m_wasDirty)
        emit dirtyChanged(m_wasDirty = dirty);
    evaluateSoon(150);
}

void ConfigFile::setOverrides(const QStringList& overrides) {
    if (overrides == m_overrides)
        return;
    m_overrides = overrides;
    if (m_open)
        evaluateSoon(250);
}

void ConfigFile::evaluateSoon(int delayMs) {
    m_evaluator.request(m_bytes, title(), m_overrides, delayMs);
}

} // namespace rankscope::ui

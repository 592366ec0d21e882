// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/help/guide_window.h"

#include "widgets/controls/box_layout.h"
#include "widgets/main_window/help/installed_files.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kPagesWidth = 230, kMargins = 48;
constexpr qint64 kMostHeading = 400; ///< bytes of a page that are read for its title

/// Returns the English version of a page, which may be Chinese: docs/guide.md for docs/zh/guide.md.
QString englishPage(const QString& page) {
    const QFileInfo file(page);
    const QDir folder = file.absoluteDir();
    return folder.dirName() == QLatin1String("zh")
               ? QDir::cleanPath(folder.filePath(QStringLiteral("../") + file.fileName()))
               : file.absoluteFilePath();
}

/// Returns the page in the window's language; the English one if it has not been translated.
QString pageInLanguage(const QString& page) {
    const QFileInfo english(englishPage(page));
    if (QLocale().language() == QLocale::Chinese)
        if (const QFileInfo chinese(english.absoluteDir().filePath(QStringLiteral("zh/") + english.fileName()));
            chinese.isFile())
            return chinese.absoluteFilePath();
    return english.absoluteFilePath();
}

/// Returns a heading's anchor: the id written after it, otherwise its words in lower case joined by hyphens.
QString anchorOf(const QString& heading) {
    static const QRegularExpression written(QStringLiteral("<a id=\"([^\"]+)\"></a>"));
    if (const auto match = written.match(heading); match.hasMatch())
        return match.captured(1);
    QString anchor;
    for (const QChar c : heading.trimmed().toLower())
        if (c.isLetterOrNumber() || c == QLatin1Char('_') || c == QLatin1Char('-'))
            anchor += c;
        else if (c == QLatin1Char(' '))
            anchor += QLatin1Char('-');
    return anchor;
}

/// Returns the number of the heading with this anchor on the page, from 1; 0 if there is none.
int numberOfHeading(const QString& page, const QString& anchor) {
    QFile file(page);
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    int number = 0;
    for (bool code = false; !file.atEnd();) {
        const QString line = QString::fromUtf8(file.readLine());
        code = code != line.startsWith(QLatin1String("```"));
        if (code || !line.startsWith(QLatin1Char('#')))
            continue;
        ++number;
        if (anchorOf(line.section(QLatin1Char(' '), 1)) == anchor)
            return number;
    }
    return 0;
}

/// Shows pictures as wide as the page has room for, and follows links to pages in the window's language.
class GuideBrowser final : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;

protected:
    void doSetSource(const QUrl& name, QTextDocument::ResourceType type) override {
        QUrl page = source().resolved(name);
        const QString anchor = page.fragment(QUrl::FullyDecoded);
        if (page.isLocalFile() && page.path().endsWith(QLatin1String(".md"))) {
            page = QUrl::fromLocalFile(pageInLanguage(page.toLocalFile()));
            page.setFragment(anchor);
        }
        QTextBrowser::doSetSource(page, type);
        if (!anchor.isEmpty())
            showHeading(numberOfHeading(page.toLocalFile(), anchor));
    }

    QVariant loadResource(int type, const QUrl& name) override {
        if (!name.isRelative() && !name.isLocalFile())
            return {}; // nothing is fetched
        QVariant found = QTextBrowser::loadResource(type, name);
        if (type != QTextDocument::ImageResource || found.typeId() != QMetaType::QByteArray)
            return found;
        // full colours: scaling an indexed picture would dither it
        const QImage picture = QImage::fromData(found.toByteArray()).convertToFormat(QImage::Format_ARGB32);
        const int room = std::max(200, viewport()->width() - kMargins);
        return picture.width() > room ? picture.scaledToWidth(room, Qt::SmoothTransformation) : picture;
    }

private:
    /// Scrolls to a heading by its number: QTextBrowser gives Markdown headings no anchors.
    void showHeading(int number) {
        for (QTextBlock block = document()->begin(); number > 0 && block.isValid(); block = block.next())
            if (block.blockFormat().headingLevel() > 0 && --number == 0)
                verticalScrollBar()->setValue(
                    static_cast<int>(document()->documentLayout()->blockBoundingRect(block).top()));
    }
};

/// Returns a page's title from its first line.
QString titleOf(const QString& path) {
    QFile file(path);
    const QString first =
        file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readLine(kMostHeading)).trimmed() : QString();
    return first.startsWith(QLatin1String("# ")) ? first.mid(2) : QFileInfo(path).completeBaseName();
}

/// Returns the words of a page nearly as they are shown: in one line, without the marks and link targets of Markdown.
QString wordsOf(const QString& page) {
    static const QRegularExpression marks(QStringLiteral("\\]\\([^)]*\\)|[*`\\[\\]]"));
    QFile file(page);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).remove(marks).simplified() : QString();
}

/// Returns the index and the pages in its folder that it links to, in its order. Pages in other folders, such as those
/// for developers, are opened by links and not listed. Without an index, returns all pages of the folder by name.
QStringList listedPages(const QDir& dir) {
    const QString index = dir.absoluteFilePath(QStringLiteral("README.md"));
    QFile file(index);
    const QString text = file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    static const QRegularExpression link(QStringLiteral("\\]\\(([^)/:#]+\\.md)\\)"));
    QStringList pages;
    for (auto it = link.globalMatch(text); it.hasNext();) {
        const QString page = dir.absoluteFilePath(it.next().captured(1));
        if (!pages.contains(page) && QFileInfo(page).isFile())
            pages << page;
    }
    if (!pages.isEmpty())
        return QStringList{index} + pages;
    for (const QFileInfo& page : dir.entryInfoList({QStringLiteral("*.md")}, QDir::Files, QDir::Name))
        pages << page.absoluteFilePath();
    return pages;
}

} // namespace

QString findGuide() {
    const QString installed = documentsFolder() + QStringLiteral("/docs/guide.md");
    return QFileInfo(installed).isFile() ? QFileInfo(installed).canonicalFilePath()
                                         : firstWith(checkoutFolders(), QStringLiteral("docs/guide.md"));
}

GuideWindow::GuideWindow(const QString& guide, QWidget* parent)
    : QDialog(parent), m_guide(QFileInfo(guide).absoluteFilePath()), m_pages(new QListWidget(this)),
      m_browser(new GuideBrowser(this)), m_find(new QLineEdit(this)), m_back(new QToolButton(this)),
      m_forward(new QToolButton(this)) {
    setModal(false);
    setWindowFlag(Qt::WindowMaximizeButtonHint);
    resize(QSize(1040, 760).boundedTo(screen()->availableSize() - QSize(40, 60))); // leaves room for the frame
    m_browser->setOpenExternalLinks(true);
    m_browser->setFrameShape(QFrame::NoFrame);
    m_browser->document()->setDocumentMargin(16);
    m_pages->setFrameShape(QFrame::NoFrame);
    m_pages->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_find->setClearButtonEnabled(true);
    m_find->setFixedWidth(260);
    m_find->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_back->setIcon(Theme::instance().icon(QStringLiteral("previous")));
    m_forward->setIcon(Theme::instance().icon(QStringLiteral("next")));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 8, 8, 8);
    for (QToolButton* button : {m_back, m_forward}) {
        button->setAutoRaise(true);
        bar->addWidget(button);
    }
    bar->addStretch(1);
    bar->addWidget(m_find);
    auto* splitter = new QSplitter;
    splitter->addWidget(m_pages);
    splitter->addWidget(m_browser);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({kPagesWidth, width() - kPagesWidth});
    auto* column = filledBox(new QVBoxLayout(this), {}, 0);
    column->addLayout(bar);
    column->addWidget(splitter, 1);
    connect(m_back, &QToolButton::clicked, m_browser, &QTextBrowser::backward);
    connect(m_forward, &QToolButton::clicked, m_browser, &QTextBrowser::forward);
    connect(m_browser, &QTextBrowser::backwardAvailable, m_back, &QWidget::setEnabled);
    connect(m_browser, &QTextBrowser::forwardAvailable, m_forward, &QWidget::setEnabled);
    connect(m_browser, &QTextBrowser::sourceChanged, this, &GuideWindow::pageShown);
    connect(m_find, &QLineEdit::returnPressed, this, [this] { find(true); });
    connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, m_find, [this] { m_find->setFocus(); });
    connect(new QShortcut(QKeySequence::FindNext, this), &QShortcut::activated, this, [this] { find(true); });
    connect(new QShortcut(QKeySequence::FindPrevious, this), &QShortcut::activated, this, [this] { find(false); });
    connect(m_pages, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item)
            open(item->data(Qt::UserRole).toString());
    });
    m_back->setEnabled(false);
    m_forward->setEnabled(false);
    retranslate();
    fillPages();
    open(m_guide);
    onLanguageChange(this, [this] { changeLanguage(); });
    connect(&Theme::instance(), &Theme::changed, this, [this] { // a page keeps the colours of its links
        const int top = m_browser->verticalScrollBar()->value();
        m_browser->reload();
        m_browser->verticalScrollBar()->setValue(top);
    });
}

void GuideWindow::fillPages() {
    const QSignalBlocker block(m_pages);
    m_pages->clear();
    for (const QString& page : listedPages(QFileInfo(m_guide).absoluteDir())) {
        const QString path = pageInLanguage(page), title = titleOf(path);
        auto* item = new QListWidgetItem(title, m_pages);
        item->setData(Qt::UserRole, path);
        item->setToolTip(title);
    }
}

void GuideWindow::open(const QString& page) {
    const QUrl url = QUrl::fromLocalFile(pageInLanguage(page));
    if (m_browser->source() != url)
        m_browser->setSource(url, QTextDocument::MarkdownResource);
}

/// Updates the window for `page`, the link's target; the browser's source is still the previous page.
void GuideWindow::pageShown(const QUrl& page) {
    const QString path = m_browser->source().resolved(page).toLocalFile();
    const QSignalBlocker block(m_pages);
    for (int i = 0; i < m_pages->count(); ++i)
        if (m_pages->item(i)->data(Qt::UserRole).toString() == path)
            m_pages->setCurrentRow(i);
}

bool GuideWindow::findOnPage(bool forward) {
    return m_browser->find(m_find->text(), forward ? QTextDocument::FindFlags() : QTextDocument::FindBackward);
}

void GuideWindow::find(bool forward) {
    const QString wanted = m_find->text().simplified();
    if (wanted.isEmpty() || findOnPage(forward))
        return;
    // the other pages in their order, and the rest of this one
    const int count = m_pages->count(), from = std::max(0, m_pages->currentRow());
    for (int i = 1; i <= count; ++i) {
        const QString page = m_pages->item((from + (forward ? i : count - i)) % count)->data(Qt::UserRole).toString();
        if (!wordsOf(page).contains(wanted, Qt::CaseInsensitive))
            continue;
        open(page);
        m_browser->moveCursor(forward ? QTextCursor::Start : QTextCursor::End);
        if (findOnPage(forward))
            return;
    }
}

/// Shows the same page in the other language and clears the history, which has only pages in the previous language.
void GuideWindow::changeLanguage() {
    retranslate();
    fillPages();
    open(m_browser->source().toLocalFile());
    pageShown(m_browser->source());
    m_browser->clearHistory();
}

void GuideWindow::retranslate() {
    setWindowTitle(tr("Guide – Rankscope"));
    m_back->setToolTip(tr("Previous page"));
    m_forward->setToolTip(tr("Next page"));
    m_back->setAccessibleName(m_back->toolTip());
    m_forward->setAccessibleName(m_forward->toolTip());
    m_find->setPlaceholderText(tr("Find in the guide"));
    m_find->setAccessibleName(m_find->placeholderText());
    m_pages->setAccessibleName(tr("Pages of the guide"));
    m_browser->setAccessibleName(tr("The page"));
}

} // namespace rankscope::ui

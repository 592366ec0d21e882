// SPDX-License-Identifier: Apache-2.0
#include "core/explain/report/explanation_html.h"

#include "core/base/text/html_text.h"
#include "core/explain/collectives/collective_name.h"
#include "core/explain/report/explanation_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>

namespace rankscope::explain {
namespace {

constexpr std::size_t kMostPageRows = 1024, kMostPageFiles = 64;

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--text:#1c1e21;--dim:#5d646d;--page:#fff;--line:#d9dde2;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--text:#e6e8ea;--dim:#9aa2ab;--page:#17191c;--line:#353a40;--bad:#ff8a80}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--page);max-width:960px;margin:2em auto;padding:0 1em}
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:1.6em;border-bottom:1px solid var(--line)}h3{font-size:1em;margin:1em 0 .2em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{text-align:left;padding:.15em .9em .15em 0;vertical-align:top}
th{color:var(--dim);font-weight:normal;white-space:nowrap}td.n,th.n{text-align:right;white-space:nowrap}
.dim{color:var(--dim)}.bad{color:var(--bad)}.wide{overflow-x:auto}p,td,li{overflow-wrap:anywhere}code{white-space:pre-wrap}
)css";

class HtmlReport {
public:
    HtmlReport(const Explanation& explanation, Language language, std::string_view settingLink)
        : m_e(explanation), m_language(language), m_settingLink(html(settingLink)) {}

    std::string fragment() && {
        std::string summary = say(m_e.summary);
        if (!summary.empty() && m_language == Language::English) // a heading, not the line of a terminal
            summary.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(summary.front())));
        add("<h1>{}</h1>\n", summary);
        ranks();
        names();
        causes();
        actions("Do now", m_e.now);
        actions("Next time", m_e.nextTime);
        if (!m_e.lacking.empty()) {
            heading("Missing in the input");
            m_out += "<ul>\n";
            for (const Message& one : m_e.lacking)
                add("<li>{}</li>\n", say(one));
            m_out += "</ul>\n";
        }
        files();
        return std::move(m_out);
    }

private:
    std::string say(const Message& message) const { return html(message.text(m_language)); }
    template <class... Args> void add(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(m_out), format, std::forward<Args>(args)...);
    }
    void heading(const Message& title) { add("<h2>{}</h2>\n", say(title)); }

    void ranks() {
        if (m_e.ranks.empty())
            return;
        add("<div class=\"wide\"><table>\n<tr><th class=\"n\">{}</th><th>{}</th><th class=\"n\">{}</th><th>{}</th><th "
            "class=\"n\">{}</th><th class=\"n\">{}</th><th>{}</th></tr>\n",
            say("rank"), say("state"), say("last completed"), say("waits in"), say("elements"), say("for"),
            say("where"));
        for (const RankRow* row : rowsToShow(m_e, kMostPageRows)) {
            const auto& call = row->stuckIn;
            add("<tr><td class=\"n\">{}</td><td{}>{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td><td "
                "class=\"n\">{}</td><td>{}</td></tr>\n",
                row->rank, presenceClass(row->presence), say(presenceWord(row->presence)),
                row->lastCompleted ? formatCount(*row->lastCompleted) : "–", waitingIn(*row),
                call && call->elementsIn ? formatCount(*call->elementsIn) : "–", dashed(say(waitText(*row))),
                dashed(html(seenAt(*row))));
        }
        m_out += "</table></div>\n";
        if (m_e.ranks.size() > kMostPageRows)
            add("<p class=\"dim\">{}</p>\n",
                say({"and {} more ranks; --json has all", m_e.ranks.size() - kMostPageRows}));
    }

    static std::string_view presenceClass(RankRow::Presence presence) {
        if (presence == RankRow::Presence::Reports)
            return "";
        const bool silent = presence == RankRow::Presence::Unknown || presence == RankRow::Presence::Done;
        return silent ? " class=\"dim\"" : " class=\"bad\"";
    }

    static std::string dashed(const std::string& cell) { return cell == "-" ? "–" : cell; }

    static std::string waitingIn(const RankRow& row) {
        if (!row.stuckIn)
            return "–";
        const std::string name(operationName(row.stuckIn->op));
        return row.stuckIn->sequence ? name + " " + formatCount(*row.stuckIn->sequence) : name;
    }

    void names() {
        if (m_e.names.empty())
            return;
        heading("The collective");
        m_out += "<ul>\n";
        for (const NamedCollective& name : m_e.names) {
            const std::string source = sourceOf(name);
            add("<li>{}{}{}</li>\n", say(name.name),
                name.arithmetic.empty() ? "" : "<br/><span class=\"dim\">" + say(name.arithmetic) + "</span>",
                source.empty() ? "" : " <span class=\"dim\">[" + html(source) + "]</span>");
        }
        m_out += "</ul>\n";
    }

    void causes() {
        if (m_e.causes.empty())
            return;
        heading("Causes, the most likely one first");
        int number = 0;
        for (const ProbableCause& cause : m_e.causes) {
            add("<h3>{}. {}</h3>\n<table>\n", ++number,
                say(cause.ranks.empty() ? cause.title : Message("{}: look at {}", cause.title, Ranks{cause.ranks})));
            for (const Statement& one : cause.evidence) {
                const std::string places = placesText(one.places);
                add("<tr><td width=\"72\" class=\"dim\">{}</td><td>{}{}</td></tr>\n", say(certaintyWord(one.certainty)),
                    say(one.text), places.empty() ? "" : " <span class=\"dim\">[" + html(places) + "]</span>");
            }
            m_out += "</table>\n";
            list(cause.actions);
        }
    }

    void list(const std::vector<Action>& actions) {
        if (actions.empty())
            return;
        m_out += "<ul>\n";
        for (const Action& action : actions)
            add("<li>{}{}</li>\n", say(action.text), action.key.empty() ? "" : setting(action));
        m_out += "</ul>\n";
    }

    std::string setting(const Action& action) {
        std::string text = fmt::format(": <code>{}={}</code>", html(action.key), html(action.value));
        if (!m_settingLink.empty())
            text += fmt::format(" <a href=\"setting:{}\">{}</a>", m_settings++, m_settingLink);
        return text;
    }

    void actions(const Message& title, const std::vector<Action>& all) {
        if (all.empty())
            return;
        heading(title);
        list(all);
    }

    void files() {
        if (m_e.files.empty())
            return;
        heading("Files read");
        m_out += "<ul>\n";
        for (const InputFile& file : std::span(m_e.files).first(std::min(kMostPageFiles, m_e.files.size()))) {
            Message facts = file.kind == InputFile::Kind::Dump
                                ? Message("{}, a Flight Recorder dump", ByteSize{file.bytes})
                                : Message("{}, {} lines", ByteSize{file.bytes}, Count{file.lines});
            if (!file.ranks.empty())
                facts = {"{}, {}", std::move(facts), Message("{}", Ranks{file.ranks})};
            add("<li>{} <span class=\"dim\">{}</span>{}</li>\n", html(file.name), say(facts),
                file.problem.empty() ? "" : " <span class=\"bad\">" + say(file.problem) + "</span>");
        }
        m_out += "</ul>\n";
        if (m_e.files.size() > kMostPageFiles)
            add("<p class=\"dim\">{}</p>\n", say({"and {} more files", m_e.files.size() - kMostPageFiles}));
    }

    const Explanation& m_e;
    Language m_language;
    std::string m_settingLink;
    int m_settings = 0;
    std::string m_out;
};

} // namespace

std::string explanationFragment(const Explanation& explanation, Language language, std::string_view settingLink) {
    return HtmlReport(explanation, language, settingLink).fragment();
}

std::vector<Action> suggestedSettings(const Explanation& explanation) {
    std::vector<Action> settings;
    const auto add = [&](const std::vector<Action>& actions) {
        std::ranges::copy_if(actions, std::back_inserter(settings), [](const Action& one) { return !one.key.empty(); });
    };
    for (const ProbableCause& cause : explanation.causes)
        add(cause.actions);
    add(explanation.now);
    add(explanation.nextTime);
    return settings;
}

std::string explanationPage(const Explanation& explanation, Language language) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        language == Language::Chinese ? "zh-CN" : "en", html(explanation.summary.text(language)), kStyle,
        explanationFragment(explanation, language));
}

} // namespace rankscope::explain

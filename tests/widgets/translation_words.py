#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails when the Chinese texts have two words for one thing. Run by ctest as translation_words.

usage: translation_words.py ROOT

Reads the texts of the window and the messages of all programs. The rules: one Chinese text for each English one,
except for those listed; no word that has been replaced by another one, including in sources and desktop files; the same
placeholders as in the English; and the typography of figures, brackets and signs.
"""
import collections
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

# English text: its Chinese ones, and why it needs more than one.
SEVERAL = {
    ", ": ({"、", "，"}, "between the items of a list, and between the clauses of a sentence"),
    "%1 %2": ({"%2：%1", "%1 个%2"}, "where a rank ended and how, and how many ranks are in a state"),
    "%1 of %2": ({"%1 / %2", "第 %1 页，共 %2 页"}, "an amount, and a page of the tour"),
    "%1 samples": ({"%1 个采样点", "%1 个样本"}, "of the audio, and of the training set"),
    "Duration": ({"持续时间", "时长", "耗时"}, "of an incident, of a run or a recording, and of a step or phase"),
    "Explain": ({"解释", "卡死分析"}, "a key, and the page about runs that hung"),
    "Key": ({"键", "键说明"}, "a column of keys, and the tab that explains one"),
    "Live": ({"实时", "进行中"}, "the page of a run as it goes, and the runs that have not ended"),
    "Note": ({"提示", "备注"}, "how serious a problem is, and what somebody wrote about a run"),
    "Open": ({"打开", "未结束"}, "the command, and the state of an incident"),
    "Ranks": ({"rank", "rank 数"}, "which ranks, and how many"),
    "Runs": ({"任务列表", "任务"}, "the page and the list, and a heading over runs that were opened last"),
    "Steps": ({"步", "步数"}, "which steps, and how many"),
    "Waiting": ({"等待", "等待方"}, "the facts of a wait, and the ranks that wait"),
    "step": ({"步", "第"}, "the name of an axis, and what is written in front of a step's number"),
    "stopped": ({"已停止", "已暂停"}, "a run that was ended, and a process that SIGSTOP holds"),
}

# Regular expression for a word that is no longer used: the word to use instead.
RETIRED = {
    "(此|该|这次|本次|次|个|新)运行(?!时)": "任务",
    "运行(的)?文件夹|运行目录": "任务目录, 任务根目录",
    "运行列表|整个运行": "任务列表, 整个任务",
    "配方": "配置文件, 配置",
    "(?<!个)事件(?!文件)": "异常",
    "拖住者": "阻塞源",
    "等待者": "等待方",
    "停顿|停滞": "卡住",
    "拖延": "拖住",
    "集合操作": "集合通信",
    "屏障": "barrier",
    "归约": "reduce",
    "(?<!梯度)(?<!时长)(?<!分)桶": "梯度桶, 时长桶, 分桶",
    "(?<!滚)轮(?![流到])": "epoch",
    "批(?![次注归])": "批次",
    "批次?大小": "batch size",
    "语句": "语音",
    "补齐|填充": "padding",
    "掩蔽|遮蔽": "掩码",
    "清单": "manifest",
    "恢复自|继续运行": "续训",
    "修改后重新启动": "修改后重跑",
    "被要求离开": "收到退出信号",
    "死亡|杀死": "终止",
    "试算|规划": "预估",
    "(?<![字章调])节(?![点省])": "配置段",
    "控制组": "cgroup",
    "处理器": "核, CPU",
    "监管|(?<!自)监督": "主控进程",
    "日志段": "journal 文件",
    "工作文件夹": "工作目录",
    "训练器": "训练程序",
    "通信组": "进程组",
    "位置表": "位置编码表",
    "数据等待": "等待数据",
    "[编解]码器": "encoder, decoder",
    "预热": "warmup",
    "非有限值": "NaN/Inf",
    "暴露的等待": "未被掩盖的等待",
    "过滤": "筛选",
    "方块": "卡片",
    "对数刻度": "对数坐标",
    "[xy] 轴": "横轴, 纵轴",
    "已写[入出]：": "已保存：",
    "这台机器": "本机",
    "个 GPU": "块 GPU",
    "您": "你",
    "Rank 面板": "rank 面板",
}

HAN = "[\u4e00-\u9fff]"
# Typography: a regular expression and the rule that it breaks. File filters, "(*.json)", and mnemonics, "(&F)", keep
# their brackets.
SET_WRONG = {
    r"\d %(?![\dLn])": "no space in front of a percent sign",
    HAN + r" ?\((?![&*])": "full-width brackets after Chinese",
    " [，。：；、（）！？]|[，。：；、（！？] (?!$)": "no space next to a full-width sign",
    HAN + "[A-Za-z]|[A-Za-z]" + HAN: "a space between Chinese and Latin letters",
}
SOURCES = ("core/**/*.cpp", "core/**/*.h", "widgets/**/*.cpp", "app/**/*.cpp", "packaging/desktop/*")
SLOT = re.compile(r"%L?(?:\d|n)|\{\d\}")


def messages(path):
    for context in ElementTree.parse(path).getroot().iter("context"):
        name = context.findtext("name")
        for message in context.iter("message"):
            translation = message.find("translation")
            forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
            yield name, message.findtext("source") or "", forms


def table(path):
    for english, chinese in json.loads(path.read_text(encoding="utf-8")).items():
        yield path.name, english, [chinese]


def chinese_of(path):
    """The Chinese lines of a source or desktop file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if re.search(HAN, line):
            yield f"{path.name}:{number}", line


def main():
    root = pathlib.Path(sys.argv[1])
    faults, known = [], collections.defaultdict(set)
    count = 0
    texts = list(messages(root / "resources/translations/rankscope_zh_CN.ts"))
    for path in sorted((root / "resources/messages/zh_CN").glob("*.json")):
        texts += table(path)
    for context, english, forms in texts:
        count += 1
        known[english].update(forms)
        where = f"{context}: {english!r}"
        for text in forms:
            for word, instead in RETIRED.items():
                if found := re.search(word, text):
                    faults.append(f"{where}: {text!r} has {found.group()!r}; use {instead}")
            for pattern, rule in SET_WRONG.items():
                if found := re.search(pattern, re.sub(r"\(&\w\)", "", text)):
                    faults.append(f"{where}: {text!r}, at {found.group()!r}: {rule}")
            if set(SLOT.findall(english)) != set(SLOT.findall(text)):
                faults.append(f"{where}: {text!r} has other placeholders")
    if count < 100:
        sys.exit(f"only {count} texts were read")
    for english, forms in known.items():
        if len(forms) > 1 and forms != SEVERAL.get(english, (None,))[0]:
            faults.append(f"{english!r} has several translations: {', '.join(map(repr, sorted(forms)))}")
    for english, (forms, _) in SEVERAL.items():
        if known.get(english) != forms:
            now = sorted(known.get(english, ()))
            faults.append(f"{english!r} is listed with {sorted(forms)}, the translations are {now}")
    for pattern in SOURCES:
        for path in sorted(root.glob(pattern)):
            if path.is_file():
                for where, line in chinese_of(path):
                    for word, instead in RETIRED.items():
                        if found := re.search(word, line):
                            faults.append(f"{where}: {line.strip()!r} has {found.group()!r}; use {instead}")
    for fault in faults:
        print(fault)
    print(f"{count} texts, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())

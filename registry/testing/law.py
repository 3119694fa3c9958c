"""A plugin's case files as tests: ``assert_cases(host, "example", path)``, and a law to ask rules under."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

from registry import resources
from registry.cli.cases import load_case_file, results_of
from registry.domain.cases import Case, CaseResult, run_case
from registry.plugins import PluginHost
from registry.settings import Authority, load_settings


def law_host(*plugins: str, zone: str = "UTC", modules: Mapping[str, ModuleType] | None = None) -> PluginHost:
    """A host of these plugins alone, with the shipped defaults and one authority whose civil time is ``zone``."""
    settings = load_settings(resources.config(), {"REGISTRY_CONFIG": ""})
    authority = Authority(code="teste", name="Órgão de teste", short_name="Teste", zone=ZoneInfo(zone))
    return PluginHost.load(replace(settings, plugins=plugins, authorities={authority.code: authority}), modules)


def case_results(host: PluginHost, path: Path) -> tuple[CaseResult, ...]:
    """The cases of a file, asked of the plugin that its ``regime`` names."""
    return results_of(load_case_file(path), host)


def cases_of(path: Path, asks: Iterable[str] = ()) -> list[Case]:
    """The cases of a file, all or those of some questions: for ``pytest.mark.parametrize``."""
    wanted = set(asks)
    return [case for case in load_case_file(path).cases if not wanted or case.ask in wanted]


def assert_case(host: PluginHost, plugin: str, case: Case) -> None:
    """Fails with each field of the answer that came out otherwise; a question that nobody answers fails too."""
    result = run_case(case, host.plugins[plugin].questions, host.law_for(plugin, readings={}))
    told: list[Any] = [f"{each.field}: expected {each.expected}, got {each.got}" for each in result.mismatches]
    assert result.status == "passed", f"{case.id} {case.ask}: {result.error or told or result.status} ({case.why})"


def assert_cases(host: PluginHost, path: Path, *, unanswered: bool = False) -> None:
    """Fails naming every case of the file that does not pass, and when none passes.

    ``unanswered`` True leaves out cases whose question nobody answers yet.
    """
    results = case_results(host, path)
    allowed = {"passed", "skipped"} if unanswered else {"passed"}
    faults = [
        f"{each.case.id}: {each.error or each.mismatches or each.status}"
        for each in results
        if each.status not in allowed
    ]
    assert not faults, "\n".join(faults)
    assert any(each.status == "passed" for each in results), f"{path}: no case passed"

"""What is said when a plugin is wrong (start-up stops) or fails (the act stops)."""

from __future__ import annotations


class StartError(RuntimeError):
    """The registry cannot start as it is put together. The message (pt-BR) says what is wrong and the mend."""


class PluginError(StartError):
    """A plugin cannot be used. The message (pt-BR) names the plugin, the file, what is wrong and the mend."""

    def __init__(self, plugin: str, file: str, problem: str, mend: str) -> None:
        super().__init__(f"Plugin {plugin} ({file}): {problem} {mend}")
        self.plugin = plugin
        self.file = file
        self.problem = problem
        self.mend = mend


class RuleFailed(RuntimeError):
    """A plugin raised while it was asked; nothing may be decided or saved. ``what`` names the hook or question."""

    def __init__(self, plugin: str, what: str, cause: BaseException | None = None) -> None:
        reason = f": {type(cause).__name__}: {cause}" if cause else ""
        super().__init__(f"O plugin {plugin} não respondeu a {what}{reason}")
        self.plugin = plugin
        self.what = what

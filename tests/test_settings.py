"""Settings: which file wins, what is refused with which message, and when real use is not safe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from registry import resources
from registry.settings import DEFAULT_SECRET, Settings, SettingsError, load_settings, refuse_unsafe

CONFIG = resources.config()
AUTHORITY = '[[authority]]\ncode = "a"\nname = "Órgão A"\nzone = "America/Recife"\n'


def load(tmp_path: Path, *contents: str, environ: Mapping[str, str] | None = None) -> Settings:
    names = []
    for number, content in enumerate(contents):
        (tmp_path / f"{number}.toml").write_text(content, encoding="utf-8")
        names.append(f"{number}.toml")
    return load_settings(CONFIG, {"REGISTRY_CONFIG": ":".join(names), **(environ or {})}, tmp_path)


def refused(tmp_path: Path, content: str) -> str:
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, content)
    return str(raised.value)


def test_without_a_file_the_demonstration_of_recife():
    settings = load_settings(CONFIG, {}, Path("/somewhere"))
    assert settings.demo
    assert list(settings.authorities) == ["emtu", "recife"]
    assert settings.authority("emtu").regimes == ("fretamento_rmr",)
    assert settings.authority_of("taxi_recife") is settings.authority("recife")
    assert settings.authority_of("boats") is None
    assert str(settings.authority("recife").zone) == "America/Recife"
    assert len(settings.plugins) == 5
    assert settings.database_url == "sqlite:////somewhere/var/registry.db"


def test_what_was_set_up_lies_over_the_files_and_ends_the_demonstration(tmp_path: Path):
    var = tmp_path / "data"
    var.mkdir()
    (var / "setup.toml").write_text(AUTHORITY + '[server]\nsite = "https://a.example/"\n', encoding="utf-8")
    alone = load_settings(CONFIG, {"REGISTRY_VAR": "data"}, tmp_path)
    assert (list(alone.authorities), alone.demo, alone.site) == (["a"], False, "https://a.example")
    assert [path.name for path in alone.sources] == ["default.toml", "setup.toml"]
    over = load(
        tmp_path,
        "demo = true\n[session]\nidle_minutes = 5\n" + AUTHORITY.replace('"a"', '"b"'),
        environ={"REGISTRY_VAR": "data"},
    )
    assert (list(over.authorities), over.session.idle_minutes) == (["a"], 5)
    assert over.setup_file == var / "setup.toml"


def test_a_set_up_may_begin_where_nothing_is_configured(tmp_path: Path):
    bare = load_settings(CONFIG, {}, tmp_path, unset="")
    assert (dict(bare.authorities), bare.demo) == ({}, False)


def test_the_key_that_the_set_up_made_holds_where_nobody_configured_one(tmp_path: Path):
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret.key").write_text("of the set-up\n", encoding="utf-8")
    assert load(tmp_path, "").secret_key == "of the set-up"
    assert load(tmp_path, 'secret_key = "of the file"').secret_key == "of the file"
    assert load(tmp_path, "", environ={"REGISTRY_SECRET_KEY": "of the environment"}).secret_key == "of the environment"


def test_a_later_file_overrides_key_by_key_and_lists_whole(tmp_path: Path):
    settings = load(
        tmp_path,
        'plugins = ["x", "y"]\n[session]\nidle_minutes = 10\nlock_after = 3\n[readings.x]\na = 1\n' + AUTHORITY,
        'plugins = ["y"]\n[session]\nidle_minutes = 20\n[readings.x]\nb = 2\n',
    )
    assert settings.plugins == ("y",)
    assert (settings.session.idle_minutes, settings.session.lock_after, settings.session.lock_minutes) == (20, 3, 15)
    assert settings.readings["x"] == {"a": 1, "b": 2}
    assert settings.authority("a").short_name == "Órgão A"
    assert [path.name for path in settings.sources] == ["default.toml", "0.toml", "1.toml"]


def test_environment_outranks_files(tmp_path: Path):
    content = 'database_url = "sqlite:///file.db"\nsecret_key = "of the file"'
    assert load(tmp_path, content).database_url == "sqlite:///file.db"
    environ = {
        "REGISTRY_DATABASE_URL": "postgresql://db",
        "REGISTRY_SECRET_KEY": "of the environment",
        "REGISTRY_VAR": "data",
    }
    settings = load(tmp_path, content, environ=environ)
    assert (settings.database_url, settings.secret_key) == ("postgresql://db", "of the environment")
    assert settings.var == tmp_path / "data"


def test_secrets_are_not_shown(tmp_path: Path):
    shown = repr(load(tmp_path, 'database_url = "postgresql://u:p4ss@db"\nsecret_key = "s3cret"'))
    assert "p4ss" not in shown
    assert "s3cret" not in shown


def test_extends_builds_on_another_file_beside_it_or_shipped(tmp_path: Path):
    (tmp_path / "base.toml").write_text('extends = ["recife.toml"]\n[server]\nport = 1\nworkers = 7\n')
    settings = load(tmp_path, 'extends = ["base.toml"]\n[server]\nport = 2\n')
    assert (settings.port, settings.workers, "recife" in settings.authorities) == (2, 7, True)
    assert not settings.demo


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('secert_key = "x"', ["secert_key", "«secret_key»", "0.toml"]),
        ("[session]\nidel_minutes = 3", ["session.idel_minutes", "«session.idle_minutes»"]),
        ("[[authority]]\ncod = 'a'", ["authority.cod", "«authority.code»"]),
        ("zzz = 1", ["«zzz»", "config/default.toml"]),
        ("session = 3", ["session", "tabela"]),
        ("[session]\nidle_minutes = '3'", ["idle_minutes", "número inteiro"]),
        ("[session]\nidle_minutes = true", ["idle_minutes", "número inteiro"]),
        ("[session]\nidle_minutes = -1", ["idle_minutes"]),
        ("demo = 1", ["demo", "true ou false"]),
        ("plugins = 'taxi'", ["plugins", "lista"]),
        ("[permissions]\n'people.view' = 'atendente'", ["people.view", "lista"]),
        ("[money]\nrounding = 'up'", ["money.rounding", "half_even", "'up'"]),
        ("plugins = [", ["TOML"]),
        ("authority = 3", ["[[authority]]"]),
        ("[server]\nsite = 'registro.example'", ["site", "https://"]),
        (AUTHORITY.replace("America/Recife", "America/Recifi"), ["authority a", "America/Recifi"]),
        (AUTHORITY.replace("America/Recife", "../etc"), ["authority a", "../etc"]),
        (AUTHORITY + AUTHORITY, ["authority a", "repete"]),
        ("[[authority]]\ncode = 'a'\nzone = 'UTC'", ["authority a", "name"]),
        ('extends = ["nowhere.toml"]', ["nowhere.toml"]),
    ],
)
def test_refused_with_file_key_and_mend(tmp_path: Path, content: str, words: list[str]):
    message = refused(tmp_path, content)
    for word in words:
        assert word in message


def test_a_named_file_that_is_missing(tmp_path: Path):
    with pytest.raises(SettingsError, match=r"city\.toml"):
        load_settings(CONFIG, {"REGISTRY_CONFIG": "city.toml"}, tmp_path)


def test_every_shipped_file_loads(tmp_path: Path):
    for path in CONFIG.glob("*.toml"):
        if path.name != "default.toml":
            load_settings(CONFIG, {"REGISTRY_CONFIG": str(path)}, tmp_path)
    settings = load_settings(CONFIG, {"REGISTRY_CONFIG": ""}, tmp_path)
    assert (settings.plugins, dict(settings.authorities), settings.upload_limit) == ((), {}, 20 * 1024 * 1024)
    known = set(settings.roles)
    assert all(set(roles) <= known for roles in settings.permissions.values())


def test_every_key_of_the_defaults_stands_under_a_comment():
    commented = False
    for line in (CONFIG / "default.toml").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("["):
            commented = False
        elif line.startswith("#"):
            commented = True
        else:
            assert commented, line


def safe(tmp_path: Path) -> Settings:
    return replace(load(tmp_path, AUTHORITY), secret_key="x" * 32)


def test_safe_settings_pass(tmp_path: Path):
    refuse_unsafe(safe(tmp_path), has_demo_users=False)


@pytest.mark.parametrize("secret", [DEFAULT_SECRET, "", "x" * 15])
def test_a_default_or_short_secret_is_refused(tmp_path: Path, secret: str):
    with pytest.raises(SettingsError, match="REGISTRY_SECRET_KEY"):
        refuse_unsafe(replace(safe(tmp_path), secret_key=secret), has_demo_users=False)


def test_demonstration_is_refused_and_every_fault_named(tmp_path: Path):
    with pytest.raises(SettingsError) as raised:
        refuse_unsafe(replace(safe(tmp_path), secret_key=DEFAULT_SECRET, demo=True), has_demo_users=True)
    for word in ("REGISTRY_SECRET_KEY", "REGISTRY_CONFIG", "REGISTRY_DATABASE_URL"):
        assert word in str(raised.value)
    with pytest.raises(SettingsError):
        refuse_unsafe(safe(tmp_path), has_demo_users=True)

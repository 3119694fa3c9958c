"""``registry demo``: a registry full of invented records, ready to be clicked through."""

from __future__ import annotations

from pathlib import Path

import click

from registry.cli.console import Console, pass_console


def register(cli: click.Group) -> None:
    """Adds the command."""
    cli.add_command(demo)


@click.command()
@click.option("--fresh", is_flag=True, help="Apaga o banco da demonstração e enche de novo.")
@click.option("--serve/--no-serve", default=True, help="Abre o servidor depois de encher o banco.")
@click.option("--port", type=click.IntRange(1, 65535), help="Porta do servidor (padrão: a da configuração).")
@pass_console
def demo(console: Console, fresh: bool, serve: bool, port: int | None) -> None:
    """Enche o banco com registros inventados e abre o registro neste computador."""
    from registry.services.demo import PASSWORD, fill
    from registry.store.migrate import MigrationError, of_plugins, upgrade

    settings = console.settings
    if not settings.demo:
        if settings.setup_file.is_file():
            text = f"A pasta {settings.var} é de um órgão implantado. Use outra: REGISTRY_VAR=... registry demo"
            raise click.UsageError(text)
        raise click.UsageError("A configuração não é de demonstração. Não defina REGISTRY_CONFIG, ou use demo.toml.")
    file = console.store.sqlite_path()
    settings.var.mkdir(parents=True, exist_ok=True)
    unfinished = settings.var / "demo.unfinished"
    if fresh or unfinished.is_file():
        _forget(console, file)
    try:
        upgrade(console.store, of_plugins(console.host))
    except MigrationError as error:
        raise click.ClickException(str(error)) from error
    if _is_empty(console):
        click.echo("Enchendo o banco com registros inventados...")
        unfinished.touch()
        first = next(iter(settings.authorities.values()))
        filled = fill(console.desk, console.now(first.zone), lambda line: click.echo(f"  {line}"))
        unfinished.unlink()
        click.echo(f"  {sum(filled.permits.values())} outorgas em todas as situações")
    else:
        click.echo("O banco da demonstração já está cheio. Para recomeçar: registry demo --fresh")
    address = f"http://{settings.host}:{port or settings.port}"
    click.echo(f"\nConsulta pública: {address}/consulta\nEntrada de servidores: {address}/entrar")
    click.echo(f"Senha de todos: {PASSWORD}")
    for authority in settings.authorities.values():
        click.echo(f"  {authority.short_name}: {', '.join(f'{role}.{authority.code}' for role in settings.roles)}")
    if serve:
        from registry.cli.serve import run_development

        click.echo("\nPara parar: Ctrl+C")
        run_development(console, port)


def _forget(console: Console, file: Path | None) -> None:
    """Deletes the demonstration's own SQLite file; another kind of database is not ours to delete."""
    if file is None:
        raise click.UsageError(
            "Só o arquivo SQLite da demonstração se apaga daqui. Esvazie este banco você mesmo, "
            f"apague {console.settings.var / 'demo.unfinished'}, se existir, e rode registry demo de novo."
        )
    console.store.close()
    for suffix in ("", "-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def _is_empty(console: Console) -> bool:
    from sqlalchemy import select

    from registry.store.access import User

    with console.store.reading() as session:
        return session.execute(select(User.id).limit(1)).first() is None

"""The store: tables, engines, migrations, audit. The only place that speaks SQL schema."""

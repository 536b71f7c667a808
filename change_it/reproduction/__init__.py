"""The papers' tables: their plans as data (`plans.toml`), one runner, and the tables, published and measured."""

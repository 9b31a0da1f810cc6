"""The collection of all tables, to which each schema module adds its own."""

from sqlalchemy import MetaData

metadata = MetaData()

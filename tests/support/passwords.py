"""A password, and a hasher that is a thousand times as fast as the real one."""

from argon2 import PasswordHasher

PASSWORD = "correct horse battery"
FAST_HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

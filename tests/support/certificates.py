"""Certificates for the tests, good and bad, made by openssl."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support.packages import found, install

NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its key, as files."""

    pem: Path
    key: Path


class Authority:
    """Sign certificates; whoever trusts `root` trusts them."""

    def __init__(self, folder: Path) -> None:
        found(lambda: shutil.which("openssl"), lambda: install("openssl"))
        self._folder = folder
        self.root = self.self_signed("authority")

    def self_signed(self, name: str) -> Certificate:
        """Make a certificate that nobody else signed."""
        made = self._files(name)
        alternative = f"subjectAltName=DNS:{name}"
        self._run("req", "-x509", *NEW_KEY, *self._names(made, name), "-addext", alternative)
        return made

    def signed(self, name: str, *, days: int = 2) -> Certificate:
        """Make a certificate for a host that is good for so many days; it is over if negative."""
        made = self._files(f"{name}{days}")
        request, names = made.pem.with_suffix(".csr"), made.pem.with_suffix(".names")
        names.write_text(f"subjectAltName=DNS:{name}\n")
        self._run("req", *NEW_KEY, *self._names(Certificate(request, made.key), name))
        signer = ("-CA", self.root.pem, "-CAkey", self.root.key, "-CAcreateserial")
        ways = ("-req", "-in", request, "-out", made.pem, "-extfile", names)
        self._run("x509", *ways, *signer, "-days", str(days))
        return made

    def _files(self, name: str) -> Certificate:
        return Certificate(self._folder / f"{name}.pem", self._folder / f"{name}.key")

    def _names(self, made: Certificate, name: str) -> tuple[str | Path, ...]:
        return ("-keyout", made.key, "-out", made.pem, "-subj", f"/CN={name}")

    def _run(self, *arguments: str | Path) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)

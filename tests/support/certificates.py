"""Valid and invalid TLS certificates for tests, created with openssl."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support.packages import find_program

NEW_KEY_OPTIONS = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


@dataclass(frozen=True, slots=True)
class Certificate:
    """Paths of a certificate and its private key."""

    pem: Path
    key: Path


class CertificateAuthority:
    """A certificate authority; clients that trust `root` accept the certificates it signs."""

    def __init__(self, folder: Path) -> None:
        find_program("openssl", "openssl")
        self._folder = folder
        self.root = self.make_self_signed("authority")

    def make_self_signed(self, name: str) -> Certificate:
        """Create a self-signed certificate."""
        certificate = self._paths(name)
        alternative = f"subjectAltName=DNS:{name}"
        self._run(
            "req",
            "-x509",
            *NEW_KEY_OPTIONS,
            *self._output_options(certificate, name),
            "-addext",
            alternative,
        )
        return certificate

    def make_signed(self, name: str, *, days: int = 2) -> Certificate:
        """Create a certificate for a host, valid for `days` days (expired if negative)."""
        certificate = self._paths(f"{name}{days}")
        request, extensions = (
            certificate.pem.with_suffix(".csr"),
            certificate.pem.with_suffix(".names"),
        )
        extensions.write_text(f"subjectAltName=DNS:{name}\n")
        self._run(
            "req",
            *NEW_KEY_OPTIONS,
            *self._output_options(Certificate(request, certificate.key), name),
        )
        signer = ("-CA", self.root.pem, "-CAkey", self.root.key, "-CAcreateserial")
        options = ("-req", "-in", request, "-out", certificate.pem, "-extfile", extensions)
        self._run("x509", *options, *signer, "-days", str(days))
        return certificate

    def _paths(self, name: str) -> Certificate:
        return Certificate(self._folder / f"{name}.pem", self._folder / f"{name}.key")

    def _output_options(self, certificate: Certificate, name: str) -> tuple[str | Path, ...]:
        return ("-keyout", certificate.key, "-out", certificate.pem, "-subj", f"/CN={name}")

    def _run(self, *arguments: str | Path) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)

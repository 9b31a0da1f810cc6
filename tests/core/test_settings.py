"""Settings from the environment: errors in one sentence, and generated secrets."""

import tempfile
from pathlib import Path

import pytest

from twindow.core.db.database import Database
from twindow.core.secrets import write_private_file
from twindow.core.settings import Settings, SettingsError, load_settings, read_settings
from twindow.core.settings.settings import SECRETS


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name in Settings.__struct_fields__:
        monkeypatch.delenv(f"TWINDOW_{name.upper()}", raising=False)
    monkeypatch.setenv("TWINDOW_DATA_DIR", str(tmp_path / "data"))


WRONG = [
    ("PORT", "http", "TWINDOW_PORT=http cannot be used: it should be a whole number."),
    ("PORT", "99999", "TWINDOW_PORT=99999 cannot be used: it should be at most 65535."),
    ("WORKERS", "0", "TWINDOW_WORKERS=0 cannot be used: it should be at least 1."),
    ("API_URL", "twins.example", "TWINDOW_API_URL=twins.example cannot be used"),
    ("API_URL", "http://x", "TWINDOW_API_URL is set, so TWINDOW_API_KEY is needed as well."),
    ("API_URL", "http://x#y", "without blanks and #."),
    ("API_URL", "http://x y", "without blanks and #."),
    ("API_KEY", "…", "TWINDOW_API_KEY cannot be used: it should be a key: letters, digits"),
    ("API_KEY", "two words", "TWINDOW_API_KEY cannot be used: it should be a key: letters, digits"),
    ("MODEL_KEY", "...", "TWINDOW_MODEL_KEY cannot be used: it should be a key: letters, digits"),
    ("CA_FILE", "/nowhere.pem", "TWINDOW_CA_FILE=/nowhere.pem cannot be used: No such file or"),
    ("CA_FILE", __file__, "cannot be used: it is no PEM file with certificates."),
    ("OUTBOUND_PROXY", "socks5://u:secret@x", "TWINDOW_OUTBOUND_PROXY cannot be used: it should"),
    ("NO_PROXY", "x", "TWINDOW_NO_PROXY is set, so TWINDOW_OUTBOUND_PROXY is needed as well."),
    ("NO_PROXY", "10.0.0.0/33", "TWINDOW_NO_PROXY cannot be used: '10.0.0.0/33' does not appear"),
    ("API_KEY", "k", "TWINDOW_API_KEY is set, so TWINDOW_API_URL is needed as well."),
    ("SECRET_KEY", "short", "TWINDOW_SECRET_KEY is too short: 32 characters at least."),
    ("JWT_SECRET", "short", "TWINDOW_JWT_SECRET is too short: 32 characters at least."),
    ("TWINS_DIR", "/nowhere", "TWINDOW_TWINS_DIR=/nowhere is not a folder."),
    ("DATA_DIR", "/proc/nowhere", "TWINDOW_DATA_DIR=/proc/nowhere cannot be used: "),
    ("DATABASE_URL", "nonsense", "TWINDOW_DATABASE_URL cannot be used: it begins with neither"),
    ("DATABASE_URL", "x://y:secret@z", "TWINDOW_DATABASE_URL cannot be used: it begins with"),
    (
        "DATABASE_URL",
        "mysql+mysqldb://x/y",
        "TWINDOW_DATABASE_URL cannot be used: Twindow works with SQLite and PostgreSQL.",
    ),
    ("DATABASE_URL", "postgresql+asyncpg://x/y", "cannot be used: the package asyncpg is not"),
    ("MODEL", "x", "TWINDOW_MODEL is set, so TWINDOW_MODEL_URL is needed as well."),
    (
        "SIGN_IN",
        "password,magic",
        "cannot be used: “magic” is none of visitor, password, proxy, oidc.",
    ),
    (
        "SIGN_IN",
        "proxy",
        "so TWINDOW_PROXY_USER_HEADER and TWINDOW_PROXY_NETWORKS are needed as well.",
    ),
    ("LIMITS", ",", "TWINDOW_LIMITS=, cannot be used: write none for no limit."),
    ("LIMITS", "person=0/hour", "cannot be used: “person=0/hour” is not a limit such as person="),
    ("LIMITS", "people=1/hour", "The scopes are person, address, twin, site; the periods are"),
    ("LIMITS", "none, site=1/day", "cannot be used: “none” is not a limit such as person=120"),
    ("LIMITS", "site=1/day,site=2/day", "cannot be used: there are two limits for site and day."),
    ("SIGN_IN", ",", "TWINDOW_SIGN_IN=, cannot be used: it lists no mode."),
    ("SIGN_IN", "oidc", "TWINDOW_SIGN_IN contains oidc, so TWINDOW_OIDC_ISSUER is needed as well."),
    ("OIDC_ISSUER", "https://id.example", "so TWINDOW_SIGN_IN must contain oidc."),
    ("PROXY_NETWORKS", "*", "TWINDOW_PROXY_NETWORKS=* cannot be used: anyone could claim"),
    ("PROXY_NETWORKS", "10.0.0.1, 0.0.0.0/0", "cannot be used: anyone could claim any name"),
    ("PROXY_NETWORKS", "::/0", "TWINDOW_PROXY_NETWORKS=::/0 cannot be used: anyone could"),
    ("BANNER", "x" * 121, "cannot be used: it should be of length at most 120."),
    ("METRICS_FROM", "0.0.0.0/0", "cannot be used: anyone could read the metrics; list the"),
    ("FRAME_ANCESTORS", "http://example.org", "“http://example.org” should begin with https://"),
    ("FRAME_ANCESTORS", "https://*.example.org", "“https://*.example.org” should begin with"),
    ("FRAME_ANCESTORS", "https://a.example/x", "should be an origin such as https://example.org"),
    ("PROXY_USER_HEADER", "X_User", "cannot be used: it should be the name of a header"),
    ("ACCENT", "greenish", "TWINDOW_ACCENT=greenish cannot be used: it should be a colour of"),
    ("ACCENT", "red;}", "TWINDOW_ACCENT=red;} cannot be used: it should be a colour of CSS"),
    ("LOGO", "/nowhere.svg", "TWINDOW_LOGO=/nowhere.svg cannot be used: it cannot be read"),
    ("LOGO_HAS_NAME", "1", "TWINDOW_LOGO_HAS_NAME is set, so TWINDOW_LOGO is needed as well."),
    ("LOGO", __file__, "cannot be used: it should be a picture whose name ends in .svg"),
    (
        "FOOTER_LINKS",
        "Imprint",
        "“Imprint” should be written Label=https://…, Label=mailto:… or Label=/path.",
    ),
    ("FOOTER_LINKS", "A=javascript:x", "“javascript:x” should begin with https://, http://"),
    ("FOOTER_LINKS", "A=//evil.example", "“//evil.example” should begin with https://"),
    ("FOOTER_LINKS", "A=/\\evil.example", "should begin with https://"),
    ("FOOTER_LINKS", "A=/" + ",A=/" * 12, "it holds 13 links, and 12 are possible."),
    (
        "TRUSTED_PROXIES",
        "nginx",
        "TWINDOW_TRUSTED_PROXIES=nginx cannot be used: “nginx” is not an IP address or network.",
    ),
    ("port", "8000", "The variable TWINDOW_port must be written in capitals: TWINDOW_PORT."),
    ("SITE_NAME", "Gr\udcfc\udcdfe", "TWINDOW_SITE_NAME cannot be used: the text is not UTF-8."),
    ("POTR", "1", "TWINDOW_POTR is not a setting of Twindow; did you mean TWINDOW_PORT?"),
]


def test_settings_errors_name_the_wrong_setting():
    wrong = []
    for name, value, sentence in WRONG:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(f"TWINDOW_{name}", value)
            if sentence not in (message := error_of_load()):
                wrong.append((name, value, message))

    assert wrong == []


PROXY = {
    "sign_in": "proxy",
    "proxy_user_header": "X-Remote-User",
    "proxy_networks": "127.0.0.1",
}
JWKS = {"jwt_jwks_url": "https://id.example/jwks"}


CONTRADICTIONS: list[tuple[dict[str, object], str]] = [
    (JWKS, "TWINDOW_JWT_JWKS_URL is set, so TWINDOW_JWT_ISSUER is needed as well."),
    (
        JWKS | {"jwt_issuer": "x", "jwt_secret": "x" * 32},
        "TWINDOW_JWT_JWKS_URL and TWINDOW_JWT_SECRET exclude each other: set one.",
    ),
    (PROXY | {"proxy_groups_header": "x-remote-user"}, "must name different headers."),
    (PROXY | {"proxy_groups_header": "Cookie"}, "TWINDOW_PROXY_GROUPS_HEADER=Cookie cannot be"),
    (
        PROXY | {"proxy_user_header": "Origin"},
        "TWINDOW_PROXY_USER_HEADER=Origin cannot be used",
    ),
    (
        {"api_url": "https://anna:pw@x.example", "api_key": "k"},
        "TWINDOW_API_URL cannot be used: it should be like https://example.org/api, without",
    ),
    (
        {"twin_groups": "sales=sales"},
        "write the groups into the twin's file instead, in the field access, such as",
    ),
    ({"proxy_groups_header": "X-Groups"}, "so TWINDOW_SIGN_IN must contain proxy."),
]


def test_settings_that_contradict_each_other_are_an_error(tmp_path: Path):
    for values, sentence in CONTRADICTIONS:
        with pytest.raises(SettingsError) as error:
            load_settings({"data_dir": tmp_path} | values)

        assert sentence in str(error.value)


def test_existing_data_folder_becomes_readable_only_by_its_owner(tmp_path: Path):
    tmp_path.chmod(0o755)
    load_settings({"data_dir": tmp_path})

    assert tmp_path.stat().st_mode & 0o777 == 0o700


def error_of_load() -> str:
    try:
        load_settings()
    except SettingsError as error:
        return str(error)
    return "no error"


KUBERNETES = {
    "SERVICE_HOST": "10.96.0.7",
    "SERVICE_PORT": "80",
    "SERVICE_PORT_HTTP": "80",
    "PORT": "tcp://10.96.0.7:80",
    "PORT_80_TCP": "tcp://10.96.0.7:80",
    "PORT_80_TCP_PROTO": "tcp",
    "PORT_80_TCP_PORT": "80",
    "PORT_80_TCP_ADDR": "10.96.0.7",
    "PORTAL_SERVICE_HOST": "10.96.0.8",
    "PORTAL_PORT": "tcp://10.96.0.8:80",
}


def test_variables_of_kubernetes_services_are_ignored_with_one_log_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    for name, value in KUBERNETES.items():
        monkeypatch.setenv(f"TWINDOW_{name}", value)

    assert load_settings().port == 8000
    names = ", ".join(sorted(f"TWINDOW_{name}" for name in KUBERNETES))
    assert caplog.messages == [f"Ignoring variables of Kubernetes services: {names}."]


def test_settings_errors_do_not_contain_secrets(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TWINDOW_API_KEY", "canary")

    assert "TWINDOW_API_KEY" in error_of_load()
    assert "canary" not in error_of_load()


def test_secret_is_read_from_the_file_that_a_variable_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in SECRETS:
        value = "http://proxy.example:3128" if name == "outbound_proxy" else f"{name}-" * 9
        (tmp_path / name).write_text(f"{value}\n")
        monkeypatch.setenv(f"TWINDOW_{name.upper()}_FILE", str(tmp_path / name))
    (tmp_path / "database_url").write_text("sqlite:////tmp/any.db\n")
    monkeypatch.setenv("TWINDOW_API_URL", "http://service.example")
    monkeypatch.setenv("TWINDOW_MODEL_URL", "http://model.example")

    settings = read_settings()

    assert settings.database_url == "sqlite:////tmp/any.db"
    assert settings.outbound_proxy == "http://proxy.example:3128"
    assert settings.secret_key == "secret_key-" * 9
    assert (settings.api_key, settings.model_key) == ("api_key-" * 9, "model_key-" * 9)


def test_file_without_a_usable_secret_is_named_without_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "binary").write_bytes(b"canary\xff")
    (tmp_path / "short").write_text("canary")
    problems = {
        "missing": "cannot be read: No such file or directory.",
        ".": "cannot be read: Is a directory.",
        "empty": "is empty.",
        "binary": "cannot be used: it is not UTF-8.",
    }
    for name, problem in problems.items():
        monkeypatch.setenv("TWINDOW_SECRET_KEY_FILE", str(tmp_path / name))
        assert error_of_load() == f"TWINDOW_SECRET_KEY_FILE={tmp_path / name} {problem}"

    monkeypatch.setenv("TWINDOW_SECRET_KEY_FILE", str(tmp_path / "short"))
    assert "TWINDOW_SECRET_KEY" in error_of_load()
    assert "canary" not in error_of_load()
    monkeypatch.setenv("TWINDOW_SECRET_KEY", "x" * 32)
    assert "are both set: remove one" in error_of_load()


def test_value_is_read_as_text_without_the_blanks_around_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TWINDOW_API_URL", " http://x ")
    monkeypatch.setenv("TWINDOW_API_KEY", "0012345\n")

    settings = load_settings()
    assert (settings.api_url, settings.api_key) == ("http://x", "0012345")


def test_sqlite_database_is_in_a_data_folder_of_any_name(tmp_path: Path):
    folder = tmp_path / "50% of? 100%25 #1 \u00e4"
    folder.mkdir()
    database = Database(load_settings({"data_dir": folder}).database_url_for("portal"))
    with database.write():
        pass
    database.close()

    assert (folder / "portal.db").exists()


def test_temporary_files_are_in_the_data_folder_if_no_other_folder_is_writable(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/proc/nowhere"])
    settings = load_settings()

    assert tempfile.gettempdir() == str(settings.data_dir.resolve())


def test_generated_secrets_are_stable_and_readable_only_by_their_owner():
    settings = load_settings()
    secret = settings.secret("secret_key")

    assert load_settings().secret("secret_key") == secret
    assert len(secret) > 40
    assert (settings.data_dir / "secret_key").stat().st_mode & 0o777 == 0o600
    assert settings.data_dir.stat().st_mode & 0o777 == 0o700


def test_private_file_replaces_a_link_and_never_writes_to_its_target(tmp_path: Path):
    target, link = tmp_path / "target", tmp_path / "secret_key"
    link.symlink_to(target)

    write_private_file(link, "secret")

    assert (link.read_text(), link.is_symlink(), target.exists()) == ("secret", False, False)

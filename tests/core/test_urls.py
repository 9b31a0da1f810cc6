"""URLs for logs."""

from core.urls import without_credentials


def test_url_in_a_log_has_no_credentials():
    url = "https://someone:secret@twins.example:8443/api/v1?key=secret#secret"

    assert without_credentials(url) == "https://twins.example:8443/api/v1"

"""Sign-in with OpenID Connect: the provider, attempts to sign in, and who a person is."""

"""Names of the items of a session."""

CSRF_FIELD = "csrf_token"  # Flask-WTF's default
PREFERENCES_FIELD = "preferences"
# Id of the visitor that the browser is, or was before somebody signed in.
VISITOR_FIELD = "person"
# Id of the sign-in of a person with a password.
SIGN_IN_FIELD = "sign_in"
# Id of the person whom the proxy reported when the session began.
PROXY_PERSON_FIELD = "owner"
# Ids of the people who did not want the conversations of the visitor.
DECLINED_FIELD = "adoption_declined"

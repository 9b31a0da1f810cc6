"""Names of the items of a session."""

PREFERENCES_FIELD = "preferences"
# Id of the visitor. It stays in the session while a person is signed in.
VISITOR_FIELD = "visitor"
# Id of the sign-in of a person with a password.
SIGN_IN_FIELD = "sign_in"
# Ids of the people who declined to adopt the conversations of the visitor.
DECLINED_FIELD = "adoption_declined"
# The last day (since 1970) on which the lifetime of the session was extended.
EXTENDED_DAY_FIELD = "extended_day"

// A provider of OpenID Connect that others made, for one client: node provider.mjs PORT PORTAL_URL.
// Its login page accepts any name; the name is the subject.
import { Provider } from "oidc-provider";

const [port, portal] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, {
  clients: [{
    client_id: "twindow",
    client_secret: "a-secret",
    redirect_uris: [`${portal}/session/oidc`],
    post_logout_redirect_uris: [`${portal}/session/new`],
    backchannel_logout_uri: `${portal}/session/oidc/logout`,
    backchannel_logout_session_required: true,
  }],
  claims: { openid: ["sub", "sid"], profile: ["name", "groups"], email: ["email", "email_verified"] },
  cookies: { keys: ["a key"] },
  features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: `${id} Smith`, groups: ["staff"], email: `${id}@example.org`, email_verified: true }),
  }),
  pkce: { required: () => true },
});
provider.on("server_error", (_, error) => console.error(error));
provider.listen(Number(port), "127.0.0.1", () => console.log("Listening"));

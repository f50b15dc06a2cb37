import { hash } from "node:crypto";
import type { Provider, ProviderClient } from "../../identity/providers.ts";
import { isObject, readText } from "../../lib/json.ts";
import { boundedFetch } from "./bounded-fetch.ts";

const GITHUB = "https://github.com";

/**
 * Creates a client for GitHub, or for a GitHub of one's own. GitHub issues no ID tokens for people,
 * so the person is whoever the access token belongs to. The token is used once and forgotten.
 */
export function createGithubClient(provider: Provider): ProviderClient {
  const { issuer, clientId, clientSecret = "" } = provider;
  const api = issuer === GITHUB ? "https://api.github.com" : `${issuer}/api/v3`;

  async function read(path: string, token: string): Promise<unknown> {
    const response = await boundedFetch(`${api}${path}`, {
      headers: {
        Accept: "application/vnd.github+json",
        Authorization: `Bearer ${token}`,
        "User-Agent": "Latchkey",
        "X-GitHub-Api-Version": "2022-11-28",
      },
    });
    if (!response.ok) throw new Error(`GitHub answered ${response.status}`);
    return response.json();
  }

  return {
    async begin({ redirectUri, state, verifier }) {
      const url = new URL(`${issuer}/login/oauth/authorize`);
      url.search = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: "read:user user:email",
        state,
        code_challenge: hash("sha256", verifier, "base64url"),
        code_challenge_method: "S256",
        allow_signup: "false",
      }).toString();
      return url;
    },

    async finish(url, { redirectUri, state, verifier }) {
      const { searchParams } = url;
      const code = searchParams.get("code");
      if (searchParams.get("state") !== state) throw new Error("the state is another one");
      if (code === null) throw new Error(`GitHub has refused: ${searchParams.get("error")}`);
      const response = await boundedFetch(`${issuer}/login/oauth/access_token`, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new URLSearchParams({
          client_id: clientId,
          client_secret: clientSecret,
          code,
          redirect_uri: redirectUri,
          code_verifier: verifier,
        }),
      });
      const answer: unknown = await response.json();
      const token = isObject(answer) ? answer.access_token : undefined;
      if (typeof token !== "string") throw new Error("GitHub has issued no access token");
      const person = await read("/user", token);
      if (!isObject(person) || !Number.isSafeInteger(person.id))
        throw new Error("GitHub does not say who the person is");
      const email = findPrimaryEmail(await read("/user/emails", token));
      return {
        issuer,
        // The login can change, and somebody else can then have it.
        subject: String(person.id),
        username: readText(person.login),
        name: readText(person.name),
        email,
        emailIs: email === undefined ? "unverified" : "verified",
        groups: undefined,
        factors: 1,
      };
    },
  };
}

/** Returns the address that GitHub has verified and that the person has chosen. */
function findPrimaryEmail(emails: unknown): string | undefined {
  if (!Array.isArray(emails)) return undefined;
  const primary = emails.find(
    (one) => isObject(one) && one.primary === true && one.verified === true,
  );
  return readText(primary?.email);
}

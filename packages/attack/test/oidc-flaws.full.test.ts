import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { Answer } from "../../../test/support/client.ts";
import { findTarget } from "../src/find.ts";
import { freshSession } from "../src/people.ts";
import { runAttacks } from "../src/run.ts";
import type { Account } from "../src/target.ts";
import { endingAt } from "./flaws.ts";
import {
  answerJson,
  answerRedirect,
  asClient,
  type Flawed,
  hideSecond,
  type Pass,
  type Passing,
  remember,
  startFlawed,
  withHeaders,
  withParameters,
} from "./oidc-flawed.ts";
import { ISSUER, type OidcGates, startOidcGates } from "./oidc-gates.ts";
import { ALL_NEEDS, attackNamed } from "./run-attack.ts";

/** A server with one flaw, and the finding that the attack must report. */
interface Flaw {
  readonly attack: string;
  readonly what: string;
  /** Makes the flaw, with a memory of its own. */
  readonly flawed: () => Flawed;
  readonly finding: RegExp;
}

const TOKEN = "/oidc/token";
const AUTHORIZE = "/oidc/authorize";
/** A person enters the code of a device here. */
const DEVICE = "/login/device";
/** A device asks for a code here. */
const DEVICE_CODE = "/oidc/device";
const LOGOUT = "/oidc/logout";

const codeIn = ({ path, form }: Passing) => (path === TOKEN && form.get("code")) || undefined;
const refreshIn = ({ path, form }: Passing) =>
  (path === TOKEN && form.get("refresh_token")) || undefined;
const deviceIn = ({ path, form }: Passing) =>
  (path === TOKEN && form.get("device_code")) || undefined;

/** A device that waits is told so each time. */
const pendingAgain =
  (flawed: Flawed): Flawed =>
  async (request, pass, gates) =>
    deviceIn(request) === undefined ? pass(request) : flawed(request, pass, gates);

/** Changes the requests for one path. */
const changing =
  (path: string, change: (request: Passing, gates: OidcGates) => Passing): (() => Flawed) =>
  () =>
  (request, pass, gates) =>
    pass(request.path === path ? change(request, gates) : request);

/** Repeats a refused request for one path in other ways. */
const insisting =
  (
    path: string,
    ways: (request: Passing, gates: OidcGates) => readonly Passing[],
  ): (() => Flawed) =>
  () =>
  async (request, pass, gates) => {
    const answer = await pass(request);
    if (request.path !== path || answer.status < 400) return answer;
    for (const way of ways(request, gates)) {
      const other = await pass(way);
      if (other.status < 400) return other;
    }
    return answer;
  };

/** Changes the answers to requests for one path. */
const answering =
  (path: string, change: (answer: Answer, request: Passing) => Answer): (() => Flawed) =>
  () =>
  async (request, pass) => {
    const answer = await pass(request);
    return request.path === path ? change(answer, request) : answer;
  };

const withLocation = (answer: Answer, change: (url: URL) => void): Answer => {
  if (answer.location === undefined || !URL.canParse(answer.location)) return answer;
  const url = new URL(answer.location);
  change(url);
  return { ...answer, headers: { ...answer.headers, location: url.href }, location: url.href };
};

/** Takes redirects that a flawed comparison takes for the registered one. */
const comparing = (equals: (given: string, registered: string) => boolean): (() => Flawed) =>
  changing(AUTHORIZE, (request, { clients }) => {
    const given = request.query.get("redirect_uri") ?? "";
    const { redirect } = clients.find(({ id }) => id === request.query.get("client_id")) ?? {};
    const isTaken = redirect !== undefined && equals(given, redirect);
    return isTaken ? withParameters(request, { redirect_uri: redirect }) : request;
  });

const withCookie = (request: Passing, cookie: string): Passing =>
  withHeaders(request, { cookie: `${cookie}; ${request.headers.cookie ?? ""}` });

const lastPart = (path: string): string => path.split("/").at(-1) ?? "";

const claimsOf = (token: string): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()));
  } catch {
    return {};
  }
};

/** Does not verify the signature of an ID token. */
const trustingHints: Flawed = (request, pass) => {
  const { aud } = claimsOf(request.query.get("id_token_hint") ?? "");
  const isOwn = aud === request.query.get("client_id") || request.path === LOGOUT;
  return pass(isOwn && aud ? withParameters(request, { id_token_hint: undefined }) : request);
};

/** Sends a form with the secret that the page has for the browser. */
const withSecretOf = async (page: string, request: Passing, pass: Pass): Promise<Passing> => {
  const asked = { ...request, path: page, method: "GET", form: new URLSearchParams() };
  const { body } = await pass(withHeaders(asked, { "content-type": undefined }));
  const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(body) ?? [];
  return withParameters(request, { xsrf });
};

const postForm = (request: Passing, path: string, form: Record<string, string>): Passing => ({
  ...request,
  ...{ path, method: "POST", query: new URLSearchParams(), form: new URLSearchParams(form) },
  headers: { ...request.headers, "content-type": "application/x-www-form-urlencoded" },
});

const flaws: readonly Flaw[] = [
  {
    attack: "oidc-codes",
    what: "gives tokens for a code to all requests at once",
    flawed: () => remember(codeIn),
    finding: /a code gives tokens to \d of 8 requests at once/,
  },
  {
    attack: "oidc-codes",
    what: "refuses the second use of a code and keeps the tokens of the first",
    flawed: () => hideSecond(codeIn),
    finding: /the access token still works after (8 uses|the second use) of a code/,
  },
  {
    attack: "oidc-codes",
    what: "gives tokens for a refresh token again",
    flawed: () => remember(refreshIn),
    finding: /a refresh token gives tokens (to \d of 8 requests at once|again)/,
  },
  {
    attack: "oidc-codes",
    what: "refuses the second use of a refresh token and keeps its tokens",
    flawed: () => hideSecond(refreshIn),
    finding: /still works after (8 uses|the second use) of a refresh token/,
  },
  {
    attack: "oidc-codes",
    what: "does not compare the client of a code",
    flawed: insisting(TOKEN, (request, gates) =>
      gates.clients.map(({ id }) => asClient(request, gates, id)),
    ),
    finding: /a code is taken from the client files for the client photos/,
  },
  {
    attack: "oidc-codes",
    what: "does not compare the client of a refresh token",
    flawed: insisting(TOKEN, (request, gates) =>
      refreshIn(request) ? gates.clients.map(({ id }) => asClient(request, gates, id)) : [],
    ),
    finding: /a refresh token is taken from the client phone for the client photos/,
  },
  {
    attack: "oidc-codes",
    what: "does not compare the redirect of a code",
    flawed: insisting(TOKEN, (request, { clients }) =>
      clients.map(({ redirect }) => withParameters(request, { redirect_uri: redirect })),
    ),
    finding: /a code is taken with the redirect https:/,
  },
  {
    attack: "oidc-codes",
    what: "ignores the challenge of a client with a secret",
    flawed: () => (request, pass) => {
      const isPhotos = request.query.get("client_id") === "photos" || request.headers.authorization;
      const without = { code_challenge: undefined, code_challenge_method: undefined };
      return pass(
        isPhotos ? withParameters(request, { ...without, code_verifier: undefined }) : request,
      );
    },
    finding: /a code of the client photos is taken without the verifier/,
  },
  {
    attack: "oidc-codes",
    what: "ignores the verifier of a code without a challenge",
    flawed: insisting(TOKEN, (request) => [withParameters(request, { code_verifier: undefined })]),
    finding: /a code without a challenge is taken with a verifier/,
  },
  {
    attack: "oidc-codes",
    what: "lets a public client leave the challenge out",
    flawed: changing(AUTHORIZE, (request) =>
      request.query.has("code_challenge")
        ? request
        : withParameters(request, {
            ...{ code_challenge: "x".repeat(43), code_challenge_method: "S256" },
          }),
    ),
    finding: /the client phone gets a code with no challenge/,
  },
  {
    attack: "oidc-codes",
    what: "accepts the method plain",
    flawed: changing(AUTHORIZE, (request) =>
      request.query.get("code_challenge_method") === "plain"
        ? withParameters(request, { code_challenge_method: "S256" })
        : request,
    ),
    finding: /gets a code with the method plain/,
  },
  {
    attack: "oidc-clients",
    what: "describes tokens to everybody",
    flawed: changing("/oidc/introspect", (request, gates) => asClient(request, gates, "photos")),
    finding: /an access token is described to a request with nothing/,
  },
  {
    attack: "oidc-clients",
    what: "describes tokens to other apps",
    flawed: changing("/oidc/introspect", (request, gates) =>
      request.headers.authorization ? asClient(request, gates, "photos") : request,
    ),
    finding: /is described to a request with the client files/,
  },
  {
    attack: "oidc-clients",
    what: "lets everybody revoke tokens",
    flawed: changing("/oidc/revoke", (request, gates) => asClient(request, gates, "photos")),
    finding: /is revoked by a request with/,
  },
  {
    attack: "oidc-clients",
    what: "needs no secret for a code",
    flawed: changing(TOKEN, (request, gates) =>
      request.form.get("client_id") === "photos" ? asClient(request, gates, "photos") : request,
    ),
    finding: /a code gives tokens with its ID alone/,
  },
  {
    attack: "oidc-clients",
    what: "accepts pushed requests of everybody",
    flawed: changing("/oidc/par", (request, gates) =>
      withParameters(asClient(request, gates, "photos"), { client_id: "photos" }),
    ),
    finding: /the pushed_authorization_request_endpoint accepts a request with/,
  },
  ...(
    [
      ["compares only the start of a redirect", (one, own) => one.startsWith(own), /callback\/x/],
      [
        "compares redirects without case",
        (one, own) => one.toLowerCase() === own.toLowerCase(),
        /PHOTOS\.EXAMPLE/,
      ],
      [
        "searches a redirect for the host of the app",
        (one, own) => one.includes(new URL(own).host),
        /photos\.example\.test\.elsewhere\.example/,
      ],
      [
        "compares redirects as a URL parser reads them",
        (one, own) => URL.parse(one)?.href === own,
        /photos: "https:\/\/photos\.example\.test\/x\/\.\.\/callback"/,
      ],
      [
        "compares hosts and paths only",
        (one, own) => {
          const [given, registered] = [URL.parse(one), new URL(own)];
          return given?.host === registered.host && given.pathname === registered.pathname;
        },
        /user:password@photos/,
      ],
      [
        "ignores the port of a redirect",
        (one, own) => URL.parse(one)?.hostname === new URL(own).hostname,
        /photos: "https:\/\/photos\.example\.test:8443\/callback"/,
      ],
      ["accepts scripts as redirects", (one) => one.startsWith("javascript:"), /javascript:alert/],
      ["accepts data as redirects", (one) => one.startsWith("data:"), /data:text/],
      [
        "decodes redirects",
        (one, own) => {
          try {
            return decodeURIComponent(one) === own;
          } catch {
            return false;
          }
        },
        /%2e/,
      ],
    ] as const satisfies readonly (readonly [string, Parameters<typeof comparing>[0], RegExp])[]
  ).map(
    ([what, equals, finding]): Flaw => ({
      ...{ attack: "oidc-redirects", what, flawed: comparing(equals), finding },
    }),
  ),
  {
    attack: "oidc-redirects",
    what: "sends errors to addresses that nobody has registered",
    flawed: () => async (request, pass) => {
      const answer = await pass(request);
      const uri = request.query.get("redirect_uri") ?? "";
      const isRefused = answer.status === 400 && request.query.get("scope") === "unknown";
      return isRefused && URL.canParse(uri)
        ? answerRedirect(`${new URL(uri).href}?error=x`)
        : answer;
    },
    finding: /an error goes to/,
  },
  {
    attack: "oidc-responses",
    what: "changes the state",
    flawed: answering(AUTHORIZE, (answer) =>
      withLocation(answer, ({ searchParams }) =>
        searchParams.set("state", searchParams.get("state")?.trim().slice(0, 1_000) ?? ""),
      ),
    ),
    finding: /the state .* returns changed/,
  },
  {
    attack: "oidc-responses",
    what: "names no issuer",
    flawed: answering(AUTHORIZE, (answer) =>
      withLocation(answer, ({ searchParams }) => searchParams.delete("iss")),
    ),
    finding: /a response names another issuer/,
  },
  {
    attack: "oidc-responses",
    what: "writes another nonce into ID tokens",
    flawed: changing(AUTHORIZE, (request) => withParameters(request, { nonce: "another" })),
    finding: /the nonce .* returns changed/,
  },
  {
    attack: "oidc-responses",
    what: "does not escape the state in a form",
    flawed: answering(AUTHORIZE, (answer) => ({
      ...answer,
      body: answer.body
        .replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
        .replace(/&#(\d+);/g, (_, decimal) => String.fromCodePoint(Number(decimal)))
        .replace(/&quot;/g, '"')
        .replace(/&lt;/g, "<")
        .replace(/&gt;/g, ">"),
    })),
    finding: /is reflected unescaped/,
  },
  {
    attack: "oidc-responses",
    what: "takes each response type for a code",
    flawed: changing(AUTHORIZE, (request) => withParameters(request, { response_type: "code" })),
    finding: /\{"response_type":"token"\} gives a code/,
  },
  {
    attack: "oidc-responses",
    what: "takes each response mode for a query",
    flawed: changing(AUTHORIZE, (request) =>
      withParameters(request, {
        response_mode: request.query.has("response_mode") ? "query" : undefined,
      }),
    ),
    finding: /\{"response_mode":"web_message"\} gives a code/,
  },
  {
    attack: "oidc-devices",
    what: "does not wait for an approval",
    flawed: () => async (request, pass) =>
      deviceIn(request) ? answerJson({ access_token: "x" }) : pass(request),
    finding: /gets tokens for a device code before anybody approves it/,
  },
  {
    attack: "oidc-devices",
    what: "does not check the secret of its form",
    flawed: () => async (request, pass) =>
      pass(
        request.path === DEVICE && request.method === "POST"
          ? await withSecretOf(DEVICE, request, pass)
          : request,
      ),
    finding: /that another site approves/,
  },
  {
    attack: "oidc-devices",
    what: "approves a device by a link",
    flawed: () => async (request, pass) => {
      if (request.path !== DEVICE || !request.query.has("confirm")) return pass(request);
      const form = Object.fromEntries(request.query);
      return pass(
        await withSecretOf(
          DEVICE,
          withHeaders(postForm(request, DEVICE, form), { "sec-fetch-site": "same-origin" }),
          pass,
        ),
      );
    },
    finding: /that a link approves/,
  },
  {
    attack: "oidc-devices",
    what: "does not compare the client of a device code",
    flawed: insisting(TOKEN, (request, gates) =>
      deviceIn(request) ? gates.clients.map(({ id }) => asClient(request, gates, id)) : [],
    ),
    finding: /an approved device code gives tokens to the client files/,
  },
  {
    attack: "oidc-devices",
    what: "needs no secret for a device code",
    flawed: changing(TOKEN, (request, gates) =>
      request.form.get("client_id") === "photos" ? asClient(request, gates, "photos") : request,
    ),
    finding: /gives tokens without the secret of its client/,
  },
  {
    attack: "oidc-devices",
    what: "gives tokens for a device code again",
    flawed: () => {
      const known = new Map<string, Answer>();
      return pendingAgain(async (request, pass) => {
        const key = deviceIn(request) ?? "";
        const answer = known.get(key) ?? (await pass(request));
        if (answer.status === 200) known.set(key, answer);
        return answer;
      });
    },
    finding: /a device code gives tokens again/,
  },
  {
    attack: "oidc-devices",
    what: "compares only the start of what a person enters",
    flawed: () => {
      let shown = "";
      return async (request, pass) => {
        const entered = request.form.get("user_code") ?? "";
        const isClose = request.path === DEVICE && entered.slice(0, 5) === shown.slice(0, 5);
        const answer = await pass(
          isClose ? withParameters(request, { user_code: shown }) : request,
        );
        if (request.path === DEVICE_CODE) shown = JSON.parse(answer.body).user_code ?? "";
        return answer;
      };
    },
    finding: /a guessed code is taken/,
  },
  ...(
    [
      ["takes ID tokens as access tokens", "an ID token is taken as an access token"],
      ["takes sessions as access tokens", "a session is taken as an access token"],
    ] as const
  ).map(
    ([what, finding]): Flaw => ({
      attack: "oidc-purposes",
      what,
      flawed: () => async (request, pass) => {
        const isJwt = /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/.test(request.headers.authorization ?? "");
        return request.path === "/oidc/me" || (request.path === "/oidc/userinfo" && isJwt)
          ? answerJson({ sub: "x" })
          : pass(request);
      },
      finding: new RegExp(finding),
    }),
  ),
  {
    attack: "oidc-purposes",
    what: "takes any token as a refresh token",
    flawed: () => async (request, pass) => {
      const answer = await pass(request);
      return refreshIn(request) && answer.status !== 200
        ? answerJson({ access_token: "x" })
        : answer;
    },
    finding: /an access token is taken as a refresh token/,
  },
  {
    attack: "oidc-purposes",
    what: "says that any token is valid",
    flawed: answering("/oidc/introspect", (answer) => ({
      ...answer,
      ...answerJson({ active: true }),
    })),
    finding: /a session is taken as a token that is valid/,
  },
  {
    attack: "oidc-hints",
    what: "does not verify the signature of a hint",
    flawed: () => trustingHints,
    finding:
      /at a sign-in: alg "none" without a signature[\s\S]*at a sign-in: HS256 with the public key as PEM/,
  },
  {
    attack: "oidc-hints",
    what: "does not verify the signature of a hint at a sign-out",
    flawed: () => (request, pass, gates) =>
      request.path === LOGOUT ? trustingHints(request, pass, gates) : pass(request),
    finding: /at a sign-out: another key in the header/,
  },
  {
    attack: "oidc-steps",
    what: "lets any browser continue a sign-in",
    flawed: () => (request, pass) => {
      const id = lastPart(request.path);
      if (request.path.startsWith("/oidc/interaction/"))
        return pass(withCookie(request, `latchkey-oidc-interaction=${id}`));
      return pass(
        request.path.startsWith(`${AUTHORIZE}/`)
          ? withCookie(request, `latchkey-oidc-resume=${id}`)
          : request,
      );
    },
    finding: /a user continues a sign-in that another browser has begun/,
  },
  {
    attack: "oidc-steps",
    what: "gives the code to any browser that knows the address",
    flawed: () => {
      const agreed = new Map<string, string>();
      return (request, pass) => {
        const id = lastPart(request.path);
        const [session] = /session=[^;]+/.exec(request.headers.cookie ?? "") ?? [];
        if (session !== undefined) agreed.set(id, session);
        const isResumed = request.path.startsWith(`${AUTHORIZE}/`);
        const known = `latchkey-oidc-resume=${id}; ${agreed.get(id) ?? ""}`;
        return pass(isResumed ? withCookie(request, known) : request);
      };
    },
    finding: /another browser gets the code that a user has agreed to/,
  },
  {
    attack: "oidc-steps",
    what: "accepts the consent of another site",
    flawed: () => (request, pass) =>
      pass(withHeaders(request, { "sec-fetch-site": undefined, origin: undefined })),
    finding: /a form of another site agrees/,
  },
  {
    attack: "oidc-steps",
    what: "accepts the consent in a link",
    flawed: () => (request, pass) =>
      pass(
        request.query.has("answer")
          ? withHeaders(postForm(request, request.path, { answer: "yes" }), {
              "sec-fetch-site": "same-origin",
            })
          : request,
      ),
    finding: /a link agrees/,
  },
  {
    attack: "oidc-steps",
    what: "agrees whatever the person says",
    flawed: () => (request, pass) =>
      pass(
        request.path.startsWith("/oidc/interaction/") && request.method === "POST"
          ? withParameters(request, { answer: "yes" })
          : request,
      ),
    finding: /a person who cancels agrees/,
  },
  {
    attack: "oidc-steps",
    what: "takes a session as a cookie of the provider",
    flawed: () => (request, pass) => {
      const [, session] = /latchkey-oidc=([^;]+)/.exec(request.headers.cookie ?? "") ?? [];
      return pass(session === undefined ? request : withCookie(request, `session=${session}`));
    },
    finding: /a session signs in as a cookie of the provider/,
  },
  {
    attack: "oidc-steps",
    what: "does not compare the client of a pushed request",
    flawed: changing(AUTHORIZE, (request) =>
      request.query.has("request_uri") ? withParameters(request, { client_id: "photos" }) : request,
    ),
    finding: /the client files uses the pushed request of the client photos/,
  },
  {
    attack: "oidc-steps",
    what: "accepts a pushed request again",
    flawed: () => {
      const known = new Map<string, Answer>();
      return async (request, pass) => {
        const key = request.path === AUTHORIZE ? request.query.get("request_uri") : null;
        const answer = known.get(key ?? "") ?? (await pass(request));
        if (key !== null && /[?&]code=/.test(answer.location ?? "")) known.set(key, answer);
        return answer;
      };
    },
    finding: /a pushed request gives a code again/,
  },
  {
    attack: "oidc-steps",
    what: "does not ask who may open an app",
    flawed: () => async (request, pass) =>
      request.query.get("client_id") === "family"
        ? answerRedirect("https://family.example.test/callback?code=x")
        : pass(request),
    finding: /a person who may not open an app gets a code for it/,
  },
  {
    attack: "oidc-sign-out",
    what: "returns to any address after a sign-out",
    flawed: () => async (request, pass) => {
      const uri = request.query.get("post_logout_redirect_uri") ?? "";
      return request.path === LOGOUT && URL.canParse(uri)
        ? answerRedirect(new URL(uri).href)
        : pass(request);
    },
    finding: /with no client, a sign-out goes to/,
  },
  {
    attack: "oidc-sign-out",
    what: "returns to the address of another client",
    flawed:
      () =>
      async (request, pass, { clients }) => {
        const uri = request.query.get("post_logout_redirect_uri") ?? "";
        return clients.some(({ signOutRedirect }) => signOutRedirect === uri)
          ? answerRedirect(uri)
          : pass(request);
      },
    finding: /with the ID of another client, a sign-out goes to the address of an app/,
  },
  {
    attack: "oidc-sign-out",
    what: "does not check the secret of its form",
    flawed: () => async (request, pass) => {
      const answer = await pass(request);
      const isRefused = request.path === `${LOGOUT}/confirm` && answer.status === 400;
      if (!isRefused || request.method !== "POST") return answer;
      return pass(await withSecretOf(LOGOUT, request, pass));
    },
    finding: /a form without its secret signs a user out/,
  },
  {
    attack: "oidc-hosts",
    what: "reads its issuer from a header",
    flawed: () => async (request, pass) => {
      const answer = await pass(request);
      const host = request.headers["x-forwarded-host"];
      if (host === undefined || !request.path.startsWith("/.well-known/")) return answer;
      return { ...answer, body: answer.body.replaceAll(ISSUER, `https://${host}`) };
    },
    finding: /the discovery names another host with X-Forwarded-Host/,
  },
  {
    attack: "oidc-hosts",
    what: "sends devices to the requested host",
    flawed: answering(DEVICE_CODE, (answer, { headers }) => ({
      ...answer,
      body: answer.body.replaceAll(ISSUER, `https://${headers.host}`),
    })),
    finding: /a device is sent to another host with Host/,
  },
  {
    attack: "oidc-hosts",
    what: "names the requested host as issuer in responses",
    flawed: answering(AUTHORIZE, (answer, { headers }) =>
      withLocation(answer, ({ searchParams }) => {
        const host = headers["x-forwarded-host"];
        if (searchParams.has("iss") && host !== undefined)
          searchParams.set("iss", `https://${host}`);
      }),
    ),
    finding: /a response names another issuer with X-Forwarded-Host/,
  },
  {
    attack: "oidc-requests",
    what: "fails on a line break",
    flawed: answering(AUTHORIZE, (answer, { form }) =>
      /[\r\n]/.test(form.toString().replace(/%0[ad]/gi, "\n"))
        ? { ...answer, status: 500 }
        : answer,
    ),
    finding: /with line breaks in its client: status 500/,
  },
  {
    attack: "oidc-requests",
    what: "adds a header from a request",
    flawed: answering(AUTHORIZE, (answer, { form }) =>
      form.get("state")?.includes("X-Forged")
        ? { ...answer, headers: { ...answer.headers, "x-forged": "1" } }
        : answer,
    ),
    finding: /with raw line breaks: adds a header/,
  },
  {
    attack: "oidc-ends",
    what: "remembers whom a token is about",
    flawed: () =>
      remember(({ path, headers }) =>
        path === "/oidc/userinfo" ? headers.authorization : undefined,
      ),
    finding: /the access token still works after the removal of an account/,
  },
  {
    attack: "oidc-ends",
    what: "gives tokens for a code of somebody who is gone",
    flawed: () => async (request, pass) => {
      const answer = await pass(request);
      return codeIn(request) && answer.status !== 200 ? answerJson({ access_token: "x" }) : answer;
    },
    finding: /a code still gives tokens after a sign-out/,
  },
];

const closing: (() => unknown)[] = [];

after(async () => {
  for (const close of closing.reverse()) await close();
});

/** All flawed servers pass requests to the same gate, with the same first account. */
const gates = await startOidcGates({
  after: (close: () => unknown) => closing.push(close),
} as unknown as TestContext);
const account = await setUp(gates);

async function setUp({ url }: OidcGates): Promise<Account | undefined> {
  const target = await findTarget({ url, guarded: [], fresh: true });
  const attack = attackNamed("setup-race");
  await runAttacks(target, { attacks: [attack], granted: ALL_NEEDS, withinMs: 60_000 });
  return target.account;
}

for (const { attack: name, what, flawed, finding } of flaws) {
  test(`${name} detects a server that ${what}`, async (t) => {
    const { clients } = gates;
    const url = await startFlawed(t, gates, flawed());
    const target = await findTarget({ url, guarded: [], fresh: false, clients });
    target.account = account;
    target.account = await freshSession(target);
    const [result] = await runAttacks(target, {
      attacks: [endingAt(attackNamed(name), finding)],
      granted: ALL_NEEDS,
      withinMs: 60_000,
    });
    assert.match(result?.findings.join("\n") ?? "", finding);
    assert.equal(result?.outcome, "got-through");
  });
}

import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import type { HttpResponse } from "../http/response.ts";
import { NoResponse } from "../http/wire.ts";
import { type Asking, Browser, pathOf, sendTo } from "../oidc/browser.ts";
import { requireClients } from "../oidc/clients.ts";
import { openScene } from "../oidc/scene.ts";
import { authenticate } from "../oidc/tokens.ts";
import { runsMarkup } from "./oidc-responses.ts";

const FORGED = '\r\n{"level":"info","msg":"forged"}\r\n\u001b[2J\u0007\u009b31m';

/** No correct request takes longer. */
const MAX_MS = 3_000;

const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "userinfo_endpoint",
  "introspection_endpoint",
  "revocation_endpoint",
  "device_authorization_endpoint",
  "pushed_authorization_request_endpoint",
  "end_session_endpoint",
  "jwks_uri",
];

const NAMES = [
  ..."client_id redirect_uri scope state nonce response_type response_mode prompt".split(" "),
  ..."grant_type code token refresh_token device_code user_code xsrf claims id_token_hint".split(
    " ",
  ),
  ..."request_uri post_logout_redirect_uri logout_hint max_age acr_values login_hint".split(" "),
];

export const oidcRequests: Attack = {
  name: "oidc-requests",
  about: "very long, very many, malformed and repeated parameters, and line breaks that are logged",
  meaning: "An attacker makes the server fail, or adds lines to its log or its responses.",
  noun: "requests",
  verb: "broke something",
  needs: ["account", "clients"],

  async run(target, tally) {
    const { app } = requireClients(target);
    const { provider, session } = await openScene(target);
    const bodies = bodiesFor(app.id, app.redirect);
    const paths = ENDPOINTS.flatMap((name) => {
      const path = pathOf(provider, name);
      return name === "end_session_endpoint" ? [path, `${path}/confirm`] : [path];
    });
    paths.push(`${paths[0]}/x`, "/oidc/device", "/oidc/interaction/x", "/oidc/", "/oidc/x");
    const cases = paths.flatMap((path) =>
      bodies.map(([what, body]) => [path, what, body] as const),
    );
    const check = (name: string, response: HttpResponse, startedAt: number): void => {
      const { status, headers } = response;
      const took = performance.now() - startedAt;
      if (status >= 500) tally.gotThrough(`${name}: status ${status}`);
      if (took > MAX_MS) tally.gotThrough(`${name}: takes ${Math.round(took)} ms`);
      if (headers.some(([key]) => /^x-forged$/i.test(key)) || runsMarkup(response))
        tally.gotThrough(`${name}: adds a header or markup to the response`);
    };
    await forEach(cases, CONCURRENCY, async ([path, what, body]) => {
      const sendings: readonly (readonly [string, Asking])[] = [
        ["POST", { path, body, headers: { ...FORM, ...authenticate(app).headers } }],
        ...(body.length < 12_000 && /^[!-~]*$/.test(body)
          ? [["GET", { path: `${path}?${body}` }] as const]
          : []),
      ];
      for (const [method, asking] of sendings) {
        tally.tried();
        const startedAt = performance.now();
        const browser = new Browser(target, provider, session);
        try {
          check(`${method} ${path} with ${what}`, await browser.ask(asking), startedAt);
        } catch (error) {
          if (!(error instanceof NoResponse)) throw error;
          tally.gotThrough(`${method} ${path} with ${what}: ${error.message}`);
        }
      }
    });
    const authorizations = [
      "Bearer",
      "Bearer ",
      `Bearer ${"x".repeat(4_000)}`,
      "Basic %%%",
      "Basic Og==",
      `Basic ${Buffer.from("%:%").toString("base64")}`,
      `Basic ${Buffer.from("\0:\0").toString("base64")}`,
      `Basic ${Buffer.from("__proto__:constructor").toString("base64")}`,
      "DPoP x",
      "x".repeat(4_000),
    ];
    for (const path of paths) {
      for (const Authorization of authorizations) {
        tally.tried();
        const form = { token: "x", grant_type: "authorization_code" };
        const response = await sendTo(target, { path, form, headers: { Authorization } });
        check(`POST ${path} with ${Authorization.slice(0, 30)}`, response, performance.now());
      }
      for (const method of ["PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]) {
        tally.tried();
        const response = await sendTo(target, { path, method });
        check(`${method} ${path}`, response, performance.now());
      }
    }
    for (const line of (target.access?.serverLog() ?? "").split("\n")) {
      if (line === "") continue;
      tally.tried();
      if (/\p{Cc}/u.test(line) || /^\{"level":"info","msg":"forged"/.test(line))
        tally.gotThrough(`a forged line in the log: ${line.slice(0, 80)}`);
    }
  },
};

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

function bodiesFor(id: string, redirect: string): readonly (readonly [string, string])[] {
  const honest = `client_id=${id}&redirect_uri=${encodeURIComponent(redirect)}&response_type=code&scope=openid`;
  const forged = encodeURIComponent(FORGED);
  return [
    ["nothing", ""],
    [
      "10,000 parameters",
      Array.from({ length: 10_000 }, (_, at) => `p${at}`)
        .join("&")
        .slice(0, 64_000),
    ],
    ["10,000 equal parameters", "a&".repeat(10_000)],
    ["10,000 scopes", `${honest.replace("openid", `openid+${"x+".repeat(10_000)}`)}`],
    ["1,000 client IDs", `client_id=${id}&`.repeat(1_000)],
    [
      "a long value of each parameter",
      NAMES.map((name) => `${name}=${"x".repeat(2_000)}`).join("&"),
    ],
    ["line breaks in each parameter", NAMES.map((name) => `${name}=${forged}`).join("&")],
    ["line breaks in its client", `client_id=${forged}&redirect_uri=${forged}&scope=${forged}`],
    ["line breaks in its scope", `${honest}&state=${forged}&nonce=${forged}&prompt=${forged}`],
    ["raw line breaks", `${honest}&state=x\r\nX-Forged: 1\r\n\r\n<script>attackmark()</script>`],
    ["raw control characters", `${honest}&state=\u0000\u0001\u001b[2J\u007f`],
    ["raw bytes", `${honest}&state=\u00e9\u{1f600}`],
    ["NUL in each parameter", NAMES.map((name) => `${name}=%00`).join("&")],
    ["invalid UTF-8", NAMES.map((name) => `${name}=%ff%c0%af%ed%a0%80`).join("&")],
    ["invalid escapes", NAMES.map((name) => `${name}=%zz%`).join("&")],
    ["lone surrogates", `${honest}&state=${"%ed%a0%80"}`],
    ["arrays", NAMES.map((name) => `${name}[]=x&${name}[x]=y&${name}=z&${name}=w`).join("&")],
    ["names of objects", "__proto__=x&constructor=x&toString=x&__proto__[x]=y&hasOwnProperty=x"],
    ["each parameter twice", NAMES.flatMap((name) => [`${name}=x`, `${name}=y`]).join("&")],
    ["nested claims", `${honest}&claims=${encodeURIComponent("[".repeat(3_000))}`],
    [
      "claims that are no objects",
      `${honest}&claims=${encodeURIComponent('{"id_token":[],"userinfo":1}')}`,
    ],
    [
      "claims of a prototype",
      `${honest}&claims=${encodeURIComponent('{"id_token":{"__proto__":null,"sub":{"value":"x"}}}')}`,
    ],
    ["null as claims", `${honest}&claims=null`],
    ["a huge max_age", `${honest}&max_age=${"9".repeat(400)}`],
    ["a negative max_age", `${honest}&max_age=-1`],
    ["max_age as a number in another form", `${honest}&max_age=1e3`],
    ["a request object", `${honest}&request=eyJhbGciOiJub25lIn0.e30.`],
    [
      "a request URI of another site",
      `${honest}&request_uri=${encodeURIComponent("http://127.0.0.1:9/x")}`,
    ],
    [
      "a client ID of another site",
      honest.replace(id, encodeURIComponent("https://127.0.0.1:9/x")),
    ],
    ["an object of JavaScript as client ID", honest.replace(id, "__proto__")],
    ["unknown locales", `${honest}&ui_locales=${"xx-".repeat(500)}`],
    ["an unknown resource", `${honest}&resource=${encodeURIComponent("urn:x")}&audience=x`],
  ];
}

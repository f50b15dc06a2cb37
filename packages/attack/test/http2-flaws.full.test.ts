import { LOCALHOST } from "../../../test/gate/https/secure-gate.ts";
import { type Flaw, testFlaws } from "./flaws.ts";
import { correct, decoded, issue } from "./sample-behaviour.ts";
import type { SampleServerOptions } from "./sample-server.ts";

const overHttps = (server: SampleServerOptions): SampleServerOptions => ({
  certificate: LOCALHOST,
  ...server,
});

/** Over HTTP/1.1, these servers have no flaw. */
const OVER_HTTP2 = ["2"] as const;

const flaws: readonly Flaw[] = [
  {
    attack: "header-lists",
    what: "accepts long header lists, as Node does before its limits are acknowledged",
    server: overHttps({}),
    finding: /over HTTP\/2: cookie: 200/,
  },
  {
    attack: "guarded-paths",
    what: "guards HTTP/1.1 only",
    versions: OVER_HTTP2,
    server: overHttps({ isGuarded: ({ httpVersionMajor }) => httpVersionMajor === 1 }),
    finding: /over HTTP\/2: GET \/: 200/,
  },
  {
    attack: "open-redirects",
    what: "redirects to the authority of an HTTP/2 request",
    versions: OVER_HTTP2,
    server: overHttps({
      redirect(response, location, cookies) {
        const authority = response.req.headers[":authority"];
        const own = authority === undefined ? "" : `https://${String(authority)}`;
        correct.redirect(response, own + location, cookies);
      },
    }),
    finding: /over HTTP\/2: \/ with Host: elsewhere\.example redirects to https:\/\/elsewhere/,
  },
  {
    attack: "page-headers",
    what: "protects its redirects over HTTP/1.1 only",
    versions: OVER_HTTP2,
    server: overHttps({
      redirect(response, location, cookies) {
        if (response.req.httpVersionMajor === 1) correct.redirect(response, location, cookies);
        else response.writeHead(303, { location, "set-cookie": [...cookies] }).end();
      },
    }),
    finding: /over HTTP\/2: the sign-out: Cache-Control must contain no-store/,
  },
  {
    attack: "sign-in-limit",
    what: "counts attempts for each HTTP version",
    server: overHttps({ addressOf: ({ httpVersion }) => httpVersion }),
    finding: /^HTTP\/2$/m,
  },
  {
    attack: "forged-tokens",
    what: "checks signatures over HTTP/1.1 only",
    versions: OVER_HTTP2,
    server: overHttps({
      tokenIn(request) {
        const token = correct.tokenIn(request);
        if (request.httpVersionMajor === 1) return token;
        const { user_id: userId } = decoded(token?.split(".")[1]);
        return typeof userId === "string" ? issue(userId) : undefined;
      },
    }),
    finding: /over HTTP\/2: no signature/,
  },
];

testFlaws(flaws);

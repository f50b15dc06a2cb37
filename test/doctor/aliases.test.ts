import { createServer, request } from "node:http";
import { type TestContext, test } from "node:test";
import { checkAddress } from "../../src/doctor/address.ts";
import { checkAliases } from "../../src/doctor/aliases.ts";
import { checkCookie } from "../../src/doctor/cookie.ts";
import { startGate } from "../support/gate.ts";
import { listenOn } from "../support/listen.ts";
import { assertCheck, assertFound, installation, under } from "./installation.ts";

/** As much as most proxies accept. */
const MAX_HEADER_SIZE = 64 * 1024;
const TRUSTED = { trustedProxies: ["127.0.0.1"] };

/** A proxy that asks the gate before each request to an app, with the headers that it passes on. */
async function startProxy(
  t: TestContext,
  gate: string,
  passes: (name: string) => boolean,
  host?: string,
): Promise<string> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_SIZE }, (incoming, outgoing) => {
    const { method = "GET", url = "/", headers, rawHeaders } = incoming;
    const asking = request(`${gate}/forward-auth`, {
      agent: false,
      headers: [
        ...rawHeaders.flatMap((text, at) =>
          at % 2 === 0 && passes(text) ? [text, rawHeaders[at + 1] ?? ""] : [],
        ),
        ...["X-Forwarded-Method", method, "X-Forwarded-Uri", url],
        ...["X-Forwarded-Proto", host === undefined ? "http" : "https"],
        ...["X-Forwarded-Host", host ?? headers.host ?? ""],
      ],
    });
    asking.once("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    asking.end();
  });
  return `http://127.0.0.1:${await listenOn(t, server)}`;
}

const PASSED = ["host", "accept", "connection"];

for (const [what, passes, ...expected] of [
  [
    "reports only the aliases that arrive",
    (name: string) => !["Remote_User", "Remote~User"].includes(name),
    ["hint", /passes on Remote\.User: an app/, /aliasHeadersStrategy: delete/],
  ],
  [
    "accepts a proxy that removes the aliases",
    (name: string) => !/^remote/i.test(name),
    ["ok", /passes on none of Remote\.User, Remote~User, Remote_User$/],
  ],
  [
    "says nothing about a proxy that asks the gate without the client's headers",
    (name: string) => PASSED.includes(name.toLowerCase()),
  ],
] as const) {
  test(what, async (t) => {
    const url = await startProxy(t, (await startGate(t, TRUSTED)).url, passes);
    await assertCheck(checkAliases, { url }, ...expected);
  });
}

test("says nothing without an address, and about the gate itself", async (t) => {
  const { url } = await startGate(t, TRUSTED);
  await assertCheck(checkAliases, {});
  await assertCheck(checkAliases, { url });
});

test("accepts the address of an app whose sign-in has another host", async (t) => {
  const publicUrl = "https://auth.example.test";
  const gate = await startGate(t, { ...TRUSTED, publicUrl, cookieDomain: "example.test" });
  const url = await startProxy(t, gate.url, () => true, "app.example.test");
  const env = { PUBLIC_URL: publicUrl, COOKIE_DOMAIN: "example.test" };
  const app = under("https://app.example.test", installation({ env, url }));
  const signIn = /^an app answers at https:\/\/app\.\S+, behind the sign-in at https:\/\/auth\./;
  assertFound(await checkAddress.run(app), ["ok", signIn]);
  assertFound(await checkCookie.run(app), ["ok", /^browsers send the session cookie back/]);
  await assertCheck(checkAliases, { url }, ["hint", /Remote\.User, Remote~User, Remote_User: an/]);
});

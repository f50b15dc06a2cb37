import { createServer, request } from "node:http";
import { type TestContext, test } from "node:test";
import { checkAddress } from "../../src/doctor/address.ts";
import { checkAliases } from "../../src/doctor/aliases.ts";
import { checkCookie } from "../../src/doctor/cookie.ts";
import { startGate } from "../support/gate.ts";
import { listenOn } from "../support/listen.ts";
import { assertFound, findings, installation, under } from "./installation.ts";

/** As much as most proxies accept. */
const MAX_HEADER_SIZE = 64 * 1024;

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

const startGuarded = async (t: TestContext, passes: (name: string) => boolean): Promise<string> =>
  startProxy(t, (await startGate(t, { trustedProxies: ["127.0.0.1"] })).url, passes);

test("reports aliases of Remote-User that the proxy of an app passes on", async (t) => {
  const url = await startGuarded(t, () => true);
  assertFound(await findings(checkAliases, { url }), [
    "hint",
    /passes on Remote\.User, Remote~User, Remote_User: an app/,
    /aliasHeadersStrategy: delete/,
  ]);
});

test("reports only the aliases that arrive", async (t) => {
  const url = await startGuarded(t, (name) => name !== "Remote_User" && name !== "Remote~User");
  assertFound(await findings(checkAliases, { url }), ["hint", /passes on Remote\.User: an app/]);
});

test("accepts a proxy that removes the aliases", async (t) => {
  const url = await startGuarded(t, (name) => !/^remote/i.test(name));
  assertFound(await findings(checkAliases, { url }), [
    "ok",
    /passes on none of Remote\.User, Remote~User, Remote_User$/,
  ]);
});

test("says nothing about a proxy that asks the gate without the client's headers", async (t) => {
  const passed = ["host", "accept", "connection"];
  const url = await startGuarded(t, (name) => passed.includes(name.toLowerCase()));
  assertFound(await findings(checkAliases, { url }));
});

test("says nothing without an address, and about the gate itself", async (t) => {
  const { url } = await startGate(t, { trustedProxies: ["127.0.0.1"] });
  assertFound(await findings(checkAliases, {}));
  assertFound(await findings(checkAliases, { url }));
});

test("accepts the address of an app whose sign-in has another host", async (t) => {
  const publicUrl = "https://auth.example.test";
  const gate = await startGate(t, {
    publicUrl,
    cookieDomain: "example.test",
    trustedProxies: ["127.0.0.1"],
  });
  const url = await startProxy(t, gate.url, () => true, "app.example.test");
  const env = { PUBLIC_URL: publicUrl, COOKIE_DOMAIN: "example.test" };
  const app = under("https://app.example.test", installation({ env, url }));
  const signIn = /^an app answers at https:\/\/app\.\S+, behind the sign-in at https:\/\/auth\./;
  assertFound(await checkAddress(app), ["ok", signIn]);
  assertFound(await checkCookie(app), ["ok", /^browsers send the session cookie back/]);
  assertFound(await findings(checkAliases, { url }), ["hint", /Remote\.User/]);
});

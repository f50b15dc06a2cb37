import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createSlowBodies } from "../../src/attack/slow-bodies.ts";
import { attackDoor } from "./attacking.ts";
import { sound } from "./door-parts.ts";
import { type Flaw, findsEach } from "./flaws.ts";

const header = (value: string | readonly string[] | undefined): string => String(value ?? "");

/** Who was seen on a connection, remembered for what comes later on it. */
const seen = new WeakMap<object, string>();

const flaws: readonly Flaw[] = [
  {
    attack: "sign-in-limit",
    what: "has no limit",
    door: { addressOf: () => String(Math.random()) },
    finding: /no limit at all/,
  },
  ...["x-forwarded-for", "x-real-ip", "forwarded", "true-client-ip", "via"].map(
    (name): Flaw => ({
      attack: "sign-in-limit",
      what: `believes ${name} from anybody`,
      door: { addressOf: (request) => header(request.headers[name]) || sound.addressOf(request) },
      finding: new RegExp(`^${name}: `, "im"),
    }),
  ),
  {
    attack: "sign-in-limit",
    what: "counts each spelling of the address for itself",
    door: {
      pathOf: (request) => sound.pathOf(request).replace(/^\/login[/;].*/, "/login"),
      addressOf: (request) => `${sound.addressOf(request)} ${sound.pathOf(request)}`,
    },
    finding: /\/login;a=1/,
  },
  {
    attack: "sign-in-limit",
    what: "counts by the host that was asked for",
    door: { addressOf: (request) => sound.addressOf(request) + header(request.headers.host) },
    finding: /another Host/,
  },
  {
    attack: "enumeration",
    what: "says that there is no such user",
    door: { refusedLocation: (user) => `/login?error=${user === undefined ? "unknown" : "1"}` },
    finding: /answered differently/,
  },
  {
    attack: "enumeration-by-time",
    what: "answers at once where there is no such user",
    door: {
      async passwordFits(user, password) {
        if (user === undefined) return false;
        await pause(12);
        return user.password === password;
      },
    },
    finding: /known \d+\.\d ms, unknown \d/,
  },
  {
    attack: "cross-site-forms",
    what: "takes forms from anywhere",
    door: { isCrossSite: () => false },
    finding: /POST \/logout with Origin: https:\/\/elsewhere/,
  },
  {
    attack: "cross-site-forms",
    what: "takes a sibling for itself",
    door: {
      isCrossSite: (request) =>
        request.headers["sec-fetch-site"] !== "same-site" && sound.isCrossSite(request),
    },
    finding: /same-site/,
  },
  {
    attack: "cross-site-forms",
    what: "only looks whether its name stands in the origin",
    door: {
      isCrossSite: ({ headers }) =>
        headers["sec-fetch-site"] === undefined
          ? headers.origin !== undefined && !headers.origin.includes(header(headers.host))
          : !/^(same-origin|none)$/.test(header(headers["sec-fetch-site"])),
    },
    finding: /Origin: http:\/\/127\.0\.0\.1:\d+\.elsewhere\.example/,
  },
  {
    attack: "cross-site-forms",
    what: "believes the referrer instead",
    door: {
      isCrossSite: (request) =>
        !header(request.headers.referer).includes(header(request.headers.host)) &&
        sound.isCrossSite(request),
    },
    finding: /Referer/,
  },
  {
    attack: "request-smuggling",
    what: "reads requests that contradict themselves",
    door: { server: { ...sound.server, insecureHTTPParser: true } },
    finding: /the hidden request is answered with 200/,
  },
  {
    attack: "pipelining",
    what: "remembers who was on a connection",
    door: {
      tokenIn(request) {
        const token = sound.tokenIn(request) ?? seen.get(request.socket);
        if (token !== undefined) seen.set(request.socket, token);
        return token;
      },
    },
    finding: /got another answer than alone/,
  },
  {
    attack: "heavy-bodies",
    what: "breaks on large bodies",
    door: { tooLarge: (bytes) => (bytes > 65_536 ? 500 : undefined) },
    finding: /a password of 1 MiB is answered with 500/,
  },
  {
    attack: "heavy-bodies",
    what: "does all its work in one row",
    door: {
      tooLarge(bytes) {
        // Long enough that a whole flood in front of it is noticed.
        const until = performance.now() + (bytes > 60_000 ? 30 : 0);
        while (performance.now() < until);
        return undefined;
      },
    },
    finding: /the guard took \d+ ms/,
  },
];

findsEach(flaws);

test("slow-bodies finds a door that waits for as long as it takes", async (t) => {
  const patient = { headersTimeout: 0, requestTimeout: 0 };
  const { outcome, findings } = await attackDoor(t, createSlowBodies(900), { server: patient });
  assert.equal(outcome, "got-through");
  assert.match(
    findings.join("\n"),
    /60 with slow headers were held[\s\S]*60 with a slow body were held/,
  );
});

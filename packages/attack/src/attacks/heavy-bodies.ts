import { gzipSync } from "node:zlib";
import { type Attack, forEach } from "../attack.ts";
import { guardProblemDuring } from "../availability.ts";
import { Undecided } from "../errors.ts";
import type { HttpRequest } from "../http/request.ts";
import { NoResponse } from "../http/wire.ts";
import { newAddress, send, type Target } from "../target.ts";

const KIB = 1_024;
const ROUNDS = 2;
const AT_ONCE = 16;
const FLOOD = 150;
/** The flood may wait this long. The guard may not, see availability.ts. */
const FLOOD_WITHIN_MS = 60_000;

export const heavyBodies: Attack = {
  name: "heavy-bodies",
  about: "expensive bodies and passwords, while the guard must keep responding",
  meaning: "A few requests lock all users out.",
  noun: "requests",
  verb: "overloaded the server",
  needs: ["account", "fresh"],

  async run(target, tally) {
    const judge = async (what: string, request: HttpRequest): Promise<void> => {
      tally.tried();
      const response = await send(target, request).catch((error: unknown) =>
        ignoreEarlyClose(error, what),
      );
      if (response === undefined) return;
      if (response.session !== undefined) tally.gotThrough(`${what} signs in`);
      if (response.status === 500) tally.gotThrough(`${what}: status 500`);
    };
    const rounds = Array.from({ length: ROUNDS }, bodies).flat();
    const heavy = await guardProblemDuring(target, () =>
      forEach(rounds, AT_ONCE, ([what, request]) => judge(what, request)),
    );
    if (heavy !== undefined) tally.gotThrough(heavy);

    const flooded = await guardProblemDuring(target, async () => {
      const signIns = await flood(target);
      await forEach(signIns, FLOOD, (request) => judge("a flood of sign-ins", request));
    });
    if (flooded !== undefined) tally.gotThrough(`flooded with sign-ins: ${flooded}`);
  },
};

/** A server may close the connection early on a body over its limit, but must not hang. */
function ignoreEarlyClose(error: unknown, what: string): undefined {
  if (!(error instanceof NoResponse)) throw error;
  if (/in time/.test(error.message)) throw new Undecided(`${what}: no response in time`);
}

/** Enough sign-ins at once to saturate the password hashing. */
async function flood(target: Target): Promise<readonly HttpRequest[]> {
  const addresses = await Promise.all(Array.from({ length: FLOOD / 5 }, () => newAddress(target)));
  return addresses.flatMap((from) =>
    Array.from({ length: 5 }, (_, at): HttpRequest => {
      const form = { username: `nobody ${at}`, password: "x".repeat(60 * KIB) };
      return { path: "/login", form, from, withinMs: FLOOD_WITHIN_MS };
    }),
  );
}

type Heavy = readonly [what: string, request: HttpRequest];

function bodies(): readonly Heavy[] {
  const text = (body: string, headers = {}): HttpRequest => ({ path: "/login", body, headers });
  const fields = (count: number, field: string): string => Array(count).fill(field).join("&");
  const zipped = gzipSync(`username=x&password=${"A".repeat(20 * KIB * KIB)}`);
  const nested = `username${"[a]".repeat(10_000)}=1`;
  return [
    ["a password of 1 MiB", text(`username=x&password=${"A".repeat(KIB * KIB)}`)],
    ["a password of 64 KiB", text(`username=x&password=${"A".repeat(64 * KIB - 20)}`)],
    ["a body of 8 MiB", text("A".repeat(8 * KIB * KIB))],
    ["20,000 fields", text(fields(20_000, "a="))],
    ["20,000 separators", text("&".repeat(20_000))],
    ["20,000 equals signs", text(`username=${"=".repeat(20_000)}`)],
    ["20,000 times the same field", text(fields(5_000, "username=x"))],
    ["many fields under odd names", text(fields(2_000, "__proto__[x]=1&constructor=1"))],
    ["a deeply nested field", text(nested)],
    ["half escapes", text("%".repeat(60_000))],
    ["escapes of escapes", text(`username=${"%25".repeat(20_000)}`)],
    ["broken UTF-8", text(`username=${"%ff".repeat(20_000)}`)],
    ["overlong UTF-8", text(`username=${"%c0%af".repeat(9_000)}`)],
    ["characters that normalise to many", text(`username=${"%ef%b7%ba".repeat(7_000)}`)],
    ["a compressed body", zip(zipped, "gzip")],
    ["a body wrongly declared as compressed", zip(Buffer.from("username=x&password=y"), "br")],
    ["a body of another type", text("A".repeat(60_000), { "Content-Type": "multipart/form-data" })],
    [
      "a multipart bomb",
      text("--\r\n".repeat(15_000), { "Content-Type": "multipart/form-data; boundary=" }),
    ],
    ["deeply nested JSON", text("[".repeat(60_000), { "Content-Type": "application/json" })],
    [
      "an unknown charset",
      text("username=x", { "Content-Type": "application/x-www-form-urlencoded; charset=utf-7" }),
    ],
    ["a long query", { path: `/login?${"a=&".repeat(4_000)}` }],
    [
      "a long language list",
      { path: "/login", headers: { "Accept-Language": "x-y,".repeat(3_000) } },
    ],
    ["a long list of cookies", { path: "/login", headers: { Cookie: "a=1; ".repeat(2_500) } }],
    [
      "a long chain of proxies",
      { path: "/login", form: {}, headers: { "X-Forwarded-For": "1.1.1.1,".repeat(1_500) } },
    ],
    ["a long content type", text("a=1", { "Content-Type": `${" ".repeat(12_000)}x` })],
  ];
}

const zip = (body: Uint8Array, encoding: string): HttpRequest => ({
  path: "/login",
  body,
  headers: { "Content-Encoding": encoding },
});

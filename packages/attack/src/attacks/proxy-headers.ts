import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { type HttpRequest, sendRequest } from "../http/request.ts";
import { FORGED, forgedHeaders } from "../payloads/forged-headers.ts";
import { type Account, requireAccount, type Target } from "../target.ts";

/** What a proxy tells the app. It must not depend on what the client sends. */
const MANAGED: ReadonlySet<string> = new Set([
  "remote-user",
  "remote-user-id",
  "remote-groups",
  "remote-name",
  "remote-email",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
]);

export const proxyHeaders: Attack = {
  name: "proxy-headers",
  about: "headers that deceive the app behind the proxy, and cookies that give it the session",
  meaning: "A user can appear to the app as another one, or the app can act as the user.",
  noun: "requests",
  verb: "reached the app",
  needs: ["account", "echo"],

  async run(target, tally) {
    const account = await requireAccount(target);
    const usual = await received(target, account, {});
    if (usual === undefined) {
      throw new Undecided(`${target.echo} does not respond with the request headers as JSON`);
    }
    const { username } = account;
    const own = [username, encodeURIComponent(username)].map((name) => `remote-user: ${name}`);
    const named = usual.find((line) => nameOf(line) === "remote-user");
    if (named !== undefined && !own.includes(named)) {
      tally.gotThrough(`as another user: the app receives "${named}"`);
    }
    await forEach(forgedHeaders(account.token), CONCURRENCY, async ([what, headers, trailers]) => {
      tally.tried();
      const sent = trailers === undefined ? { headers } : { headers, trailers };
      const lines = await received(target, account, sent);
      for (const problem of problemsIn(lines ?? usual, usual, account)) {
        tally.gotThrough(`${what}: ${problem}`);
      }
    });
  },
};

/** The headers that the app received, or `undefined` if the request did not reach it. */
async function received(
  target: Target,
  { token: session }: Account,
  sent: Pick<HttpRequest, "headers" | "trailers">,
): Promise<readonly string[] | undefined> {
  const version = sent.trailers === undefined ? {} : ({ version: "1.1" } as const);
  const request = { path: target.echo ?? "/", session, ...sent, ...version };
  const { status, body } = await sendRequest(target.address, request, target.signal);
  return status === 200 ? linesIn(body) : undefined;
}

function linesIn(json: string): readonly string[] | undefined {
  try {
    const headers: unknown = JSON.parse(json);
    if (typeof headers !== "object" || headers === null) return undefined;
    return Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one) => `${name.toLowerCase()}: ${one}`),
    );
  } catch {
    return undefined;
  }
}

/** The name as apps read it that cannot tell `Remote_User` from `Remote-User`. */
const nameOf = (line: string): string =>
  line.slice(0, line.indexOf(": ")).replaceAll(/[^a-z0-9]/g, "-");

function problemsIn(
  lines: readonly string[],
  usual: readonly string[],
  { token }: Account,
): readonly string[] {
  const isManaged = (line: string): boolean =>
    MANAGED.has(nameOf(line)) || line.endsWith(`: ${FORGED}`);
  const names = new Set(lines.map(nameOf));
  const added = lines.filter((line) => isManaged(line) && !usual.includes(line));
  const dropped = usual.filter((line) => isManaged(line) && !names.has(nameOf(line)));
  return [
    ...added.map((line) => `the app receives "${line}"`),
    ...dropped.map((line) => `the app does not receive ${nameOf(line)}`),
    ...(lines.some((line) => line.includes(token)) ? ["the app receives the session token"] : []),
  ];
}

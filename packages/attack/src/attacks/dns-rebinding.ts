import type { Attack } from "../attack.ts";
import { Skipped } from "../errors.ts";
import type { Headers } from "../http/request.ts";
import { send, type Target } from "../target.ts";

const EVIL = "evil.example";

export const dnsRebinding: Attack = {
  name: "dns-rebinding",
  about: "first setups by a page whose host name was made to resolve to this machine",
  meaning:
    "A page that you visit can create the first account on a server that listens on loopback.",
  noun: "requests",
  verb: "accepted",
  needs: ["fresh"],

  async run(target, tally) {
    if (target.state === "configured") throw new Skipped("an account already exists");
    const password = "let me in";
    const token = target.access?.setupToken ?? "";
    const valid = { username: "latchkey-attack", password, confirm: password, token };
    for (const headers of reboundHeaders(target)) {
      for (const request of [{ method: "GET" }, { form: valid }]) {
        tally.tried();
        const { status } = await send(target, { path: "/setup", ...request, headers });
        // Any other status means that the server has read the form.
        if (status !== 421)
          tally.gotThrough(`${request.method ?? "POST"} with ${shown(headers)}: ${status}`);
      }
    }
    const { status } = await send(target, { path: "/setup" });
    if (status !== 200) tally.gotThrough("an account was created");
  },
};

/** Of requests that the browser sends for the page itself, so they count as same-origin. */
function reboundHeaders({ address }: Target): readonly Headers[] {
  const port = `:${address.port}`;
  const own = { Origin: `${address.protocol}//${EVIL}${port}`, "Sec-Fetch-Site": "same-origin" };
  const hosts = [EVIL, `${EVIL}.`, `127.0.0.1.${EVIL}`, `localhost.${EVIL}`, "evil-localhost"];
  // Scripts may set these headers.
  const claims: readonly Headers[] = [
    { "X-Forwarded-Host": "localhost" },
    { Forwarded: "host=localhost" },
    { "X-Host": "localhost" },
    { "X-Original-Host": "localhost" },
  ];
  return [
    { ...own, Host: EVIL, Origin: `${address.protocol}//${EVIL}` },
    ...hosts.map((host) => ({
      ...own,
      Host: host + port,
      Origin: `${address.protocol}//${host}${port}`,
    })),
    ...claims.map((claim) => ({ ...own, Host: EVIL + port, ...claim })),
  ];
}

const shown = (headers: Headers): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(", ");

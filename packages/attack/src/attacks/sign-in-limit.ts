import { randomBytes } from "node:crypto";
import { type Attack, CONCURRENCY, forEach, type Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import type { HttpRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import {
  clientsBehindProxy,
  type LoginVariant,
  otherClients,
  otherForms,
} from "../payloads/login-variants.ts";
import {
  type Account,
  comparableText,
  isSuccess,
  newAddress,
  ownHost,
  requireAccount,
  signIn,
  type Target,
  type TrustedProxy,
} from "../target.ts";

const LIMIT = 5;
const EARLIER_ATTEMPTS = 3;
const WINDOW_MS = 60_000;
const AT_ONCE = 32;

export const signInLimit: Attack = {
  name: "sign-in-limit",
  about: "more sign-ins than the limit allows, with claimed addresses and other request forms",
  meaning: "An attacker can try any number of passwords.",
  noun: "sign-ins",
  verb: "allowed past the limit",
  needs: ["account", "disturb"],

  async run(target, tally) {
    const account = await requireAccount(target);
    const from = target.fresh ? await newAddress(target) : undefined;
    const startedAt = performance.now();
    const wrong = await useUp(target, from);
    tally.tried();
    const denied = await passesLimit(target, account, { from });
    if (denied === "passed") tally.gotThrough("there is no limit");
    else if (comparableText(denied) !== comparableText(wrong)) {
      tally.gotThrough("a denied sign-in differs from a failed one");
    }
    const { username, password } = account;
    const forms = otherForms(ownHost(target), target.versions, { username, password });
    for (const [what, request] of [...otherClients(), ...forms]) {
      if (performance.now() - startedAt > WINDOW_MS - 5_000) {
        throw new Undecided("it took longer than the window of the rate limit");
      }
      tally.tried();
      const sent = { ...request, from };
      if ((await passesLimit(target, account, sent)) === "passed") tally.gotThrough(what);
    }
    if (!target.fresh) return;
    await atOnce(target, account, tally);
    await repeatedly(target, account, forms, tally);
    const proxy = target.access?.proxy;
    if (proxy !== undefined) await throughProxy(target, account, proxy, tally);
  },
};

function attempt(
  target: Target,
  { username, password }: Account,
  request: Partial<HttpRequest>,
): Promise<HttpResponse> {
  return signIn(target, { username, password }, request);
}

/**
 * More sign-ins in a row than attempts of this run can have expired meanwhile: it signed in once
 * before this attack, and twice in enumeration. Returns the response to a denied sign-in.
 */
async function passesLimit(
  target: Target,
  account: Account,
  request: Partial<HttpRequest>,
): Promise<HttpResponse | "passed"> {
  for (let count = 0; count <= EARLIER_ATTEMPTS; count += 1) {
    const response = await attempt(target, account, request);
    if (!isSuccess(response)) return response;
  }
  return "passed";
}

/** Uses a random username, so that the log does not fill with real ones. */
async function useUp(target: Target, from: string | undefined): Promise<HttpResponse> {
  const username = `nobody-${randomBytes(6).toString("hex")}`;
  let response = await signIn(target, { username, password: "wrong" }, { from });
  for (let count = 1; count < LIMIT; count += 1) {
    response = await signIn(target, { username, password: "wrong" }, { from });
  }
  return response;
}

/** A limiter that counts after its check would allow all attempts that arrive in between. */
async function atOnce(target: Target, account: Account, tally: Tally): Promise<void> {
  const from = await newAddress(target);
  let admitted = 0;
  await forEach(Array.from({ length: AT_ONCE }), AT_ONCE, async () => {
    tally.tried();
    if (isSuccess(await attempt(target, account, { from }))) admitted += 1;
  });
  if (admitted > LIMIT) tally.gotThrough(`${admitted} of ${AT_ONCE} at the same moment`);
}

/** An attempt in a form that is denied with the others, but not counted, can be repeated forever. */
async function repeatedly(
  target: Target,
  account: Account,
  forms: readonly LoginVariant[],
  tally: Tally,
): Promise<void> {
  await forEach(forms, CONCURRENCY, async ([what, request]) => {
    tally.tried();
    const from = await newAddress(target);
    let admitted = 0;
    while (isSuccess(await attempt(target, account, { ...request, from }))) {
      admitted += 1;
      if (admitted > LIMIT) return tally.gotThrough(`${what} is not counted`);
    }
  });
}

/** Attempts of one client that a trusted proxy reports under changing addresses. */
async function throughProxy(
  target: Target,
  account: Account,
  { address: from, ipv6Prefix }: TrustedProxy,
  tally: Tally,
): Promise<void> {
  const attemptFor = async (client: string): Promise<boolean> => {
    const headers = { "X-Forwarded-For": client };
    return isSuccess(await attempt(target, account, { from, headers }));
  };
  for (const [what, clients] of clientsBehindProxy(ipv6Prefix)) {
    tally.tried();
    let admitted = 0;
    for (const client of clients) if (await attemptFor(client)) admitted += 1;
    if (admitted > LIMIT) tally.gotThrough(`${admitted} attempts by ${what}`);
  }
  // Otherwise all attempts counted for the proxy, and the above proves nothing.
  if (!(await attemptFor("198.51.100.1"))) throw new Undecided(`${from} is not a trusted proxy`);
}

import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Behaviour, Memory } from "./sample-behaviour.ts";

export const HANDOFF_HOSTS = ["photos.other.test", "wiki.third.test"] as const;

const COOKIE = "__Host-begun";

export interface SampleHandoff {
  readonly userId: string;
  readonly host: string;
  readonly browser: string;
}

/** What the sample server does at /login/handoff, and what a test can replace. */
export interface HandoffBehaviour {
  readonly handoffHeaders: Readonly<Record<string, string>>;
  begunCookie(value: string): string;
  isHandoffHost(host: string): boolean;
  /** The handoff of a code, used up. */
  takeHandoff(memory: Memory, code: string): SampleHandoff | undefined;
  fitsBrowser(handoff: SampleHandoff, cookies: string): boolean;
  fitsHost(handoff: SampleHandoff, host: string): boolean;
  logsHandoff(memory: Memory, url: string): void;
  /** The token of the session of a host. */
  boundToken(userId: string, host: string): string;
  /** The host of such a token. */
  hostOfBound(token: string): string | undefined;
  isBoundTo(host: string, requested: string): boolean;
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");
const random = (): string => randomBytes(32).toString("base64url");

/** The first value of the cookie. */
export const begunIn = (cookies: string): string =>
  new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(cookies)?.[1] ?? "";

export const handsOver: HandoffBehaviour = {
  handoffHeaders: { "Referrer-Policy": "no-referrer" },
  begunCookie: (value) => `${COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax`,
  isHandoffHost: (host) => HANDOFF_HOSTS.some((one) => one === host),
  takeHandoff({ handoffs }, code) {
    const found = handoffs.get(code);
    handoffs.delete(code);
    return found;
  },
  fitsBrowser: ({ browser }, cookies) => browser === hashOf(begunIn(cookies)),
  fitsHost: (handoff, host) => handoff.host === host,
  logsHandoff: () => undefined,
  // Nobody forges these, so they need no signature. No guard but forward auth accepts one.
  boundToken: (_, host) => `bound-${random()}-${Buffer.from(host).toString("hex")}`,
  hostOfBound(token) {
    const [, host] = /^bound-[\w-]{43}-([\da-f]+)$/.exec(token) ?? [];
    return host && Buffer.from(host, "hex").toString();
  },
  isBoundTo: (host, requested) => host === requested,
};

interface Answered {
  readonly location: string | undefined;
  readonly cookies: readonly string[];
}

export function answerHandoff(
  parts: Behaviour,
  memory: Memory,
  request: IncomingMessage,
  userId: string | undefined,
): Answered {
  const { host = "", cookie = "" } = request.headers;
  const { searchParams } = new URL(request.url ?? "/", "http://x");
  const code = searchParams.get("code");
  parts.logsHandoff(memory, request.url ?? "");
  if (!HANDOFF_HOSTS.some((one) => one === host)) return give(parts, memory, searchParams, userId);
  if (code === null) {
    const begun = random();
    const query = new URLSearchParams({ return_to: `https://${host}/`, browser: hashOf(begun) });
    const location = `https://auth.test/login/handoff?${query}`;
    return { location, cookies: [parts.begunCookie(begun)] };
  }
  const handoff = parts.takeHandoff(memory, code);
  const fits =
    handoff !== undefined && parts.fitsHost(handoff, host) && parts.fitsBrowser(handoff, cookie);
  if (!fits) return { location: "https://auth.test/login", cookies: [] };
  const session = parts.cookieFor(parts.boundToken(handoff.userId, handoff.host));
  return { location: `https://${host}/`, cookies: [session] };
}

function give(
  parts: Behaviour,
  { handoffs }: Memory,
  query: URLSearchParams,
  userId: string | undefined,
): Answered {
  const target = query.get("return_to") ?? "";
  const browser = query.get("browser") ?? "";
  if (userId === undefined) return { location: "/login", cookies: [] };
  if (!URL.canParse(target)) return { location: undefined, cookies: [] };
  const { protocol, host, origin, href } = new URL(target);
  if (protocol !== "https:" || href !== target || !parts.isHandoffHost(host))
    return { location: undefined, cookies: [] };
  const code = random();
  handoffs.set(code, { userId, host, browser });
  return { location: `${origin}/login/handoff?code=${code}`, cookies: [] };
}

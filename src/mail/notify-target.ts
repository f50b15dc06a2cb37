import { isLoopbackHost } from "../lib/loopback.ts";

/** Says where the operator is told what happens, and with what the sender proves itself. */
export type NotifyTarget =
  | (Address & { readonly kind: "webhook"; readonly key: Buffer })
  | (Address & { readonly kind: "ntfy"; readonly topic: string });

interface Address {
  /** May contain a secret, so no message and no log repeats it. */
  readonly url: string;
  /** Names the target in messages and logs. */
  readonly host: string;
  readonly authorization?: string | undefined;
}

/** Contains a target, or explains what is wrong with its settings without repeating them. */
export type NotifyReading =
  | { readonly kind: "target"; readonly target: NotifyTarget }
  | { readonly kind: "problem"; readonly problem: string };

/** Limits the topic as ntfy does. */
const TOPIC = /^[\w-]{1,64}$/;

const MIN_KEY_BYTES = 24;

/** The prefix of a signing secret of Standard Webhooks. The rest of it is in base64. */
const SECRET_PREFIX = "whsec_";

interface NotifyUrl extends Address {
  /** A webhook has no topic. */
  readonly topic: string | undefined;
}

/** Parses `NOTIFY_URL`. Returns `undefined` for a URL that cannot be used. */
export function parseNotifyUrl(text: string): NotifyUrl | undefined {
  const url = URL.parse(text);
  if (url === null || url.hash !== "") return undefined;
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === undefined || password === undefined || user.includes(":")) return undefined;
  const hasUser = user !== "" || password !== "";
  const authorization = hasUser ? `Basic ${toBase64(`${user}:${password}`)}` : undefined;
  if (url.protocol !== "ntfy:") {
    const isUsable =
      url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
    if (!isUsable) return undefined;
    // `fetch` refuses a URL with a password, and repeats it in its message.
    url.username = "";
    url.password = "";
    return { url: url.href, host: url.host, authorization, topic: undefined };
  }
  const topic = url.pathname.slice(1);
  if (!TOPIC.test(topic) || url.search !== "") return undefined;
  const scheme = isLoopbackHost(url.hostname) ? "http" : "https";
  const server = url.host === "" ? null : URL.parse(`${scheme}://${url.host}/`);
  return server === null
    ? undefined
    : { url: server.href, host: server.host, authorization, topic };
}

/** Combines `NOTIFY_URL` and `NOTIFY_SECRET`. */
export function readNotifyTarget(text: string, secret: string | undefined): NotifyReading {
  const parsed = parseNotifyUrl(text);
  if (parsed === undefined) return { kind: "problem", problem: "NOTIFY_URL is invalid" };
  const { topic, ...address } = parsed;
  if (topic === undefined) {
    const key = secret === undefined ? undefined : parseKey(secret);
    if (key === undefined)
      return {
        kind: "problem",
        problem: `NOTIFY_SECRET must have at least ${MIN_KEY_BYTES} bytes, or be ${SECRET_PREFIX} and as many in base64: it signs what is sent to NOTIFY_URL`,
      };
    return { kind: "target", target: { ...address, kind: "webhook", key } };
  }
  if (secret !== undefined && address.authorization !== undefined)
    return {
      kind: "problem",
      problem:
        "NOTIFY_URL has a user and NOTIFY_SECRET is an access token of ntfy: remove one of them",
    };
  if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret))
    return {
      kind: "problem",
      problem: "NOTIFY_SECRET must be an access token of ntfy, such as tk_…, for this NOTIFY_URL",
    };
  const authorization = secret === undefined ? address.authorization : `Bearer ${secret}`;
  return { kind: "target", target: { ...address, kind: "ntfy", topic, authorization } };
}

/** Returns the key that signs, or `undefined` for a secret that is too short. */
function parseKey(secret: string): Buffer | undefined {
  const key = secret.startsWith(SECRET_PREFIX)
    ? parseBase64(secret.slice(SECRET_PREFIX.length))
    : Buffer.from(secret);
  return key === undefined || key.length < MIN_KEY_BYTES ? undefined : key;
}

/** Returns `undefined` for a text that is not in base64, of which Node.js ignores a part. */
function parseBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  const [given, read] = [text, bytes.toString("base64")].map((one) => one.replace(/=+$/, ""));
  return given === read ? bytes : undefined;
}

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");

/** Returns `undefined` for a text with a wrong escape, or with a control character. */
function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return /\p{Cc}/u.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

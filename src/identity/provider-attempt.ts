import { randomBytes } from "node:crypto";
import type { UserId } from "../db/records.ts";
import type { Clock } from "../lib/clock.ts";
import { tryCall } from "../lib/fault.ts";
import { isObject } from "../lib/json.ts";
import { createRandomText } from "../lib/random-text.ts";
import type { ProviderChecks } from "./providers.ts";
import type { Seals } from "./seals.ts";

/** Says what a sign-in at a provider is for. */
export type Purpose =
  | { readonly kind: "sign-in"; readonly returnTo: string | undefined }
  /** The account of a person who is signed in and has confirmed it. */
  | { readonly kind: "link"; readonly userId: UserId; readonly sessionsFrom: number }
  /** The token and the username are those of an invitation. */
  | { readonly kind: "invitation"; readonly token: string; readonly username: string };

/** Describes a sign-in at a provider that has begun in this browser. */
export interface Attempt {
  readonly provider: string;
  readonly checks: Omit<ProviderChecks, "redirectUri">;
  readonly purpose: Purpose;
}

/** Describes an account that has come back from a provider, and still needs its one-time code. */
export interface CodeStep {
  readonly userId: UserId;
  readonly returnTo: string | undefined;
}

/** A person may take this long at the provider. */
export const ATTEMPT_LIFETIME_SECONDS = 600;

export const createChecks = (prompt: ProviderChecks["prompt"]): Attempt["checks"] => ({
  state: createRandomText(),
  nonce: createRandomText(),
  verifier: randomBytes(48).toString("base64url"),
  prompt,
});

interface SealServices {
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
}

type Content = { readonly attempt: Attempt } | { readonly step: CodeStep };

const PURPOSE = "sign-in with a provider";

/**
 * Seals what the browser keeps in the meantime, so that no instance has to remember it, and nobody
 * can begin a sign-in in the browser of somebody else.
 */
export function sealContent({ seals, clock }: SealServices, content: Content): string {
  const until = clock.now() + ATTEMPT_LIFETIME_SECONDS * 1_000;
  return seals.seal(Buffer.from(JSON.stringify({ ...content, until })), PURPOSE);
}

/** Returns `undefined` for a text that was not sealed here, or too long ago. */
export function openContent(
  { seals, clock }: SealServices,
  text: string | undefined,
): Partial<Record<"attempt", Attempt> & Record<"step", CodeStep>> | undefined {
  const opened = text === undefined ? undefined : seals.open(text, PURPOSE);
  const content: unknown = opened && tryCall(() => JSON.parse(opened.toString()));
  if (!isObject(content) || typeof content.until !== "number") return undefined;
  return content.until > clock.now() ? content : undefined;
}

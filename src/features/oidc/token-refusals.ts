import type { errors } from "oidc-provider";
import type { StoreParts } from "../../db/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { parseJsonObject } from "../../lib/json.ts";
import { digestText } from "../../lib/random-text.ts";

const KIND = "TokenRefusal";
/** An operator who checks an app reads the refusal at once. */
const KEEP_MS = 600_000;
const MAX_DESCRIPTION = 300;

const REASONS = [
  "client-unknown",
  "client-other",
  "secret-wrong",
  "secret-missing",
  "secret-unexpected",
  "authentication-malformed",
  "pkce",
  "redirect-other",
  "code-expired",
  "code-used",
  "session-ended",
  "other",
] as const;

/** Says why an app got no tokens for a code. */
export type TokenRefusalReason = (typeof REASONS)[number];

export interface TokenRefusal {
  readonly reason: TokenRefusalReason;
  /** Contains the words of the provider. They contain neither a secret nor a code. */
  readonly description: string;
}

/** Says what the provider knows of a code. */
export type CodeUse =
  | { readonly kind: "redeemed" }
  | { readonly kind: "refused"; readonly refusal: TokenRefusal }
  /** No request has contained the code. */
  | { readonly kind: "unused" }
  /** The provider has not issued the code, or has removed it. */
  | { readonly kind: "unknown" };

/** Returns the ID under which a code is stored. */
export const toCodeId = (code: string): string => digestText(`AuthorizationCode ${code}`);

const toRefusalId = (code: string): string => digestText(`${KIND} ${code}`);

/** Finds out why the provider has refused a request for tokens. */
export function explainTokenError(
  error: errors.OIDCProviderError,
  client: { readonly clientAuthMethod?: string | undefined } | undefined,
): TokenRefusal {
  const { error_description: text = "", error_detail: detail = "" } = error;
  const description = [error.error, text, detail === text ? "" : detail]
    .filter((part) => part !== "")
    .join(": ")
    .slice(0, MAX_DESCRIPTION);
  const isPublic = client?.clientAuthMethod === "none";
  return { reason: findReason(error, detail || text, isPublic), description };
}

function findReason(
  { error, cause }: errors.OIDCProviderError & { readonly cause?: unknown },
  detail: string,
  isPublic: boolean,
): TokenRefusalReason {
  if (error === "invalid_client") {
    if (detail === "client not found") return "client-unknown";
    if (detail === "invalid secret provided") return "secret-wrong";
    return isPublic ? "secret-unexpected" : "secret-missing";
  }
  if (/^(PKCE|code_verifier)/.test(detail)) return "pkce";
  if (error === "invalid_grant") {
    if (detail === "client mismatch") return "client-other";
    if (detail.endsWith("redirect_uri mismatch")) return "redirect-other";
    if (detail.endsWith("code is expired")) return "code-expired";
    if (detail.endsWith("already consumed")) return "code-used";
    if (detail.startsWith("grant ")) return "session-ended";
    // The provider gives only this failure a cause.
    if (cause !== undefined) return "pkce";
  }
  return /authorization header|client authentication|client_id mismatch/i.test(detail)
    ? "authentication-malformed"
    : "other";
}

interface RefusalServices {
  readonly store: Pick<StoreParts, "tokens">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Notes why a request for tokens was refused, for `latchkey app check`. Only for a code that the
 * provider has issued: anybody can send any other text.
 *
 * @param isKnown says that the provider has found the code, which it may have removed since.
 */
export async function noteTokenRefusal(
  { store, clock }: RefusalServices,
  code: string,
  refusal: TokenRefusal,
  isKnown: (codeId: string) => boolean,
): Promise<void> {
  const codeId = toCodeId(code);
  if (!isKnown(codeId) && (await store.tokens.find(codeId)) === undefined) return;
  await store.tokens.set({
    id: toRefusalId(code),
    kind: KIND,
    content: JSON.stringify(refusal),
    expiresAt: new Date(clock.now() + KEEP_MS),
  });
}

/** Finds out what has happened with a code. */
export async function findCodeUse(
  { tokens }: Pick<StoreParts, "tokens">,
  code: string,
): Promise<CodeUse> {
  const [stored, noted] = await Promise.all([
    tokens.find(toCodeId(code)),
    tokens.find(toRefusalId(code)),
  ]);
  const refusal = noted && parseRefusal(noted.content);
  if (stored?.consumedAt !== undefined && refusal?.reason !== "code-used")
    return { kind: "redeemed" };
  if (refusal !== undefined) return { kind: "refused", refusal };
  return { kind: stored === undefined ? "unknown" : "unused" };
}

function parseRefusal(content: string): TokenRefusal | undefined {
  const { reason, description } = parseJsonObject(content) ?? {};
  const known = REASONS.find((one) => one === reason);
  return known && { reason: known, description: String(description) };
}

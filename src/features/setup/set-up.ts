import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import { ADMINS, type User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { CredentialCache } from "../../identity/credential-cache.ts";
import type { Passwords } from "../../identity/passwords.ts";
import { createSetupRequester } from "../../identity/requester.ts";
import type { IssuedToken } from "../../identity/session-token.ts";
import { type StartSessionServices, startSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import type { ServerLog } from "../../lib/server-log.ts";
import { trimWhiteSpace } from "../../lib/white-space.ts";
import { matchesSetupToken, type SetupTokenSource } from "./setup-token.ts";

export interface SetUpServices extends StartSessionServices {
  readonly store: Pick<StoreParts, "users">;
  readonly credentialCache: CredentialCache;
  readonly passwords: Passwords;
  readonly events: Pick<EventLog, "record">;
  readonly log: ServerLog;
  readonly setupToken: SetupTokenSource;
  /** Runs in the background with the domain of the setup form. */
  readonly setUpDomain: ((domain: string) => Promise<void>) | undefined;
}

export type SetUpForm = Readonly<
  Record<"token" | "username" | "password" | "confirm" | "domain", string>
>;

type SetUpOutcome =
  | { readonly kind: "already-configured" | "invalid-setup-token" }
  | { readonly kind: "username-or-password-missing" | "passwords-differ" }
  /** The username has a NUL character, which not every store can keep. */
  | { readonly kind: "username-unstorable" }
  | { readonly kind: "set-up"; readonly user: User; readonly token: IssuedToken };

/** Sets up the first account. The checks run in this order. */
export async function setUp(
  services: SetUpServices,
  form: SetUpForm,
  client: Client,
): Promise<SetUpOutcome> {
  if (await services.credentialCache.anyExists()) return { kind: "already-configured" };
  if (!matchesSetupToken(await services.setupToken.read(), form.token)) {
    return { kind: "invalid-setup-token" };
  }
  if (form.username === "" || form.password === "") {
    return { kind: "username-or-password-missing" };
  }
  if (form.password !== form.confirm) return { kind: "passwords-differ" };
  if (form.username.includes("\0")) return { kind: "username-unstorable" };

  const passwordHash = await services.passwords.hash(form.password, createSetupRequester(client));
  // The store decides which of several concurrent setups is first.
  const user = await services.store.users.insertFirst({
    username: form.username,
    passwordHash,
    groups: [ADMINS],
  });
  if (user === undefined) return { kind: "already-configured" };

  const token = startSession(services, user, client);
  await deleteUsedToken(services);
  startDomainSetup(services, form.domain);
  services.events.record(createAuditEvent("signup", { user, client }));
  return { kind: "set-up", user, token };
}

/**
 * Deletes the setup token. A failure only logs a warning, because the account already exists and
 * closes the setup.
 */
export async function deleteUsedToken({ setupToken, log }: SetUpServices): Promise<void> {
  try {
    await setupToken.delete();
  } catch (error) {
    log.warn({ reason: getErrorMessage(error) }, "cannot delete the used setup token");
  }
}

/** Returns the domain to set up, or `undefined` if the field does not look like a domain. */
function parseDomain(field: string): string | undefined {
  const domain = trimWhiteSpace(field);
  return domain.includes(".") && !/[ /\\@]/.test(domain) ? domain : undefined;
}

function startDomainSetup({ setUpDomain, log }: SetUpServices, field: string): void {
  const domain = parseDomain(field);
  if (domain === undefined || setUpDomain === undefined) return;
  // The domain setup starts later, so that slow synchronous work in it does not delay the response.
  setImmediate(async () => {
    try {
      await setUpDomain(domain);
    } catch (error) {
      log.error({ domain, reason: getErrorMessage(error) }, "domain setup failed");
    }
  });
}

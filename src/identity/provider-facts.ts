import type { NewAccountFacts } from "../db/queries/new-accounts.ts";
import { type Identity, toIdentityId } from "../db/records.ts";
import { isUsableEmail } from "../lib/email.ts";
import { isUsableName } from "../lib/names.ts";
import type { Provider, ProviderIdentity } from "./providers.ts";

/** Returns what is stored about an identity, except whose it is. */
export function toIdentityRow(
  { name: provider }: Provider,
  identity: ProviderIdentity,
  addedAt: Date,
): Omit<Identity, "userId"> {
  const { issuer, subject } = identity;
  const label = toIdentityLabel(identity);
  return {
    id: toIdentityId(issuer, subject),
    ...{ provider, issuer, subject, addedAt, usedAt: addedAt },
    ...(label !== undefined && { label }),
  };
}

const MAX_LABEL = 80;

/** Returns by what a person recognizes an account at a provider. */
export function toIdentityLabel({ email, username, name }: ProviderIdentity): string | undefined {
  const text = email ?? username ?? name;
  return text?.replace(/\p{C}/gu, "").slice(0, MAX_LABEL).toWellFormed();
}

/** Returns what a provider says about a person, as far as it can be stored. */
export function toFacts(
  provider: Provider,
  identity: ProviderIdentity,
  now: Date,
): NewAccountFacts {
  const { name, email, emailIs } = identity;
  return {
    identity: toIdentityRow(provider, identity, now),
    ...(name !== undefined && isUsableName(name) && { name }),
    ...(email !== undefined && isUsableEmail(email) && { email, emailIs }),
  };
}

import { messageOf } from "../../core/base/fault.ts";
import { passkeysIn } from "../../core/passkeys/passkey.ts";
import { type RelyingParty, relyingPartyOf } from "../../core/passkeys/relying-party.ts";
import type { Extras } from "../../core/store.ts";
import type { PasskeySection } from "../pages/page-data.ts";
import { shownTime } from "../pages/utc-time.ts";
import type { Locale } from "../pages/words.ts";
import type { WebPorts } from "../ports.ts";
import { hostOf, type WebRequest } from "../request/web-request.ts";

export const partyOf = ({ options }: WebPorts, request: WebRequest): RelyingParty | undefined =>
  relyingPartyOf(options, hostOf(request));

/** Nothing is offered if the store cannot be asked: the password form works without it. */
export async function offersPasskeySignIn(ports: WebPorts, request: WebRequest): Promise<boolean> {
  const { passkeys } = ports.rules;
  if (passkeys === undefined) return false;
  try {
    return (await ports.rules.users.anyHas("passkeys")) && partyOf(ports, request) !== undefined;
  } catch (error) {
    ports.requests.log.warn({ reason: messageOf(error) }, "passkeys are not offered");
    return false;
  }
}

/** The passkeys of the signed-in user. */
export function passkeySection(
  ports: WebPorts,
  request: WebRequest,
  locale: Locale,
  { passkeys }: Extras,
): PasskeySection | undefined {
  if (ports.rules.passkeys === undefined) return undefined;
  const list = passkeysIn(passkeys).map(({ id, name, addedAt, usedAt }) => {
    const isUsed = usedAt !== undefined;
    return { id, name, isUsed, ...shownTime(locale, new Date(usedAt ?? addedAt)) };
  });
  const canAdd = partyOf(ports, request) !== undefined;
  return list.length > 0 || canAdd ? { list, canAdd } : undefined;
}

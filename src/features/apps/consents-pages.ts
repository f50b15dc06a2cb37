import type { SignOut } from "../../db/records.ts";
import type { Form } from "../../http/form.ts";
import type { Answer } from "../../http/responses.ts";
import type { AccessSection, ShownSignOut } from "../../pages/page-data.ts";
import { formatTime, type Locale, shortenText } from "../../pages/words.ts";
import type { UserContext } from "../context.ts";
import { redirectToSection } from "../redirects.ts";
import type { Apps } from "./app-directory.ts";
import { listAccess, revokeAccess } from "./manage-consents.ts";

const MAX_SIGN_OUTS = 5;

/** Takes back what an app may learn about the person. */
export async function postRevokeConsent(context: UserContext, form: Form): Promise<Answer> {
  const { rules, user, client } = context;
  const outcome = await revokeAccess(rules, user, form("app"), client);
  return redirectToSection("apps", context, {
    ...(outcome === "revoked" && { notice: "accessIsTakenBack" }),
  });
}

/** Reads which apps know the person. Returns `undefined` if no app does. */
export async function readAccessSection(
  { rules, user }: UserContext,
  apps: Apps,
  locale: Locale,
): Promise<AccessSection | undefined> {
  const [access, signOuts] = await Promise.all([
    listAccess(rules, user),
    rules.store.signOuts.list({ userId: user.id }, MAX_SIGN_OUTS),
  ]);
  if (access.length + signOuts.length === 0) return undefined;
  const nameOf = (id: string): string => apps.find(id)?.name ?? id;
  return {
    apps: access.flatMap(({ appId, staysSignedIn, signedInAt, agreedAt }) => {
      const since = signedInAt ?? agreedAt;
      if (since === undefined) return [];
      const isSignIn = signedInAt !== undefined;
      const shownSince = formatTime(locale, since);
      return [{ id: appId, name: nameOf(appId), staysSignedIn, since: shownSince, isSignIn }];
    }),
    signOuts: signOuts.map((signOut) => toShownSignOut(locale, signOut, nameOf(signOut.appId))),
  };
}

/** Returns what a page shows of a sign-out that an app was or will be told. */
export function toShownSignOut(
  locale: Locale,
  { acknowledgedAt, endedAt, dueAt, problem }: SignOut,
  name: string,
): ShownSignOut {
  const at = acknowledgedAt ?? endedAt ?? new Date(0);
  const state = () => {
    if (acknowledgedAt !== undefined) return "acknowledged";
    if (dueAt === undefined) return "given-up";
    return problem === undefined ? "waiting" : "retrying";
  };
  return {
    state: state(),
    name: shortenText(name),
    problem: problem && shortenText(problem),
    ...formatTime(locale, at),
  };
}

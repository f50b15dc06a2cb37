import type { SignOut } from "../../db/records.ts";
import type { Form } from "../../http/form.ts";
import type { Answer } from "../../http/responses.ts";
import type { ShownSignOut } from "../../pages/page-data.ts";
import { formatTime, type Locale, shortenText } from "../../pages/words.ts";
import type { UserContext } from "../context.ts";
import { redirectToAccount } from "../redirects.ts";
import { showPage } from "../show-page.ts";
import { toShownApp } from "./app-icon-pages.ts";
import { listAccess, revokeAccess } from "./manage-consents.ts";

const MAX_SIGN_OUTS = 5;

/** Takes back what an app may learn about the person. */
export async function postRevokeConsent(context: UserContext, form: Form): Promise<Answer> {
  const { rules, user, client } = context;
  const outcome = await revokeAccess(rules, user, form("app"), client);
  return redirectToAccount("access", context, {
    ...(outcome === "revoked" && { notice: "accessIsTakenBack" }),
  });
}

/** Shows which apps know the person, and which apps have acknowledged the end of a session. */
export async function getAccess(context: UserContext): Promise<Answer> {
  const { rules, views, request, user, paths } = context;
  const locale = views.locale(request);
  const [apps, access, signOuts] = await Promise.all([
    rules.appDirectory.read(),
    listAccess(rules, user),
    rules.store.signOuts.list({ userId: user.id }, MAX_SIGN_OUTS),
  ]);
  const nameOf = (id: string): string => apps.find(id)?.name ?? id;
  return showPage(context, "access", {
    apps: access.flatMap(({ appId, staysSignedIn, signedInAt, agreedAt }) => {
      const since = signedInAt ?? agreedAt;
      if (since === undefined) return [];
      const isSignIn = signedInAt !== undefined;
      const shownSince = formatTime(locale, since);
      const app = apps.find(appId);
      // Another gate may have removed the app within the last second.
      if (app === undefined) return [];
      const shown = toShownApp(app, apps, paths.base);
      return [{ ...shown, id: appId, staysSignedIn, since: shownSince, isSignIn }];
    }),
    signOuts: signOuts.map((signOut) => toShownSignOut(locale, signOut, nameOf(signOut.appId))),
  });
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

import { toPublicUser } from "../../db/records.ts";
import type { Form } from "../../http/form.ts";
import { askForRecentSignIn, hasRecentSignIn } from "../../http/recent-sign-in.ts";
import type { Answer } from "../../http/responses.ts";
import { notices } from "../../mail/mail.ts";
import type { PageData } from "../../pages/page-data.ts";
import { formatDate, getWords } from "../../pages/words.ts";
import type { UserContext } from "../context.ts";
import { redirectToAccount } from "../redirects.ts";
import { showPage } from "../show-page.ts";
import { changeOwnProfile, confirmAgain } from "./change-own-profile.ts";
import {
  addEnteredProfile,
  profileProblems,
  readProfileChange,
  toProfileForm,
} from "./profile-form-pages.ts";

/** Shows the user what the server knows about the account. */
export async function getProfile(context: UserContext): Promise<Answer> {
  return showPage(context, "profile", await readProfileData(context));
}

async function readProfileData(context: UserContext): Promise<PageData["profile"]> {
  const { rules, views, request, user } = context;
  const stored = await rules.store.users.find(user.id);
  const locale = views.locale(request);
  const end = stored?.endsAt && formatDate(locale, stored.endsAt);
  const form = toProfileForm(stored === undefined ? user : toPublicUser(stored));
  return { form, groups: user.groups ?? [], end, mail: await readMailSection(context) };
}

/** Reads what concerns mail. Returns `undefined` without a mail server. */
async function readMailSection({
  rules,
  views,
  request,
  user,
}: UserContext): Promise<PageData["profile"]["mail"]> {
  if (rules.mailing === undefined) return undefined;
  const now = new Date(rules.clock.now());
  const { mailNotices } = getWords(views.locale(request));
  return {
    pending: await rules.store.links.findPendingEmail(user.id, now),
    notices: notices.map((notice) => mailNotices[notice]),
  };
}

/** Sends the link to confirm an address again. */
export async function postConfirmEmail(context: UserContext): Promise<Answer> {
  const { rules, views } = context;
  const stored = await rules.store.users.find(context.user.id);
  const user = stored === undefined ? context.user : toPublicUser(stored);
  switch (await confirmAgain(rules, user)) {
    case "confirmation-sent":
      return redirectToAccount("profile", context, { notice: "confirmationIsSent" });
    case "rate-limited":
      return views.error(context, 429, "tooManyConfirmations");
    default:
      return redirectToAccount("profile", context);
  }
}

/** Changes the name and the address. A changed address needs a recent sign-in, and is unverified. */
export async function postProfile(context: UserContext, form: Form): Promise<Answer> {
  const { rules, views, request, user, client, paths } = context;
  const change = readProfileChange(form);
  const data = await readProfileData(context);
  if (change.email.trim() !== data.form.email && !hasRecentSignIn(context, request))
    return askForRecentSignIn(context, request, paths.account?.profile);
  const outcome = await changeOwnProfile(rules, user, change, client);
  switch (outcome) {
    case "confirmation-sent":
      return redirectToAccount("profile", context, { notice: "confirmationIsSent" });
    case "rate-limited":
      return views.error(context, 429, "tooManyConfirmations");
    case "set":
      return redirectToAccount("profile", context, { notice: "changeIsSaved" });
    // The account is gone, or guests got here: the next page says so.
    case "no-user":
    case "guest":
      return redirectToAccount("profile", context);
    default: {
      const { message, field } = profileProblems[outcome];
      const problem = { message: views.message(request, message), fields: [field] as const };
      // Of a profile that has changed in the meantime, the form shows the new values.
      const shown =
        outcome === "changed-meanwhile"
          ? (await readProfileData(context)).form
          : addEnteredProfile(data.form, form);
      return views.page(context, "profile", { ...data, form: shown, problem }, { status: 422 });
    }
  }
}

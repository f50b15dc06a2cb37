import type { Answer } from "../../http/responses.ts";
import { formatDate } from "../../pages/words.ts";
import type { UserContext } from "../context.ts";
import { showPage } from "../show-page.ts";

/** Shows the user what the server knows about the account. */
export async function getProfile(context: UserContext): Promise<Answer> {
  const { rules, views, request, user } = context;
  const stored = await rules.store.users.find(user.id);
  const locale = views.locale(request);
  const end = stored?.endsAt && formatDate(locale, stored.endsAt);
  return showPage(context, "profile", { groups: user.groups ?? [], end });
}

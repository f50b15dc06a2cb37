import type { Answer } from "../../http/responses.ts";
import type { UserContext } from "../context.ts";
import { showPage } from "../show-page.ts";
import { formatEntries } from "./format-activity-pages.ts";

const ENTRIES_PER_PAGE = 50;

/**
 * Shows the user's own entries of the audit log. Users never see entries of other users, or entries
 * without an account, such as denied sign-ins.
 */
export async function getHistory(context: UserContext): Promise<Answer> {
  const { rules, views, request, user } = context;
  await rules.events.flush();
  const asked = Number(new URLSearchParams(request.query).get("before"));
  const beforeId = Number.isSafeInteger(asked) && asked > 0 ? asked : undefined;
  const limit = ENTRIES_PER_PAGE + 1;
  const rows = await rules.store.log.newest({ userId: user.id, beforeId, limit });
  const apps = await rules.appDirectory.read();
  const shown = rows.slice(0, ENTRIES_PER_PAGE);
  const last = rows.length > shown.length ? shown.at(-1)?.id : undefined;
  return showPage(context, "history", {
    entries: formatEntries(views.locale(request), shown, { reader: user, apps }),
    newest: beforeId === undefined ? undefined : "",
    older: last === undefined ? undefined : `?before=${last}`,
  });
}

import { eventTypes } from "../../audit/events.ts";
import type { UserId } from "../../db/records.ts";
import type { Answer } from "../../http/responses.ts";
import type { UserContext } from "../context.ts";
import { formatEntries } from "./format-activity-pages.ts";

const ENTRIES_PER_PAGE = 50;
const NOBODY = "" as UserId;

/** Shows the audit log by person and type. */
export async function getActivity(context: UserContext): Promise<Answer> {
  const { rules, views, request } = context;
  const { store, events } = rules;
  const locale = views.locale(request);
  const asked = new URLSearchParams(request.query);
  const [name, id] = [asked.get("name") ?? "", (asked.get("user") ?? "") as UserId];
  const user = await (name === "" ? store.users.find(id) : store.users.findByName(name));
  // An account that was removed is found by its ID. An unknown name finds no entries.
  const userId = name === "" ? id || undefined : (user?.id ?? NOBODY);
  const type = eventTypes.find((candidate) => candidate === asked.get("type"));
  const before = Number(asked.get("before"));
  const beforeId = Number.isSafeInteger(before) && before > 0 ? before : undefined;
  await events.flush();
  const rows = await store.log.newest({ userId, type, beforeId, limit: ENTRIES_PER_PAGE + 1 });
  const shown = rows.slice(0, ENTRIES_PER_PAGE);
  const entries = formatEntries(locale, shown);
  const last = rows.length > shown.length ? `${shown.at(-1)?.id}` : undefined;
  const older = last && new URLSearchParams({ user: userId ?? "", type: type ?? "", before: last });
  const filter = { name: user?.username ?? name, type, types: eventTypes };
  return views.page(context, "activity", { entries, ...filter, next: older && `?${older}` });
}

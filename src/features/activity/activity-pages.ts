import { eventKinds } from "../../audit/events.ts";
import type { UserId } from "../../db/records.ts";
import type { Answer } from "../../http/responses.ts";
import type { UserContext } from "../context.ts";
import { showPage } from "../show-page.ts";
import { formatEntries } from "./format-activity-pages.ts";

const ENTRIES_PER_PAGE = 50;
const NOBODY = "" as UserId;

/** Shows the audit log by person and kind. */
export async function getActivity(context: UserContext): Promise<Answer> {
  const { rules, views, request } = context;
  const { store, events } = rules;
  const asked = new URLSearchParams(request.query);
  const [name, id] = [asked.get("name") ?? "", (asked.get("user") ?? "") as UserId];
  const user = await (name === "" ? store.users.find(id) : store.users.findByName(name));
  // An account that was removed is found by its ID. An unknown name finds no entries.
  const userId = name === "" ? id || undefined : (user?.id ?? NOBODY);
  const kind = [...eventKinds.keys()].find((candidate) => candidate === asked.get("kind"));
  const types = kind && eventKinds.get(kind);
  const before = Number(asked.get("before"));
  const beforeId = Number.isSafeInteger(before) && before > 0 ? before : undefined;
  await events.flush();
  const rows = await store.log.newest({ userId, types, beforeId, limit: ENTRIES_PER_PAGE + 1 });
  const shown = rows.slice(0, ENTRIES_PER_PAGE);
  const ids = [...new Set(shown.flatMap((entry) => entry.userId ?? []))];
  const usernames = await store.people.findUsernames(ids);
  const filter = { user: userId ?? "", kind: kind ?? "" };
  const last = rows.length > shown.length ? `${shown.at(-1)?.id}` : undefined;
  return showPage(context, "activity", {
    entries: formatEntries(views.locale(request), shown, { usernames }),
    name: user?.username ?? name,
    kind,
    kinds: [...eventKinds.keys()],
    newest: beforeId === undefined ? undefined : `?${new URLSearchParams(filter)}`,
    next: last && `?${new URLSearchParams({ ...filter, before: last })}`,
  });
}

import { type EventKind, eventKinds } from "../../audit/events.ts";
import type { UserId } from "../../db/records.ts";
import { APP_ID } from "../../db/tables.ts";
import type { Answer } from "../../http/responses.ts";
import type { UserContext } from "../context.ts";
import { showPage } from "../show-page.ts";
import { formatEntries } from "./format-activity-pages.ts";

const ENTRIES_PER_PAGE = 50;
const NOBODY = "" as UserId;

/** Shows the audit log by person, kind and app. */
export async function getActivity(context: UserContext): Promise<Answer> {
  const { rules, views, request } = context;
  const { store, events } = rules;
  const asked = new URLSearchParams(request.query);
  const [name, id] = [asked.get("name") ?? "", (asked.get("user") ?? "") as UserId];
  const user = await (name === "" ? store.users.find(id) : store.users.findByName(name));
  // An account that was removed is found by its ID. An unknown name finds no entries.
  const userId = name === "" ? id || undefined : (user?.id ?? NOBODY);
  const kind = [...eventKinds.keys()].find((candidate) => candidate === asked.get("kind"));
  const appId = [asked.get("app") ?? ""].find((app) => APP_ID.test(app));
  const types = listTypes(kind, appId);
  const before = Number(asked.get("before"));
  const beforeId = Number.isSafeInteger(before) && before > 0 ? before : undefined;
  await events.flush();
  const query = { userId, types, subject: appId, beforeId, limit: ENTRIES_PER_PAGE + 1 };
  const rows = await store.log.newest(query);
  const shown = rows.slice(0, ENTRIES_PER_PAGE);
  const apps = await rules.appDirectory.read();
  const ids = [...new Set(shown.flatMap((entry) => entry.userId ?? []))];
  const usernames = await store.people.findUsernames(ids);
  const filter = { user: userId ?? "", kind: kind ?? "", app: appId ?? "" };
  const last = rows.length > shown.length ? `${shown.at(-1)?.id}` : undefined;
  return showPage(context, "activity", {
    entries: formatEntries(views.locale(request), shown, { usernames, apps }),
    name: user?.username ?? name,
    app: appId === undefined ? undefined : { id: appId, name: apps.find(appId)?.name ?? appId },
    kind,
    kinds: [...eventKinds.keys()],
    newest: beforeId === undefined ? undefined : `?${new URLSearchParams(filter)}`,
    next: last && `?${new URLSearchParams({ ...filter, before: last })}`,
  });
}

/** Lists the types of a kind. Of entries about an app, only those whose subject is its ID. */
function listTypes(
  kind: EventKind | undefined,
  appId: string | undefined,
): readonly string[] | undefined {
  const types = kind && eventKinds.get(kind);
  if (appId === undefined) return types;
  return (eventKinds.get("apps") ?? []).filter((type) => types?.includes(type) ?? true);
}

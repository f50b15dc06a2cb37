import { eventTypes } from "../../../core/log/events.ts";
import type { LogEntry, UserId } from "../../../core/records.ts";
import type { Answer } from "../../answers/responses.ts";
import type { ListedEntry } from "../../pages/page-data.ts";
import { type Locale, wordsIn } from "../../pages/words.ts";
import type { PeopleRules, WebPorts } from "../../ports.ts";
import { clientOf } from "../../request/remote-address.ts";
import type { AdmittedRequest } from "../../request/web-request.ts";
import { activityIn } from "../home.ts";
import { shortened } from "./list.ts";

const NOBODY = "" as UserId;
const ENTRIES_PER_PAGE = 50;

/** The audit log, by person and type. */
export const getActivity =
  (people: PeopleRules) =>
  async (ports: WebPorts, request: AdmittedRequest): Promise<Answer> => {
    const locale = ports.views.locale(request);
    const { store, flush } = people.portsOf(request.user, clientOf(request, ports.proxies));
    const asked = new URLSearchParams(request.query);
    const name = asked.get("name") ?? "";
    const id = (asked.get("user") ?? "") as UserId;
    const user = await (name === "" ? store.users.find(id) : store.users.findByName(name));
    // The entries of an account that was removed are found by its ID, and none by an unknown name.
    const userId = name === "" ? id || undefined : (user?.id ?? NOBODY);
    const type = eventTypes.find((one) => one === asked.get("type"));
    const before = Number(asked.get("before"));
    const beforeId = Number.isSafeInteger(before) && before > 0 ? before : undefined;
    await flush();
    const limit = ENTRIES_PER_PAGE + 1;
    const found = await store.log.newest({ userId, type, beforeId, limit });
    const entries = found.slice(0, ENTRIES_PER_PAGE);
    const older = new URLSearchParams({
      ...(userId && { user: userId }),
      ...(type && { type }),
      before: `${entries.at(-1)?.id}`,
    });
    return ports.views.page(request, "activity", {
      entries: listed(locale, entries),
      name: user?.username ?? name,
      type,
      types: eventTypes,
      older: found.length > entries.length ? `?${older}` : undefined,
    });
  };

const listed = (locale: Locale, entries: readonly LogEntry[]): readonly ListedEntry[] =>
  activityIn(locale, entries).map((shown, at) => {
    const { author = "", address = "", device = "" } = entries[at] ?? {};
    const by = author === "system" ? "" : wordsIn(locale).by(author.replace(/^admin /, ""));
    const details = [by, address, device].filter((one) => one !== "").map(shortened);
    return { ...shown, text: shortened(shown.text), detail: details.join(", ") };
  });

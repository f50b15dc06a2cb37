import type { Amounts, Contents, ImportPoint, ImportRows } from "./transfer-store.ts";

/** The progress of a copy, stored in the target in the same step as the rows it counts. */
export interface Mark extends Amounts {
  readonly source: string;
  /** The last user and log entry that were read. */
  readonly userId: string;
  readonly entryId: number;
  /** The target's highest log entry ID: a higher one comes from another writer. */
  readonly lastEntryId: number;
  readonly state: "copying" | "different" | "finished";
}

export interface Start {
  readonly kind: "start";
  readonly mark: Mark;
  readonly from: ImportPoint;
  readonly how: "add" | "start-over";
}

/** Why the target is refused. */
export type Refusal =
  | ({ readonly kind: "target-occupied" } & Amounts)
  | { readonly kind: "target-of-another"; readonly source: string }
  | { readonly kind: "target-changed" };

export function startFrom(contents: Contents, source: string): Start | Refusal {
  const { users, entries, lastEntryId } = contents;
  const fresh: Mark = {
    source,
    users: 0,
    entries: 0,
    userId: "",
    entryId: 0,
    lastEntryId,
    state: "copying",
  };
  const mark = contents.mark === undefined ? fresh : parseMark(contents.mark);
  const unmarked = contents.mark === undefined && users + entries > 0;
  if (mark === undefined || mark.state === "finished" || unmarked) {
    return { kind: "target-occupied", users, entries };
  }
  if (mark.source !== source) return { kind: "target-of-another", source: mark.source };
  if (mark.users !== users || mark.entries !== entries || mark.lastEntryId !== lastEntryId) {
    return { kind: "target-changed" };
  }
  return mark.state === "different"
    ? { kind: "start", mark: fresh, from: contents, how: "start-over" }
    : { kind: "start", mark, from: contents, how: "add" };
}

/** The mark after these rows. */
export function advance({ users, entries }: ImportRows, mark: Mark): Mark {
  const entryId = entries.at(-1)?.id ?? mark.entryId;
  return {
    ...mark,
    users: mark.users + users.length,
    entries: mark.entries + entries.length,
    userId: users.at(-1)?.id ?? mark.userId,
    entryId,
    lastEntryId: Math.max(mark.lastEntryId, entryId),
  };
}

/** Parses a mark; `undefined` if another program has written it. */
export function parseMark(text: string | undefined): Mark | undefined {
  if (text === undefined) return undefined;
  try {
    const mark: unknown = JSON.parse(text);
    return isMark(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}

function isMark(mark: unknown): mark is Mark {
  if (typeof mark !== "object" || mark === null) return false;
  const { source, users, entries, userId, entryId, lastEntryId, state } = mark as Partial<Mark>;
  return (
    [source, userId].every((one) => typeof one === "string") &&
    [users, entries, entryId, lastEntryId].every((one) => Number.isSafeInteger(one)) &&
    ["copying", "different", "finished"].includes(state ?? "")
  );
}

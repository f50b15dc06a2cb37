/** A session as transfers carry it with its user. The times are in milliseconds since 1970. */
export type SessionRow = readonly [
  id: string,
  createdAt: number,
  usedAt: number,
  expiresAt: number,
  address: string,
  device: string,
];

/** Reads what `readUsers` of a store returns. */
export const sessionRowsOf = (text = "[]"): readonly SessionRow[] => JSON.parse(text);

/** The end of the year 9999, in milliseconds: not every database can store a later time. */
const MAX_TIME = Date.UTC(10_000, 0) - 1;
const MAX_TEXT_BYTES = 255;

/** Reads what another program may have written; `undefined` unless it is a list of sessions. */
export function parseSessionRows(text: string): readonly SessionRow[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isSessionRow) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isSessionRow(row: unknown): row is SessionRow {
  if (!Array.isArray(row) || row.length !== 6) return false;
  const [id, createdAt, usedAt, expiresAt, address, device] = row;
  return (
    id !== "" &&
    [id, address, device].every(isStorable) &&
    [createdAt, usedAt, expiresAt].every(
      (time) => Number.isSafeInteger(time) && time >= 0 && time <= MAX_TIME,
    )
  );
}

const isStorable = (text: unknown): boolean =>
  typeof text === "string" &&
  text.isWellFormed() &&
  !text.includes("\0") &&
  Buffer.byteLength(text) <= MAX_TEXT_BYTES;

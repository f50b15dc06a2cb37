import { hash } from "node:crypto";
import { Fault, getErrorMessage } from "../lib/fault.ts";
import { readRowPages, tableNames } from "./read-pages.ts";
import type { TableName } from "./tables.ts";
import type { Amounts, RowReader, Rows, TransferStore } from "./transfer-store.ts";

export type CopyOutcome =
  | ({ readonly kind: "copied" } & Amounts)
  | { readonly kind: "source-empty" }
  | ({ readonly kind: "target-occupied" } & Amounts);

/**
 * Copies the rows of all tables into an empty store in one step. Before the step ends, reads both
 * stores again and compares them.
 *
 * @throws When the source changes meanwhile, or the target cannot store a row unchanged. The target
 * then stays empty.
 */
export async function copyStore(
  source: RowReader,
  target: TransferStore,
  onRows: OnRows = () => {},
): Promise<CopyOutcome> {
  if (isEmpty(await source.readAmounts())) return { kind: "source-empty" };
  const targetAmounts = await target.readAmounts();
  if (!isEmpty(targetAmounts)) return { kind: "target-occupied", ...targetAmounts };
  const copied: Digest = new Map();
  const outcome = await target.importRows(copyRows(source, copied, onRows), async (written) => {
    const changed = findDifference(copied, await computeDigest(source, onRows));
    if (changed !== undefined)
      throw new Fault("source_changed", `the ${changed} of the source changed during the copy`);
    const different = findDifference(copied, await computeDigest(written, onRows));
    if (different !== undefined)
      throw new Fault("copy_different", `the ${different} in the target differ from the source`);
  });
  if (outcome === "taken") return { kind: "target-occupied", ...(await target.readAmounts()) };
  const getCount = (table: "users" | "log"): number => copied.get(table)?.count ?? 0;
  return { kind: "copied", users: getCount("users"), entries: getCount("log") };
}

const isEmpty = ({ users, entries }: Amounts): boolean => users + entries === 0;

/** @param copied receives the digest of the rows. */
async function* copyRows(source: RowReader, copied: Digest, onRows: OnRows): AsyncIterable<Rows> {
  for await (const page of readAllRows(source)) {
    addRows(copied, page);
    onRows("copying", copied);
    yield page;
  }
}

/**
 * Reads all rows, and throws only Faults: the store that writes the rows would take any other error
 * for an error of its own driver.
 */
async function* readAllRows(store: RowReader): AsyncIterable<Rows> {
  try {
    for (const table of tableNames) {
      for await (const rows of readRowPages(store, table)) yield { table, rows };
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("unreadable", getErrorMessage(error), { cause: error });
  }
}

interface Sum {
  readonly count: number;
  /** The field holds the sum of the hashes of the rows, modulo 2 to the 128. */
  readonly sum: bigint;
}

/** Holds the count and checksum of the rows of each table that were added so far. */
type Digest = Map<TableName, Sum>;

/** Called after each page of rows, with the counts so far. */
type OnRows = (step: "copying" | "comparing", counts: Digest) => void;

const NONE: Sum = { count: 0, sum: 0n };

async function computeDigest(store: RowReader, onRows: OnRows): Promise<Digest> {
  const digest: Digest = new Map();
  for await (const page of readAllRows(store)) {
    addRows(digest, page);
    onRows("comparing", digest);
  }
  return digest;
}

function addRows(digest: Digest, { table, rows }: Rows): void {
  let { count, sum } = digest.get(table) ?? NONE;
  for (const row of rows) {
    // The hash of an entry has its place instead of its ID: each database assigns its own IDs, but
    // the order is the same.
    const text = JSON.stringify(table === "log" ? row.with(0, count) : row);
    const hashed = hash("sha256", text, "buffer");
    sum += (hashed.readBigUInt64BE(16) << 64n) | hashed.readBigUInt64BE(24);
    count += 1;
  }
  digest.set(table, { count, sum: BigInt.asUintN(128, sum) });
}

/** Returns the first table whose count or checksum differs. */
function findDifference(copied: Digest, compared: Digest): string | undefined {
  const different = tableNames.find((table) => {
    const [copiedSum, comparedSum] = [copied.get(table) ?? NONE, compared.get(table) ?? NONE];
    return copiedSum.count !== comparedSum.count || copiedSum.sum !== comparedSum.sum;
  });
  return different === "log" ? "log entries" : different;
}

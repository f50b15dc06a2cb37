import { AnyFault } from "../base/fault.ts";
import { addRows, type Difference, type Digest, differencesOf } from "./copy-digest.ts";
import { type CopySource, type Reading, rowsOf } from "./copy-pages.ts";
import type { Amounts, Rows, RowWriter } from "./transfer-store.ts";

export type { CopySource } from "./copy-pages.ts";

export type CopyTarget = CopySource & Pick<RowWriter, "importRows">;

export type CopyOutcome =
  | ({ readonly kind: "copied" } & Amounts)
  | { readonly kind: "source-empty" }
  | ({ readonly kind: "target-occupied" } & Amounts)
  /** Everything is in the target, but not the same. */
  | { readonly kind: "different"; readonly differences: readonly Difference[] }
  /** Everything is in the target. The reason why the comparison failed. */
  | { readonly kind: "not-compared"; readonly reason: unknown };

/**
 * Copies the rows of all tables into an empty store in one step, or nothing. Then reads
 * the target and compares it with what was copied.
 * @throws When the source changes meanwhile, or the target cannot store a row. Nothing was copied
 * then.
 */
export async function copy(
  source: CopySource,
  target: CopyTarget,
  progress: Reading["progress"],
): Promise<CopyOutcome> {
  const totals = await source.readAmounts();
  if (isEmpty(totals)) return { kind: "source-empty" };
  const before = await target.readAmounts();
  if (!isEmpty(before)) return { kind: "target-occupied", ...before };
  const reading = { totals, progress };
  const copied: Digest = new Map();
  const outcome = await target.importRows(checkedRows(source, reading, copied), "empty");
  if (outcome === "taken") return { kind: "target-occupied", ...(await target.readAmounts()) };
  return compare(target, reading, copied);
}

const isEmpty = ({ users, entries }: Amounts): boolean => users + entries === 0;

/**
 * Yields the rows of the source, and reads them again at the end: a failure undoes the copy.
 * @param copied Receives the digest of the rows.
 */
async function* checkedRows(
  source: CopySource,
  reading: Reading,
  copied: Digest,
): AsyncIterable<Rows> {
  for await (const page of rowsOf(source, "copying", reading)) {
    addRows(copied, page);
    yield page;
  }
  const again: Digest = new Map();
  for await (const page of rowsOf(source, "checking", reading)) addRows(again, page);
  const [changed] = differencesOf(copied, again);
  if (changed !== undefined) {
    throw new AnyFault("source_changed", `the ${changed.of} of the source changed during the copy`);
  }
}

async function compare(target: CopySource, reading: Reading, copied: Digest): Promise<CopyOutcome> {
  const found: Digest = new Map();
  try {
    for await (const page of rowsOf(target, "comparing", reading)) addRows(found, page);
  } catch (reason) {
    return { kind: "not-compared", reason };
  }
  const differences = differencesOf(copied, found);
  if (differences.length > 0) return { kind: "different", differences };
  const countOf = (table: "users" | "log"): number => copied.get(table)?.count ?? 0;
  return { kind: "copied", users: countOf("users"), entries: countOf("log") };
}

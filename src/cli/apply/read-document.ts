import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
} from "yaml";
import { getErrorMessage } from "../../lib/fault.ts";

/** Names a value by the fields and positions that lead to it, such as `["users", 0, "groups"]`. */
export type Path = readonly (string | number)[];

/** Says what is wrong at one place of the file. */
export interface FileProblem {
  readonly line: number;
  /** `users[0].groups`, or empty for the file as a whole. */
  readonly place: string;
  readonly text: string;
}

/** Reports what is wrong at one place of the file. */
export type ReportProblem = (path: Path, text: string) => void;

/** Contains a file that is valid YAML, of which JSON is a part. */
export interface FileDocument {
  readonly value: unknown;
  /** Creates a problem at the line of the value, or of what would contain it. */
  createProblem(path: Path, text: string): FileProblem;
}

/** Without a limit, aliases of aliases could make a small file fill the memory. */
const MAX_ALIASES = 10_000;

/** Contains a file, or says why it is not valid. */
export type ReadOutcome =
  | { readonly kind: "read"; readonly document: FileDocument }
  | { readonly kind: "broken"; readonly problems: readonly FileProblem[] };

/** Parses the content of a file. */
export function readDocument(content: Uint8Array): ReadOutcome {
  const text = decode(content);
  if (text === undefined) return createBroken("the file is not UTF-8");
  try {
    return parse(text);
  } catch (error) {
    // Aliases that multiply, or too many levels.
    return createBroken(getErrorMessage(error));
  }
}

const createBroken = (text: string): ReadOutcome => ({
  kind: "broken",
  problems: [{ line: 1, place: "", text }],
});

function parse(text: string): ReadOutcome {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const getLine = (offset = 0): number => lines.linePos(offset).line;
  // A warning is about a tag or a directive that would change what a value means.
  const problems = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    line: getLine(pos[0]),
    place: "",
    text: code === "MULTIPLE_DOCS" ? "the file has several documents: write one" : message,
  }));
  if (problems.length > 0) return { kind: "broken", problems };
  const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
  const createProblem = (path: Path, problem: string): FileProblem => ({
    line: getLine(findOffset(document, path)),
    place: formatPath(path),
    text: problem,
  });
  return { kind: "read", document: { value, createProblem } };
}

function decode(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** Returns where the value begins, or the last value on the way to it that exists. */
function findOffset(document: Document, path: Path): number | undefined {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0];
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (!isScalar(pair?.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      if (isNode(node)) offset = node.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

const formatPath = (path: Path): string =>
  path.reduce<string>(
    (place, step) =>
      typeof step === "number" ? `${place}[${step}]` : `${place}${place === "" ? "" : "."}${step}`,
    "",
  );

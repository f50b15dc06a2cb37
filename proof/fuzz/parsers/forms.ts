import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import type { UserId } from "../../../src/db/records.ts";
import { parseForm } from "../../../src/http/form.ts";
import { parseForwardAuthQuery } from "../../../src/http/forward-auth-query.ts";
import { parseJson } from "../../../src/http/json-body.ts";
import { admitsUser } from "../../../src/identity/admits-user.ts";
import { tryCall } from "../../../src/lib/fault.ts";
import type { Parser } from "../parser.ts";

/** Decodes percent escapes to bytes. */
const unescaped = (bytes: Buffer): Buffer =>
  Buffer.from(
    bytes
      .toString("latin1")
      .replace(/%([\da-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    "latin1",
  );

/** Reads what browsers write, and only valid UTF-8. The input is bytes, as latin1. */
export const form: Parser = {
  seeds: ["username=a&password=b", "?a=b", "a=%C3%A9&b=+%2B", "a=%ff", "%", "a&a=1&a=2&=", "\xff"],
  words: ["username=", "&", "=", "%20", "%C3", "%A9", "%e2%82%ac", "%f0%9f%94%91", "\xc3\xa9", "+"],
  maxMs: 20,
  check(given) {
    const bytes = Buffer.from(given, "latin1");
    const text = bytes.toString("latin1");
    const fields = parseForm(bytes);
    assert.equal(fields !== undefined, isUtf8(bytes) && isUtf8(unescaped(bytes)));
    if (fields === undefined) return;
    const plain = (part: string): string =>
      unescaped(Buffer.from(part.replaceAll("+", " "), "latin1")).toString("utf8");
    const pairs = text.split("&").filter((pair) => pair !== "");
    const expected = pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [plain(name), plain(value.join("="))];
    });
    assert.deepEqual([...fields], expected);
  },
};

const FIELDS = { username: "text", code: "text", flag: "flag" } as const;

/** The names in the outermost object of valid JSON, as often as they are there. */
function readNames(json: string): readonly string[] {
  const names: string[] = [];
  let [depth, isName] = [0, false];
  for (let at = 0; at < json.length; at += 1) {
    const from = at;
    const character = json[at] ?? "";
    if (character === '"') {
      for (at += 1; json[at] !== '"'; at += 1) if (json[at] === "\\") at += 1;
      if (isName && depth === 1) names.push(JSON.parse(json.slice(from, at + 1)));
      isName = false;
    } else if ("{[".includes(character)) {
      depth += 1;
      isName = character === "{";
    } else if ("}]".includes(character)) depth -= 1;
    else if (character === ",") isName = depth === 1;
  }
  return names;
}

/** Reads own fields of one object, each once, and as the types that they have. */
export const json: Parser = {
  seeds: [
    '{"username":"a","code":"1","flag":true}',
    '{"flag":false,"other":{"username":"b","code":[1]}}',
    '{"username":"a","username":"b"}',
    '{"us\\u0065rname":"a","username":"b"}',
    '{"__proto__":{"username":"a"},"constructor":1}',
    '{"username":"\\ud800","code":"\\ud83d\\ude00\\u0000"}',
    '[{"username":"a"}]',
    ' {"x":"{\\"username\\":","username" : "}]," } ',
  ],
  words: [
    '"username":',
    '"code":',
    '"flag":true',
    ",",
    "{",
    "}",
    "[",
    "]",
    "\\ud800",
    "\\u0065",
    '\\"',
  ],
  maxMs: 20,
  check(text) {
    const given = text.toWellFormed();
    const form = parseJson(given, FIELDS);
    const body: unknown = tryCall(() => JSON.parse(given));
    const isPlain = typeof body === "object" && body !== null && !Array.isArray(body);
    const names = isPlain ? readNames(given) : [];
    if (!isPlain || new Set(names).size < names.length) return assert.equal(form, "malformed");
    assert.deepEqual(new Set(names), new Set(Object.keys(body)));
    const values = new Map<string, unknown>(Object.entries(body));
    const [username = "", code = "", flag = false] = ["username", "code", "flag"].map((name) =>
      values.get(name),
    );
    const texts = [username, code];
    const isTyped = texts.every((one) => typeof one === "string") && typeof flag === "boolean";
    const isWhole = texts.every((one) => typeof one !== "string" || one.isWellFormed());
    assert.equal(typeof form === "function", isTyped && isWhole);
    if (typeof form !== "function") return;
    const read = [form("username"), form("code"), form("flag"), form("__proto__")];
    assert.deepEqual(read, [...texts, flag ? "1" : "", ""]);
  },
};

const USER = { id: "1" as UserId, username: "owner", groups: ["admins", "a,b"] };

function namesIn(query: string, kind: string): readonly (readonly (string | undefined)[])[] {
  const lists = query.split("&").filter((one) => one === kind || one.startsWith(`${kind}=`));
  return lists.map((one) =>
    one
      .slice(kind.length + 1)
      .split(",")
      .map((name) => {
        const bytes = unescaped(Buffer.from(name));
        return /%(?![\da-f]{2})/i.test(name) || !isUtf8(bytes) ? undefined : bytes.toString();
      }),
  );
}

/** Admits only by a list that names the user or a group, not by a text that looks like one. */
export const lists: Parser = {
  seeds: [
    "users=owner",
    "users=a,b&users=owner",
    "groups=admins&deny=401",
    "groups=a%2Cb",
    "user=a",
  ],
  words: ["users=", "groups=", "deny=401", "owner", "admins", "a%2Cb", ",", "&", "%6fwner", "+"],
  maxMs: 20,
  check(text) {
    // A request cannot contain a lone surrogate.
    const query = text.toWellFormed();
    const read = parseForwardAuthQuery(`?${query}`);
    const known = /^(users|groups|deny)$/;
    const other = query
      .split("&")
      .find((one) => one !== "" && !known.test(one.split("=")[0] ?? ""));
    assert.equal(read.kind === "unknown-parameter", other !== undefined);
    if (read.kind !== "query") return;
    const [users, groups] = [namesIn(query, "users"), namesIn(query, "groups")];
    const isNamed = users.length > 0 && users.every((names) => names.includes("owner"));
    const isMember = (names: readonly (string | undefined)[]): boolean =>
      USER.groups.some((group) => names.includes(group));
    const isGrouped = groups.length > 0 && groups.every(isMember);
    const isOpen = users.length + groups.length === 0;
    assert.equal(admitsUser(read, USER), isOpen || isNamed || isGrouped);
  },
};

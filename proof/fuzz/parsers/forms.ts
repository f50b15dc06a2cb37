import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import type { UserId } from "../../../src/db/records.ts";
import { parseForm } from "../../../src/http/form.ts";
import { parseForwardAuthQuery } from "../../../src/http/forward-auth-query.ts";
import { admitsUser } from "../../../src/identity/admits-user.ts";
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

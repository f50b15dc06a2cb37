import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseUnavailable, isTemporary } from "../../../src/db/postgres/failures.ts";
import { Fault } from "../../../src/lib/fault.ts";

const coded = (message: string, fields: object): Error => Object.assign(new Error(message), fields);
const refused = coded("connect ECONNREFUSED", { code: "ECONNREFUSED", syscall: "connect" });
const password = coded("password authentication failed", { code: "28P01" });
const none = (...errors: Error[]): Error =>
  new Error("none of the hosts accepts writes", { cause: new AggregateError(errors) });

const unknownHost = coded("getaddrinfo ENOTFOUND SSL.certificate", {
  ...{ code: "ENOTFOUND", syscall: "getaddrinfo" },
});
const standby = new Error("the host is a standby");
const expired = coded("certificate has expired", { code: "CERT_HAS_EXPIRED" });
const withoutTls = new Error("The server does not support SSL connections");
const noPassword = new Error("SASL: client password must be a string");
const away = (cause?: unknown): Error => new DatabaseUnavailable(cause);

const failures: readonly (readonly [string, boolean, unknown])[] = [
  ["no answer in time", true, away()],
  ["a refused connection", true, away(refused)],
  ["refused connections to two addresses", true, away(new AggregateError([refused, refused]))],
  ["an unknown host name, whatever it contains", true, away(unknownHost)],
  ["a server that starts", true, away(coded("starting up", { code: "57P03" }))],
  ["no primary among standbys", true, away(none(standby, refused))],
  ["a wrong password at one of two hosts", true, away(none(password, refused))],
  ["a wrong password at every host", false, away(none(password, password))],
  ["a wrong password", false, password],
  ["an expired certificate", false, away(expired)],
  ["a server without TLS", false, away(withoutTls)],
  ["a missing password", false, away(noPassword)],
  ["a newer schema", false, new Fault("schema_newer", "a newer schema")],
];
for (const [what, expected, error] of failures) {
  test(`waiting ${expected ? "may help" : "does not help"} against ${what}`, () => {
    assert.equal(isTemporary(error), expected);
  });
}

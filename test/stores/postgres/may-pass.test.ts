import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../../src/core/base/fault.ts";
import { mayPass } from "../../../src/stores/postgres/may-pass.ts";
import { DatabaseUnavailable } from "../../../src/stores/postgres/query.ts";

const coded = (message: string, fields: object): Error => Object.assign(new Error(message), fields);
const refused = coded("connect ECONNREFUSED", { code: "ECONNREFUSED", syscall: "connect" });
const password = coded("password authentication failed", { code: "28P01" });
const none = (...errors: Error[]): Error =>
  new Error("none of the hosts accepts writes", { cause: new AggregateError(errors) });

const failures: readonly (readonly [string, boolean, unknown])[] = [
  ["no answer in time", true, new DatabaseUnavailable()],
  ["a refused connection", true, new DatabaseUnavailable(refused)],
  [
    "refused connections to two addresses",
    true,
    new DatabaseUnavailable(new AggregateError([refused, refused])),
  ],
  [
    "an unknown host name, whatever it contains",
    true,
    new DatabaseUnavailable(
      coded("getaddrinfo ENOTFOUND SSL.certificate", { code: "ENOTFOUND", syscall: "getaddrinfo" }),
    ),
  ],
  ["a server that starts", true, new DatabaseUnavailable(coded("starting up", { code: "57P03" }))],
  [
    "no primary among standbys",
    true,
    new DatabaseUnavailable(none(new Error("the host is a standby"), refused)),
  ],
  ["a wrong password at one of two hosts", true, new DatabaseUnavailable(none(password, refused))],
  ["a wrong password at every host", false, new DatabaseUnavailable(none(password, password))],
  ["a wrong password", false, password],
  [
    "an expired certificate",
    false,
    new DatabaseUnavailable(coded("certificate has expired", { code: "CERT_HAS_EXPIRED" })),
  ],
  [
    "a server without TLS",
    false,
    new DatabaseUnavailable(new Error("The server does not support SSL connections")),
  ],
  [
    "a missing password",
    false,
    new DatabaseUnavailable(new Error("SASL: client password must be a string")),
  ],
  ["a newer schema", false, new Fault("schema_newer", "a newer schema")],
];
for (const [what, expected, error] of failures) {
  test(`waiting ${expected ? "may help" : "does not help"} against ${what}`, () => {
    assert.equal(mayPass(error), expected);
  });
}

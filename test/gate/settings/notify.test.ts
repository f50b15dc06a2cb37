import assert from "node:assert/strict";
import { test } from "node:test";
import { toNotifyOptions } from "../../../src/gate/settings/settings.ts";
import { secretNames } from "../../../src/gate/settings/table.ts";
import { fileWith } from "../../support/temp-dir.ts";
import { problems, wholeSettings } from "./settings-reading.ts";

const URL_TEXT = "https://hook.example/hunter2";
const KEY = "hunter2 hunter2 hunter2 hunter2";

const EXPECTED =
  "NOTIFY_URL is invalid: expected an https URL, or ntfy://host/topic, also with a user and a password; http only on this machine";

const notify = (env: Readonly<Record<string, string>>) => toNotifyOptions(wholeSettings(env));

test("without NOTIFY_URL, the operator is told nothing", () => {
  assert.equal(notify({}), undefined);
  assert.equal(notify({ NOTIFY_EVENTS: "*" }), undefined);
});

test("reads a webhook, its secret and the events", async (t) => {
  const options = notify({ NOTIFY_URL: URL_TEXT, NOTIFY_SECRET: KEY, NOTIFY_EVENTS: "user.add" });
  assert.deepEqual(options, {
    target: {
      ...{ kind: "webhook", url: URL_TEXT, host: "hook.example", authorization: undefined },
      key: Buffer.from(KEY),
    },
    events: ["user_add"],
  });
  const files = {
    NOTIFY_URL_FILE: await fileWith(t, `${URL_TEXT}\n`),
    NOTIFY_SECRET_FILE: await fileWith(t, `${KEY}\n`),
    NOTIFY_EVENTS: "user.add",
  };
  assert.deepEqual(notify(files), options);
});

test("reads a topic of ntfy, and tells the default events", () => {
  const options = notify({ NOTIFY_URL: "ntfy://ntfy.example/home" });
  assert.equal(options?.target.kind, "ntfy");
  for (const type of ["signup", "user_add", "code_rejected", "message_lost"])
    assert.ok(options?.events.includes(type), type);
  assert.ok(!options?.events.includes("signin"));
});

test("programs that the gate runs get neither the URL nor the secret", () => {
  for (const name of ["NOTIFY_URL", "NOTIFY_SECRET"]) assert.ok(secretNames.includes(name), name);
  const given = { NOTIFY_URL: URL_TEXT, NOTIFY_SECRET: KEY };
  assert.doesNotMatch(JSON.stringify(wholeSettings(given).programEnvironment), /hunter2/);
});

test("rejects a URL and a secret that cannot be used, without repeating them", () => {
  for (const [env, expected] of [
    [{ NOTIFY_URL: "http://hook.example/hunter2" }, EXPECTED],
    [{ NOTIFY_URL: "ntfy://hunter2" }, EXPECTED],
    [{ NOTIFY_URL: "hunter2" }, EXPECTED],
    [
      { NOTIFY_URL: URL_TEXT },
      "NOTIFY_SECRET must have at least 24 bytes, or be whsec_ and as many in base64: it signs what is sent to NOTIFY_URL",
    ],
    [
      { NOTIFY_URL: URL_TEXT, NOTIFY_SECRET: "hunter2" },
      "NOTIFY_SECRET must have at least 24 bytes, or be whsec_ and as many in base64: it signs what is sent to NOTIFY_URL",
    ],
    [
      { NOTIFY_URL: "ntfy://hunter2:hunter2@ntfy.example/hunter2", NOTIFY_SECRET: "tk_hunter2" },
      "NOTIFY_URL has a user and NOTIFY_SECRET is an access token of ntfy: remove one of them",
    ],
    [
      { NOTIFY_URL: "ntfy://ntfy.example/home", NOTIFY_SECRET: KEY },
      "NOTIFY_SECRET must be an access token of ntfy, such as tk_…, for this NOTIFY_URL",
    ],
    [
      { NOTIFY_SECRET: KEY },
      "NOTIFY_SECRET requires NOTIFY_URL, which says where notices are sent",
    ],
  ] as const)
    assert.deepEqual(problems(env), [expected]);
});

test("rejects a pattern that matches no event, with a suggestion", () => {
  for (const [text, expected] of [
    [
      "signup,user_ad",
      'NOTIFY_EVENTS: "user_ad" matches no event of the audit log: did you mean user_add?',
    ],
    [
      "user.x*",
      'NOTIFY_EVENTS: "user.x*" matches no event of the audit log: docs/logs.md lists them',
    ],
    [
      "x".repeat(41),
      "NOTIFY_EVENTS: a pattern matches no event of the audit log: docs/logs.md lists them",
    ],
    [
      "signup;user_add",
      'NOTIFY_EVENTS="signup;user_add" is invalid: expected events of the audit log, separated by commas, such as user.*,signin_refused',
    ],
    [
      "https://hook.example/hunter2?a-secret-in-the-wrong-setting",
      "NOTIFY_EVENTS is invalid: expected events of the audit log, separated by commas, such as user.*,signin_refused",
    ],
  ] as const)
    assert.deepEqual(problems({ NOTIFY_EVENTS: text }), [expected]);
});

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Auth, createAuth } from "../src/index.ts";
import { signInAs } from "../src/testing/index.ts";
import { SECRET } from "./support/gate.ts";
import { recordingLog } from "./support/recording-log.ts";
import { openStore } from "./support/store.ts";

const HIDDEN = "never to be shown";
const LATER = new Date(Date.now() + 60_000);
const INVITATION = { purpose: "invite", usesLeft: 1, expiresAt: LATER };

async function anApp(t: TestContext): Promise<Auth> {
  const auth = createAuth({ store: await openStore(t), secret: SECRET, log: recordingLog() });
  t.after(() => auth.close());
  return auth;
}

/** Arguments that are not those of a function, and how the message begins. */
type Case = readonly [problem: string, ...given: readonly unknown[]];

const noText = (name: string, before: readonly unknown[] = []): readonly Case[] => [
  ...[undefined, null, 5, {}, ["a"], true].map(
    (value): Case => [`${name} is invalid: expected text`, ...before, value],
  ),
  [`${name} is a promise: expected text`, ...before, Promise.resolve("a")],
];

const noTexts = (name: string, before: readonly unknown[]): readonly Case[] => [
  ...[undefined, null, "a", {}, [5]].map(
    (value): Case => [`${name} is invalid: expected a list of texts`, ...before, value],
  ),
  [`${name} is a promise: expected a list of texts`, ...before, Promise.resolve([])],
];

const noObject = (takes: string, before: readonly unknown[] = []): readonly Case[] =>
  [undefined, null, "a", 5].map((value): Case => [takes, ...before, value]);

/** One field at a time with a value that it does not take. */
const fields = (
  good: object,
  takes: Readonly<Record<string, readonly [takes: string, ...values: readonly unknown[]]>>,
  before: readonly unknown[] = [],
): readonly Case[] =>
  Object.entries(takes).flatMap(([name, [expected, ...values]]) =>
    values.map(
      (value): Case => [
        `${name} is invalid: expected ${expected}`,
        ...before,
        { ...good, [name]: value },
      ],
    ),
  );

const DATE = "a valid Date";
const SVG = Buffer.from("<svg/>");
const APP_FIELDS = {
  section: ["text", 5],
  url: ["text", new URL("https://a.test")],
  upstream: ["text", 5],
  groups: ["a list of texts", "admins", [5]],
  factors: ["1 or 2", 0, 3, "2"],
  clientType: ["confidential, public or none", "secret", true],
  redirects: ["a list of texts", "https://a.test", [new URL("https://a.test")]],
  signOutRedirects: ["a list of texts", "https://a.test"],
  backchannelUrl: ["text", 5],
  consent: ["ask or none", true, 1],
  signing: ["RS256 or ES256", "HS256", "none"],
} as const;
const cases: Readonly<Record<string, readonly Case[]>> = {
  "users.add": [
    ...noObject("users.add takes an object"),
    ["username is invalid: expected text", {}],
    ["username is a promise: expected text", { username: Promise.resolve("a") }],
    ...fields(
      { username: "a" },
      {
        username: ["text", undefined, null, 5, {}],
        password: ["text", 5, {}, [HIDDEN]],
        groups: ["a list of texts", "admins", [5], {}],
        endsAt: [DATE, "tomorrow", 5, new Date(Number.NaN)],
      },
    ),
    ["name is not an option", { name: "a" }],
    ["pasword is not an option: did you mean password?", { username: "a", pasword: HIDDEN }],
  ],
  "users.find": noText("id"),
  "users.findByUsername": noText("username"),
  "users.rename": [...noText("id"), ...noText("username", ["1"])],
  "users.setPassword": [
    ...noText("id"),
    ...noText("password", ["1"]),
    ["password is invalid: expected text", "1", [HIDDEN]],
  ],
  "users.setGroups": [...noText("id"), ...noTexts("groups", ["1"])],
  "users.setProfile": [
    ...noText("id"),
    ...noObject("users.setProfile takes an object", ["1"]),
    ...fields(
      {},
      {
        name: ["text", 5, {}],
        email: ["text", 5, ["a@b.test"]],
        emailIs: ["verified or unverified", true, 1, "yes"],
      },
      ["1"],
    ),
    ["mail is not an option", "1", { mail: "a@b.test" }],
  ],
  "users.remove": noText("id"),
  "users.forgetName": noText("username"),
  "sessions.list": noText("userId"),
  "sessions.devices": noText("userId"),
  "sessions.end": noText("id"),
  "sessions.endAll": noText("userId"),
  "sessions.create": noText("userId"),
  "links.make": [
    ...noObject("links.make takes an object"),
    ["purpose is invalid: expected invite, guest, reset or reset-codes-off", {}],
    ["expiresAt is invalid: expected a Date in the future", { purpose: "invite", usesLeft: 1 }],
    ["usesLeft is invalid: expected a whole", { purpose: "invite", expiresAt: LATER }],
    ...fields(INVITATION, {
      purpose: ["invite, guest", "admin", 5, null],
      usesLeft: ["a whole number from 1", 0, -1, 1.5, "1", Number.NaN, Number.POSITIVE_INFINITY],
      expiresAt: ["a Date in the future", new Date(0), "tomorrow", 5, new Date(Number.NaN)],
      endsAt: [DATE, "tomorrow"],
      guestSeconds: ["a whole number of seconds from 1", 0, -1, "60"],
      name: ["text", 5, {}],
      userId: ["text", 5, {}],
      groups: ["a list of texts", "admins", [null]],
    }),
    ["uses is not an option", { ...INVITATION, uses: 1 }],
    ["makerId is not an option", { ...INVITATION, makerId: "1" }],
  ],
  "links.revoke": noText("id"),
  "signUps.approve": noText("id"),
  "signUps.decline": noText("id"),
  "keys.add": [
    ...noText("userId"),
    ...noObject("keys.add takes the ID of a user, and an object", ["1"]),
    ...fields(
      { name: "feeds" },
      {
        name: ["text", undefined, 5],
        lifetime: ["seconds above 0, or never", 0, -1, "1h", Number.NaN, Number.POSITIVE_INFINITY],
        factors: ["1 or 2", 0, 3, "2"],
        hosts: ["a list of texts", "a", [5]],
      },
      ["1"],
    ),
    ["host is not an option: did you mean hosts?", "1", { name: "feeds", host: "a" }],
  ],
  "keys.list": noText("userId"),
  "keys.revoke": noText("id"),
  "apps.find": noText("id"),
  "apps.add": [
    ...noObject("apps.add takes an object"),
    ...fields({ name: "Photos" }, { name: ["text", undefined, 5], id: ["text", 5], ...APP_FIELDS }),
    ["redirect is not an option: did you mean redirects?", { name: "a", redirect: "https://a" }],
    ["createdAt is not an option", { name: "a", createdAt: new Date() }],
  ],
  "apps.change": [
    ...noText("id"),
    ...noObject("apps.change takes the ID of an app, and an object", ["photos"]),
    ...fields({}, { name: ["text", 5, {}], ...APP_FIELDS }, ["photos"]),
    ["id is not an option", "photos", { id: "pictures" }],
  ],
  "apps.remove": noText("id"),
  "apps.addSecret": noText("id"),
  "apps.revokeSecret": noText("id"),
  "apps.setIcon": [
    ...noText("id"),
    ...["", "grey", undefined, null].map(
      (scheme): Case => ["scheme is invalid: expected light or dark", "photos", scheme, SVG],
    ),
    ...[undefined, "<svg>", [1], new ArrayBuffer(1)].map(
      (image): Case => ["image is invalid: expected a Uint8Array", "photos", "light", image],
    ),
    ["image is a promise: expected a Uint8Array", "photos", "dark", Promise.resolve()],
  ],
  "apps.removeIcon": [...noText("id"), ["scheme is invalid", "photos", "Light"]],
  "factors.turnOffCodes": noText("userId"),
  "factors.removeAll": noText("userId"),
};

for (const [path, all] of Object.entries(cases)) {
  test(`auth.${path} refuses other arguments with a clear fault, and does nothing`, async (t) => {
    const auth = await anApp(t);
    const [group = "", method = ""] = path.split(".");
    const functions: unknown = Object(auth)[group];
    for (const [problem, ...given] of all) {
      const calling = async () => Object(functions)[method](...given);
      await assert.rejects(calling, (error) => {
        assert.ok(error instanceof Error && "code" in error);
        assert.equal(error.code, "invalid_option");
        assert.ok(error.message.startsWith(problem), `${error.message} | ${problem}`);
        assert.ok(!error.message.includes(HIDDEN));
        return true;
      });
    }
    for await (const user of auth.users.list()) assert.fail(`there is ${user.username}`);
    assert.deepEqual(await auth.apps.list(), []);
  });
}

test("the table names every function of the account API that takes arguments", async (t) => {
  const auth = await anApp(t);
  const { users, sessions, links, signUps, keys, factors, apps } = auth;
  const all = Object.entries({ users, sessions, links, signUps, keys, factors, apps }).flatMap(
    ([group, one]) => Object.keys(one ?? {}).map((name) => `${group}.${name}`),
  );
  const without = [
    ...["users.list", "links.list", "signUps.list", "apps.list", "apps.rotateKeys"],
    "sessions.endForEveryone",
  ];
  assert.deepEqual(Object.keys(cases).concat(without).sort(), all.sort());
});

test("signInAs refuses a promise, another username and unknown options", async (t) => {
  const auth = await anApp(t);
  for (const [message, ...given] of [
    [/takes the Auth object/, Promise.resolve(auth), "a"],
    [/takes the Auth object/, {}, "a"],
    [/^username is invalid: expected text/, auth, 5],
    [/^group is not an option: did you mean groups\?/, auth, "a", { group: ["b"] }],
    [/^groups is invalid: expected a list of texts/, auth, "a", { groups: "b" }],
  ] as const) {
    const [one, username, options] = given;
    const signing = signInAs(one as Auth, username as string, options as object);
    await assert.rejects(signing, { code: "invalid_option", message });
  }
});

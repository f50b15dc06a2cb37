import assert from "node:assert/strict";
import { test } from "node:test";
import {
  checkOptions,
  defineChoice,
  defineOption,
  defineRequired,
  listOptionNames,
} from "../../src/lib/options.ts";

const text = (value: string): boolean => value.length >= 0;
const TABLE = {
  secret: defineRequired<string>("text", text),
  onDenied: defineChoice("redirect", "negotiate"),
  hosts: {
    publicUrl: defineOption<string | undefined>(undefined, "an origin", text),
    allowed: defineOption<readonly string[]>(["*"], "names", (all) => all.every(text)),
    trustedProxies: defineOption<readonly string[]>([], "addresses", (all) => all.every(text)),
  },
  signIn: { codes: defineOption(true, "true or false", (value) => typeof value === "boolean") },
  pages: { css: defineOption("", "CSS", text), logoFile: defineOption("", "a path", text) },
};
type Settled = Readonly<Record<keyof typeof TABLE, unknown>> & {
  readonly hosts: { readonly allowed: readonly string[] };
};
const settled = (given: unknown) => checkOptions<Settled>(TABLE, given, "it takes an object");

test("completes, copies and freezes options, and takes undefined as left out", () => {
  const allowed = ["a.test"];
  class Given {
    secret = "s";
    hosts = { allowed, publicUrl: undefined };
    signIn = undefined;
  }
  Object.assign(Given.prototype, { onDenied: "negotiate" });
  const options = settled(new Given());
  assert.deepEqual(options, {
    secret: "s",
    onDenied: "redirect",
    hosts: { publicUrl: undefined, allowed, trustedProxies: [] },
    signIn: { codes: true },
    pages: { css: "", logoFile: "" },
  });
  const { hosts } = options;
  assert.ok([options, hosts, hosts.allowed].every(Object.isFrozen));
  assert.notEqual(hosts.allowed, allowed);
  assert.partialDeepStrictEqual(settled({ secret: "s", onDenied: "negotiate" }), {
    onDenied: "negotiate",
  });
  assert.deepEqual(listOptionNames(TABLE), [
    ...["secret", "onDenied", "hosts.publicUrl", "hosts.allowed", "hosts.trustedProxies"],
    ...["signIn.codes", "pages.css", "pages.logoFile"],
  ]);
});

for (const [given, problem] of [
  [undefined, "it takes an object"],
  [[], "it takes an object"],
  [{}, "secret is invalid: expected text"],
  [{ secret: 5 }, "secret is invalid: expected text"],
  [{ secret: Promise.resolve("s") }, "secret is a promise: expected text"],
  [{ secret: "s", onDenied: "" }, "onDenied is invalid: expected redirect or negotiate"],
  [{ secret: "s", hosts: { allowed: [5] } }, "hosts.allowed is invalid: expected names"],
  [{ secret: "s", pages: null }, "pages is invalid: expected an object with css, logoFile"],
  [
    { secret: "s", signIn: Promise.resolve() },
    "signIn is a promise: expected an object with codes",
  ],
  [{ publicUrl: undefined }, "publicUrl is not an option: did you mean hosts.publicUrl?"],
  [{ allowedHosts: ["*"] }, "allowedHosts is not an option: did you mean hosts.allowed?"],
  [{ oneTimeCodes: false }, "oneTimeCodes is not an option: did you mean signIn.codes?"],
  [
    { secret: "s", hosts: { publicURL: "" } },
    "hosts.publicURL is not an option: did you mean hosts.publicUrl?",
  ],
  [{ host: {} }, "host is not an option: did you mean hosts?"],
  [{ trustProxy: true }, "trustProxy is not an option: did you mean hosts.trustedProxies?"],
  [{ secrte: "" }, "secrte is not an option: did you mean secret?"],
  [{ page: "" }, "page is not an option: did you mean pages?"],
  [{ logoFyle: "" }, "logoFyle is not an option: did you mean pages.logoFile?"],
  [{ csss: "" }, "csss is not an option"],
  [{ secret: "s", pages: { login: "" } }, "pages.login is not an option"],
] as const) {
  test(`refuses options: ${problem}`, () =>
    assert.throws(() => settled(given), { code: "invalid_option", message: problem }));
}

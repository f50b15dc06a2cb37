import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { listRecipeIds } from "../../src/recipes/recipe-files.ts";
import { failureOf, outputOf } from "../support/command.ts";
import { jsonLines } from "../support/json-lines.ts";
import { sqlitePlace } from "./user/place.ts";

const URL_OF_APP = "https://photos.example.org";

async function openGate(t: TestContext) {
  const place = await sqlitePlace(t, "owner");
  const env = { ...place.env, PUBLIC_URL: "https://auth.example.org" };
  return {
    run: (...args: readonly string[]) => outputOf(["app", ...args], { env }),
    refuse: (code: number, ...args: readonly string[]) =>
      failureOf(["app", ...args], { env }, code),
    refuseWithoutUrl: (...args: readonly string[]) =>
      failureOf(["app", ...args], { env: place.env }, 2),
    async show(id: string) {
      const [app] = jsonLines<Record<string, unknown>>(
        await outputOf(["app", "show", id, "--json"], { env }),
      );
      return app;
    },
  };
}

test("lists the recipes, finds them by words, and prints them as JSON", async () => {
  const all = (await outputOf(["app", "recipes"], {})).trimEnd().split("\n");
  assert.equal(all.length, listRecipeIds().length);
  assert.match(all.find((line) => line.startsWith("grafana ")) ?? "", / OpenID Connect, headers /);
  const [immich, ...others] = jsonLines<Record<string, unknown>>(
    await outputOf(["app", "recipes", "photos videos", "--json"], {}),
  );
  assert.deepEqual(others, []);
  assert.deepEqual(immich, {
    ...{ id: "immich", name: "Immich", summary: "photos and videos" },
    ways: ["oidc"],
  });
  const none = await failureOf(["app", "recipes", "nothing like this"], {}, 1);
  assert.match(none, /no recipe has the words "nothing like this"/);
});

test("adds an app by its recipe, and prints what to enter there, with the values", async (t) => {
  const { run, show } = await openGate(t);
  const args = ["--recipe", "immich", "--url", `${URL_OF_APP}/`, "--groups", "family"];
  const printed = await run("add", ...args);
  assert.match(printed, /^Added the app "immich"\. Enter this in Immich; the secret is not shown/);
  for (const line of [/: +https:\/\/auth\.example\.org$/m, /: +immich$/m, /: +[\w-]{43}$/m])
    assert.match(printed, line);
  assert.doesNotMatch(printed, /\{\w+\}/);
  const { redirects, groups, name, section } = (await show("immich")) ?? {};
  assert.deepEqual([name, section, groups], ["Immich", "Media", ["family"]]);
  assert.ok((redirects as readonly string[]).includes(`${URL_OF_APP}/auth/login`));

  const second = await run("add", "Old photos", "--recipe", "immich", "--url", "https://b.test");
  assert.match(second, /^Added the app "old-photos"/);
});

test("what the options say wins over the recipe", async (t) => {
  const { run, show } = await openGate(t);
  const callback = "https://photos.example.org/other";
  const chosen = ["--id", "pictures", "--section", "Family", "--redirect", callback];
  await run("add", "--recipe", "immich", "--url", URL_OF_APP, ...chosen);
  const { section, redirects } = (await show("pictures")) ?? {};
  assert.deepEqual([section, redirects], ["Family", [callback]]);
});

test("adds an app by another way of its recipe, without a secret", async (t) => {
  const { run, show } = await openGate(t);
  const printed = await run("add", "--recipe", "grafana", "--url", URL_OF_APP, "--way", "headers");
  assert.match(printed, /^Added the app "grafana"\. Enter this in Grafana:$/m);
  assert.match(printed, /GF_AUTH_PROXY_ENABLED=true/);
  assert.equal((await show("grafana"))?.clientType, "none");
});

test("says what is wrong with a recipe, a way or an address, and adds nothing", async (t) => {
  const { refuse, refuseWithoutUrl, run } = await openGate(t);
  const photos = ["--url", URL_OF_APP];
  const immich = ["--recipe", "immich"];
  for (const [args, text] of [
    [["--recipe", "imich", ...photos], /there is no recipe "imich"\. Did you mean "immich"\?/],
    [["--recipe", "../../package", ...photos], /there is no recipe/],
    [immich, /--recipe needs --url/],
    [[...immich, "--url", "photos"], /the URL "photos" is not a URL/],
    [[...immich, "--url", "http://photos.lan"], /begins with http/],
    [[...immich, ...photos, "--way", "headers"], /Immich has no way "headers": .* has oidc/],
    [["Photos", "--way", "oidc"], /--way is for an app with --recipe/],
    [photos, /app add needs a name, or --recipe/],
  ] as const) {
    assert.match(await refuse(2, "add", ...args), text);
  }
  const unknown = await refuseWithoutUrl("add", ...immich, ...photos);
  assert.match(unknown, /Immich needs the address of the gate: set PUBLIC_URL/);
  assert.equal(await run("list"), "");
  await run("add", ...immich, ...photos);
  assert.match(await refuse(1, "add", ...immich, ...photos), /already an app with the ID "immich"/);
});

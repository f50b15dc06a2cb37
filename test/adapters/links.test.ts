import assert from "node:assert/strict";
import { test } from "node:test";
import { NOT_FOUND } from "./framework.ts";
import { nodeApp } from "./node-app.ts";
import { type RunningAdapter, startApp } from "./running.ts";

const findAddresses = (body: string) => {
  const values = (attribute: string): readonly string[] =>
    [...body.matchAll(new RegExp(`${attribute}="([^"]*)"`, "g"))].map(
      ([, address = ""]) => address,
    );
  return { links: values("href"), sources: values("src"), actions: values("action") };
};

type Addresses = ReturnType<typeof findAddresses>;

/** The links of every page, in each state that changes them, keyed by a description of the page. */
async function readPages(app: RunningAdapter, base: string): Promise<Record<string, Addresses>> {
  const readAddresses = async (path: string, session?: string): Promise<Addresses> =>
    findAddresses((await app.send(`${base}${path}`, { session })).body);
  const unconfigured = {
    setup: await readAddresses("/setup"),
    loginBeforeSetup: await readAddresses("/login"),
    errorBeforeSetup: await readAddresses("/logout"),
  };
  const session = app.addAccount();
  return {
    ...unconfigured,
    login: await readAddresses("/login?error=1"),
    error: await readAddresses("/logout"),
    errorSignedIn: await readAddresses("/logout", session),
    profile: await readAddresses("/account/profile", session),
    signInMethods: await readAddresses("/account/sign-in", session),
    devices: await readAddresses("/account/devices", session),
    history: await readAddresses("/account/history", session),
  };
}

for (const base of ["", "/auth"]) {
  test(`${base || "no base path"}: every link and form points below the base path`, async (t) => {
    const app = await startApp(t, nodeApp, { basePath: base });
    const pages = await readPages(app, base);
    const otherAddresses = Object.entries(pages).map(([name, { links, sources, actions }]) => {
      assert.match(links[0] ?? "", new RegExp(`^${base}/latchkey-logo\\?v=[\\w-]{12}$`), name);
      assert.match(links[1] ?? "", new RegExp(`^${base}/latchkey\\.css\\?v=[\\w-]{12}$`), name);
      assert.match(sources[0] ?? "", new RegExp(`^${base}/latchkey\\.js\\?v=[\\w-]{12}$`), name);
      assert.deepEqual(sources.slice(1), [links[0]], "the logo");
      const isStyle = (link: string) => link.startsWith(`${base}/latchkey.css?v=`);
      const others = new Set(links.slice(1).filter((link) => !isStyle(link)));
      return [name, [...others, ...actions]];
    });
    const shared = ["profile", "sign-in", "devices", "history"];
    const inAccount = (...names: readonly string[]) => [
      ...shared.map((name) => `${base}/account/${name}`),
      `${base}/logout`,
      ...names.map((name) => `${base}/account/${name}`),
    ];
    assert.deepEqual(Object.fromEntries(otherAddresses), {
      setup: [`${base}/setup`],
      loginBeforeSetup: [`${base}/setup`, `${base}/login`],
      errorBeforeSetup: [`${base}/setup`],
      login: [`${base}/login`],
      error: [`${base}/login`],
      errorSignedIn: [`${base}/account/profile`],
      profile: inAccount("profile"),
      signInMethods: inAccount("codes/begin", "password"),
      devices: inAccount("sessions/end"),
      history: inAccount(),
    });
    const check = async (address: string, method: string): Promise<void> => {
      const { status, body } = await app.send(address, { method });
      assert.ok([200, 303].includes(status), `${method} ${address}: ${status}`);
      assert.notEqual(body, NOT_FOUND);
    };
    const opened = Object.values(pages).flatMap(({ links, sources }) => [...links, ...sources]);
    const sent = Object.values(pages).flatMap(({ actions }) => actions);
    for (const address of new Set(opened)) await check(address, "GET");
    for (const address of new Set(sent)) await check(address, "POST");
  });

  test(`${base || "no base path"}: without pages of the account, their paths are the app's`, async (t) => {
    const app = await startApp(t, nodeApp, { basePath: base, homePath: null });
    const session = app.addAccount();
    const names = ["profile", "sign-in", "devices", "access", "keys", "history"];
    for (const path of [base || "/", ...names.map((name) => `${base}/account/${name}`)]) {
      assert.equal((await app.send(path, { session })).body, NOT_FOUND, path);
    }
    assert.match((await app.send(`${base}/logout`, { session })).body, /href="\/">Continue/);
  });
}

import { mkdir } from "node:fs/promises";
import { mock, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page, ViewportSize } from "playwright-core";
import { icons } from "../../src/cli/demo/icons.ts";
import { openSqlite } from "../../src/db/sqlite/store.ts";
import { addApps } from "../support/add-app.ts";
import { openPage } from "../support/browser.ts";
import { type RunningGate, startGate } from "../support/gate.ts";
import { carry, submit } from "./forms.ts";
import { states } from "./states.ts";

/**
 * Takes the screenshots for the documentation: `node test/browser/screenshots.ts`. With a folder as
 * argument, it takes those of every state there, on a small phone too.
 */
const [, , given] = process.argv;
const FOLDER = given ? `${given}/` : fileURLToPath(new URL("../../docs/pages/", import.meta.url));

const SMALL = given ? { small: { width: 320, height: 640 } } : {};
const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 }, ...SMALL };
/** Pictures within a text are lower than the window. */
const LOW = { desk: { width: 960, height: 520 } } as const;
const ADA = { username: "ada", password: "correct horse" } as const;

/** The pages show times, so a fixed clock keeps the screenshots the same. */
mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 2, 2, 8, 12) });

/** Also with forced colours, and with large text, on a phone. */
async function captureForced(page: Page, name: string): Promise<void> {
  await page.setViewportSize(SIZES.phone);
  await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
  await page.screenshot({ path: `${FOLDER}${name}-forced.png`, fullPage: true });
  await page.emulateMedia({ forcedColors: "none" });
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  await page.screenshot({ path: `${FOLDER}${name}-large.png`, fullPage: true });
}

async function capture(
  page: Page,
  name: string,
  sizes: Readonly<Record<string, ViewportSize>> = SIZES,
): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  // Away from elements with a hover style.
  await page.mouse.move(0, 0);
  for (const [device, size] of Object.entries(sizes)) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const path = `${FOLDER}${name}-${colorScheme}-${device}.png`;
      await page.screenshot({ path, fullPage: true });
    }
  }
}

/** At a gate under a name that can have passkeys. */
async function fresh(t: TestContext, settings: Parameters<typeof startGate>[1] = {}) {
  mock.timers.setTime(Date.UTC(2026, 2, 2, 8, 12));
  const page = await openPage(t, { timeZone: "Europe/Berlin", density: 2, statuses: [404, 422] });
  await page.clock.setFixedTime(Date.UTC(2026, 2, 3, 8, 12));
  const gate = await startGate(t, { domainSetupCommand: process.execPath, ...settings });
  return { page, gate, url: gate.url.replace("127.0.0.1", "localhost") };
}

const APPS = [
  { id: "photos", name: "Photos", section: "Family", icon: icons.photos },
  { id: "plans", name: "Plans", section: "Family", icon: icons.plans },
  { id: "notes", name: "Notes", section: "Family", icon: icons.notes },
  { id: "backups", name: "Backups", section: "Server", factors: 2 },
  { id: "feeds", name: "Feeds", section: "Server" },
  { id: "wiki", name: "Wiki", section: "Server" },
] as const;

/** Apps with and without icons, as another process adds them. */
async function addSampleApps(gate: RunningGate): Promise<void> {
  for (const { icon: _, ...app } of APPS as readonly {
    id: string;
    name: string;
    icon?: string;
  }[]) {
    await addApps(gate, { ...app, url: `https://${app.id}.example.org` });
  }
  const store = await openSqlite({ file: gate.databaseFile });
  try {
    for (const { id, icon } of APPS.filter((app) => "icon" in app)) {
      await store.apps.setIcon(id, {
        id: `${id}/light`,
        type: "image/svg+xml",
        body: Buffer.from(icon).toString("base64"),
      });
    }
  } finally {
    store.close();
  }
}

/** With an account, apps and several log entries. */
async function used(t: TestContext) {
  const { page, gate, url } = await fresh(t);
  await addSampleApps(gate);
  await carry({ page, gate, url }, await gate.setUp(ADA));
  await gate.logEntries(1);
  mock.timers.setTime(Date.UTC(2026, 2, 2, 17, 40));
  await gate.signIn(ADA);
  await gate.logEntries(2);
  mock.timers.setTime(Date.UTC(2026, 2, 3, 6, 5));
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await gate.signIn({ password: "wrong" }, { from: "127.0.0.2" });
  }
  await gate.logEntries(3);
  return { page, gate, url };
}

test("setup", async (t) => {
  const { page, url } = await fresh(t);
  await page.goto(`${url}/setup`);
  await capture(page, "setup");
});

test("setup-problem", async (t) => {
  const { page, url } = await fresh(t);
  await page.goto(`${url}/setup`);
  const fields = { ...ADA, confirm: "correct house", domain: "home.example.org" };
  await submit(page, "/setup", fields);
  await capture(page, "setup-problem");
});

test("login-error", async (t) => {
  const { page, url } = await used(t);
  await page.context().clearCookies();
  await page.goto(`${url}/login`);
  await submit(page, "/login", { ...ADA, password: "wrong" });
  await page.locator('[name="password"]:focus').waitFor();
  await capture(page, "login-error");
});

for (const { name, path } of [
  { name: "apps", path: "/apps" },
  { name: "account", path: "/account/sign-in" },
  { name: "people", path: "/account/people" },
  { name: "login", path: "/login" },
  { name: "error", path: "/nothing" },
]) {
  test(name, async (t) => {
    const { page, url } = await used(t);
    if (["login", "error"].includes(name)) await page.context().clearCookies();
    await page.goto(`${url}${path}`);
    await capture(page, name);
  });
}

for (const { name, path } of [
  { name: "tutorial-sign-in", path: "/login?return_to=https%3A%2F%2Ffiles.example.org%2F" },
  { name: "tutorial-apps", path: "/apps" },
]) {
  test(name, async (t) => {
    const domain = { cookieDomain: "example.org", publicUrl: "https://auth.example.org" };
    const { page, gate, url } = await fresh(t, domain);
    for (const [id, app] of Object.entries({ files: "Files", hello: "Hello", flows: "Node-RED" })) {
      await addApps(gate, { id, name: app, url: `https://${id}.example.org` });
    }
    const session = await gate.setUp(ADA);
    if (path === "/apps") await carry({ page, gate, url }, session);
    await page.goto(`${url}${path}`);
    await capture(page, name, LOW);
  });
}

for (const state of given ? states : []) {
  test(state.name, async (t) => {
    const page = await state.open(t, {});
    const name = `state ${state.name}`.replaceAll(/[ ,]+/g, "-");
    await capture(page, name);
    await captureForced(page, name);
  });
}

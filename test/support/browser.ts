import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from "playwright-core";
import { launchOptions } from "./browser-binary.ts";

export interface Visiting {
  readonly scripts?: "on" | "off";
  readonly scheme?: "light" | "dark";
  /** Pixels of the device for each of CSS. */
  readonly density?: number;
  readonly size?: { readonly width: number; readonly height: number };
  /** The language of the browser, such as `de-AT`. */
  readonly language?: string;
  readonly timeZone?: string;
  readonly colours?: "own" | "forced";
  /** Expected statuses from 400 on, which Chromium logs as errors. */
  readonly statuses?: readonly number[];
  /** Whether requests may be cancelled by newer ones. */
  readonly givenUp?: "never" | "allowed";
  /** URLs of other origins that the browser keeps from a page. */
  readonly blocked?: RegExp;
  /** What the pages may write to the console. */
  readonly logs?: RegExp | undefined;
  /** The URL of a proxy for all requests. */
  readonly proxy?: string;
  /** `any`: the browser accepts certificates of authorities that it does not know. */
  readonly certificates?: "known" | "any";
}

const TIMEOUT_MS = 15_000;

let launched: ReturnType<typeof launch> | undefined;

/** One browser for all tests of a file. */
async function sharedBrowser(): Promise<Browser> {
  launched ??= launch();
  return (await launched).browser;
}

after(async () => {
  await (await launched?.catch(() => undefined))?.close();
});

async function launch() {
  const tempDir = await mkdtemp(join(tmpdir(), "latchkey-browser-"));
  const cleanUp = (): Promise<void> => rm(tempDir, { recursive: true, force: true, maxRetries: 5 });
  try {
    const browser = await start(await launchOptions(tempDir));
    const close = (): Promise<void> => browser.close().finally(cleanUp);
    return { browser, close };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

async function start(options: LaunchOptions): Promise<Browser> {
  try {
    return await chromium.launch(options);
  } catch (error) {
    if (options.channel === undefined) throw error;
    throw new Error(`on ${process.platform} ${process.arch} these tests require Google Chrome`, {
      cause: error,
    });
  }
}

/**
 * A page in its own browser profile. The test fails at its end if anything was written to the
 * console, thrown, blocked or not loaded. Open it before the server that it visits, so
 * that its connections are gone when the server stops.
 */
export async function openPage(t: TestContext, visiting: Visiting = {}): Promise<Page> {
  const browser = await sharedBrowser();
  const context = await browser.newContext(contextOptions(visiting));
  context.setDefaultTimeout(TIMEOUT_MS);
  const problems: string[] = [];
  t.after(async () => {
    await context.close();
    // Must be the last hook, since hooks after a failing one do not run.
    t.after(() => assert.deepEqual(problems, []));
  });
  watch(context, visiting, problems);
  await context.addInitScript({ content: REPORT_VIOLATIONS });
  return context.newPage();
}

function contextOptions(visiting: Visiting): BrowserContextOptions {
  return {
    javaScriptEnabled: visiting.scripts !== "off",
    colorScheme: visiting.scheme ?? "light",
    deviceScaleFactor: visiting.density ?? 1,
    viewport: visiting.size ?? { width: 1280, height: 800 },
    timezoneId: visiting.timeZone ?? "UTC",
    forcedColors: visiting.colours === "forced" ? "active" : "none",
    locale: visiting.language ?? "en-GB",
    ignoreHTTPSErrors: visiting.certificates === "any",
    ...(visiting.proxy !== undefined && { proxy: { server: visiting.proxy } }),
  };
}

const REPORT_VIOLATIONS = `document.addEventListener("securitypolicyviolation", (violation) => {
  console.error("blocked by " + violation.effectiveDirective + ": " + violation.blockedURI);
});`;

function watch(context: BrowserContext, visiting: Visiting, problems: string[]): void {
  const { statuses = [], givenUp = "never" } = visiting;
  const expected = new Set(
    statuses.map(
      (status) => `Failed to load resource: the server responded with a status of ${status}`,
    ),
  );
  context.on("console", (message) => {
    if (/^Clear-Site-Data header on .*\/logout': Cleared/.test(message.text())) return;
    // Under load, a test fills in a field before the page has set its focus.
    if (message.text().startsWith("Autofocus processing was blocked")) return;
    if (visiting.logs?.test(message.text())) return;
    const withoutReason = message.text().replace(/ \([^()]*\)$/, "");
    if (!expected.has(withoutReason)) problems.push(`${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (thrown) => problems.push(`thrown: ${thrown.error().stack}`));
  context.on("requestfailed", (request) => {
    const why = request.failure()?.errorText;
    if (why === "net::ERR_ABORTED" && givenUp === "allowed") return;
    if (why === "net::ERR_FAILED" && visiting.blocked?.test(request.url())) return;
    problems.push(`${request.method()} ${request.url()}: ${why}`);
  });
}

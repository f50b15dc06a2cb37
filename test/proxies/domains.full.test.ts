import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { chromium } from "playwright-core";
import { printedBy } from "../../scripts/docs.ts";
import { launchOptions } from "../support/browser-binary.ts";
import { makeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { OWNER, startConfigured } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { withPlaces } from "./examples.ts";
import { script } from "./haproxy.ts";
import { around as nginxAround } from "./nginx.ts";
import { type Starting, startProgram, whereInstalled } from "./program.ts";
import { startRecordingApp } from "./recording-app.ts";
import { PROXY_HOST } from "./site.ts";

const PHOTOS = "photos.other.test";
const WIKI = "wiki.third.test";

/** The configuration that `latchkey proxy` prints, with TLS on the port. */
type Edit = (printed: string, port: number) => string;

const proxies: Readonly<Record<string, { edit: Edit; args: Starting["args"] }>> = {
  nginx: {
    edit: (printed, port) =>
      nginxAround(
        withPlaces(printed, {
          "listen 80;": `listen ${PROXY_HOST}:${port} ssl; ssl_certificate cert.pem; ssl_certificate_key key.pem;`,
        }),
      ).replace("access_log off;", "access_log access.log;"),
    args: (file, folder) => ["-p", folder, "-c", file, "-e", "stderr"],
  },
  caddy: {
    edit: (printed, port) =>
      `{\n\tadmin off\n\tauto_https off\n\tdefault_bind ${PROXY_HOST}\n}\n${printed.replace(
        /^(?:https:\/\/)?([\w.]+\.test)(?::\d+)? \{$/gm,
        `https://$1:${port} {\n\ttls cert.pem key.pem\n\tlog {\n\t\toutput file access.log\n\t}`,
      )}`,
    args: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
  },
  haproxy: {
    edit: (printed, port) =>
      withPlaces(printed, {
        "/etc/haproxy/latchkey.lua": "latchkey.lua",
        "bind :80": `bind ${PROXY_HOST}:${port} ssl crt both.pem`,
        "mode http": "mode http\n    log stdout format raw daemon\n    option httplog",
      }),
    args: (file) => ["-db", "-f", file],
  },
};

/** An app at each of two other domains, and the sign-in at a third. */
async function startDomains(t: TestContext, name: string, program: string) {
  const options = await launchOptions(await tempDir(t));
  const rules = `--host-resolver-rules=MAP *.test ${PROXY_HOST}`;
  const browser = await chromium.launch({ ...options, args: [...(options.args ?? []), rules] });
  t.after(() => browser.close());
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: "en-GB" });
  const { edit, args } = proxies[name] ?? assert.fail();
  const port = await freePort(PROXY_HOST);
  const urlOf = (host: string): string => `https://${host}:${port}`;
  const app = await startRecordingApp(t);
  const settings = {
    publicUrl: urlOf("auth.example.test"),
    returnDomains: ["other.test", "*.third.test"],
    trustedProxies: ["127.0.0.1"],
  };
  const { gate } = await startConfigured(t, settings);
  const printed = printedBy(
    [name, ...[PHOTOS, WIKI].flatMap((host) => ["--app", `${host}=http://${app.place}`])],
    `PORT=${new URL(gate.url).port}\nPUBLIC_URL=${settings.publicUrl}\nRETURN_DOMAINS=${settings.returnDomains}\n`,
  );
  const { cert, key } = makeCertificate({ names: ["auth.example.test", PHOTOS, WIKI] });
  let place = "";
  await startProgram(t, "sh", {
    configuration: edit(printed, port),
    args(file, folder) {
      place = folder;
      // HAProxy writes its log to stdout.
      return ["-c", 'exec "$0" "$@" >>access.log', program, ...args(file, folder)];
    },
    address: { host: PROXY_HOST, port },
    beside: { "cert.pem": cert, "key.pem": key, "both.pem": cert + key, "latchkey.lua": script },
  });
  return { context, app, urlOf, log: () => readFile(`${place}/access.log`, "utf8") };
}

for (const name of Object.keys(proxies)) {
  whereInstalled(name, (program) => {
    test(`${name}: one sign-in opens apps of two domains until the end`, async (t) => {
      const { context, app, urlOf, log } = await startDomains(t, name, program);
      const codes: string[] = [];
      const referrers: string[] = [];
      context.on("request", (request) => {
        codes.push(...(/[?&]code=([\w-]+)/.exec(request.url())?.slice(1) ?? []));
        referrers.push(request.headers().referer ?? "");
      });
      const page = await context.newPage();
      const target = `${urlOf(PHOTOS)}/album?x=1&y=a%20b`;
      const auth = urlOf("auth.example.test");

      await page.goto(target);
      assert.ok(page.url().startsWith(`${auth}/login?return_to=`), page.url());
      assert.match(await page.locator("main").innerText(), /to continue to photos\.other\.test/);
      for (const [field, value] of Object.entries(OWNER)) {
        await page.locator(`[name="${field}"]`).fill(value);
      }
      await page.locator('[type="submit"]').click();
      await page.waitForURL(target);
      assert.equal(await page.locator("body").innerText(), "the application");
      const wiki = `${urlOf(WIKI)}/page`;
      await page.goto(wiki);
      assert.equal(page.url(), wiki, "without another sign-in");
      for (const { headers } of app.arrivals) {
        assert.equal(headers["remote-user"], "owner");
        assert.doesNotMatch(headers.cookie ?? "", /session=/);
      }
      const cookies = (await context.cookies()).filter((cookie) => cookie.name === "session");
      assert.deepEqual(
        cookies.map(({ domain, secure, httpOnly }) => [domain, secure, httpOnly]).sort(),
        ["auth.example.test", PHOTOS, WIKI].map((host) => [host, true, true]).sort(),
      );

      // A code that was used leads to the sign-in, and the address of no page contains one.
      assert.equal(codes.length, 2);
      await page.goto(`${urlOf(PHOTOS)}/login/handoff?code=${codes[0]}`);
      const failed = `${auth}/login?handoff_failed=1&return_to=`;
      assert.ok(page.url().startsWith(failed), page.url());
      await page.locator("a.button").click();
      await page.waitForURL(`${urlOf(PHOTOS)}/`);
      assert.doesNotMatch(referrers.join("\n"), /code=/);
      assert.match(await log(), /\/album/);
      for (const code of codes) assert.ok(!(await log()).includes(code));

      await page.goto(`${auth}/account/devices`);
      assert.match(await page.locator("main").innerText(), /photos\.other\.test/);
      await page.locator("details summary").click();
      await page.getByRole("button", { name: "Sign out everywhere", exact: true }).click();
      await page.waitForURL(`${auth}/login`);
      for (const url of [target, wiki]) {
        await page.goto(url);
        assert.ok(page.url().startsWith(`${auth}/login?return_to=`), page.url());
      }
    });
  });
}

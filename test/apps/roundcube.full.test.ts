/** Roundcube with Dovecot, both of Debian, with what the recipe says to enter. */
import assert from "node:assert/strict";
import { copyFile, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { submit } from "../browser/forms.ts";
import { enterPassword } from "../clients/site.ts";
import { SERVER_CERTIFICATE, SERVER_KEY, writeCertificate } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import type { RunningGate } from "../support/gate.ts";
import { type RegisteredApp, registerApp } from "../support/register-app.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type MailServer, startMailServer } from "./mail-server.ts";
import { operate, type RecipeSite, startRecipeSite } from "./recipe-app.ts";
import { giveAway, requireFile, requireProgram, serveProgram } from "./server-program.ts";

const ADDRESS = "owner@example.org";
const MESSAGE = { to: ADDRESS, subject: "The keys", text: "They are under the mat." } as const;
const EMAIL = "openid email";
const MODULES = "/usr/lib/apache2/modules";
const LOADED =
  "mpm_prefork authz_core alias dir mime env filter deflate expires headers rewrite ssl".split(" ");
const ROUNDCUBE = "/var/lib/roundcube/public_html";

test("roundcube: a person opens the mailbox, and loses it with the session", async (t) => {
  const { site } = await startMail(t, "https");
  const { page, appUrl, issuer } = site;
  await page.goto(appUrl);
  await page.getByRole("link", { name: "Latchkey" }).click();
  await enterPassword(site);
  await page.waitForURL(/_task=mail/);
  await page.getByText(MESSAGE.subject).click();
  const message = page.frameLocator("iframe[name=messagecontframe]");
  await message.getByText(MESSAGE.text).waitFor();

  // The session at the gate stays, so that it asks nothing.
  await page.getByRole("button", { name: "Logout" }).click();
  await page.getByText("You have successfully terminated the session.").waitFor();
  await openByStart(site);
  await page.getByText(MESSAGE.subject).waitFor();

  await page.goto(`${issuer}/`);
  await submit(page, "/logout");
  await page.goto(`${appUrl}/?_task=mail`);
  await page.getByText("[AUTHENTICATIONFAILED]").waitFor();
  assert.equal(await page.getByText(MESSAGE.subject).count(), 0);
});

test("roundcube: the mail server opens a mailbox to its person, and to tokens of the app only", async (t) => {
  const { site, mail } = await startMail(t, "http");
  const { gate, settings } = site;
  const ada = { username: "ada", password: "a long password" };
  const add = ["user", "add", ada.username, "--password-stdin"];
  await operate(site, { input: `${ada.password}\n` }, ...add);
  const session = await signIn(gate, ada);
  const app = { id: settings.CLIENT_ID, secret: settings.CLIENT_SECRET };
  const getToken = (client = app, scope = EMAIL, of = session) => redeem(site, client, scope, of);

  assert.equal(await mail.signIn(ADDRESS, await getToken()), "NO", "without an address");
  const address = ["--email", "ada@example.org"];
  await operate(site, {}, "user", "set", "ada", ...address);
  assert.equal(await mail.signIn("ada@example.org", await getToken()), "NO", "not verified");
  await operate(site, {}, "user", "set", "ada", ...address, "--email-verified");
  const token = await getToken();
  assert.equal(await mail.signIn("ada@example.org", token), "OK");
  assert.equal(await mail.signIn("ADA@example.org", token), "OK", "as addresses are");
  assert.equal(await mail.signIn(ADDRESS, token), "NO", "the mailbox of another person");
  assert.equal(await mail.signIn("ada@example.org", `${token}x`), "NO");
  assert.equal(await mail.signIn("ada@example.org", await getToken(app, "openid")), "NO");

  const redirects = [`${site.appUrl}/other`];
  const other = await registerApp(gate, { name: "Another app", redirects });
  const foreign = await redeem(site, other, EMAIL, session, redirects[0]);
  assert.equal(await mail.signIn("ada@example.org", foreign), "NO", "a token of another app");

  const ofAnother = await getToken(app, EMAIL, await signIn(gate, ada));
  await gate.send("/logout", { method: "POST", session });
  assert.equal(await mail.signIn("ada@example.org", token), "NO", "after the sign-out");
  assert.equal(await mail.signIn("ada@example.org", ofAnother), "OK", "of another session");
  await operate(site, {}, "app", "change", app.id, "--groups", "staff");
  // Another process has changed the app, which the gate notices within a second.
  const isRefused = async () => (await mail.signIn("ada@example.org", ofAnother)) === "NO";
  await eventually(async () => (await isRefused()) || undefined);
  await operate(site, {}, "user", "groups", "ada", "staff");
  const last = await getToken(app, EMAIL, await signIn(gate, ada));
  assert.equal(await mail.signIn("ada@example.org", last), "OK");
  await operate(site, {}, "user", "remove", "ada", "--yes");
  assert.equal(await mail.signIn("ada@example.org", last), "NO", "after the account has ended");
  // The passwords of the system are not asked about tokens.
  const log = await mail.readLog();
  assert.match(log, /oauth2/);
  assert.doesNotMatch(log, /pam_authenticate/);
});

async function startMail(
  t: TestContext,
  scheme: "http" | "https",
): Promise<{ site: RecipeSite; mail: MailServer }> {
  const site = await startRecipeSite(t, "roundcube", { appScheme: "https", scheme });
  await operate(site, {}, "user", "set", "owner", "--email", ADDRESS, "--email-verified");
  const mail = await startMailServer(t, site, MESSAGE);
  await startRoundcube(t, site, mail);
  return { site, mail };
}

/** Starts Roundcube in Apache, as Debian configures it, with the lines of the recipe. */
async function startRoundcube(t: TestContext, site: RecipeSite, mail: MailServer): Promise<void> {
  const apache = requireProgram("apache2", "apache2-bin");
  requireFile(`${ROUNDCUBE}/index.php`, "roundcube-core roundcube-sqlite3");
  const [, version = ""] = /libphp([\d.]+)\.so/.exec((await readdir(MODULES)).join(" ")) ?? [];
  const php = requireFile(`${MODULES}/libphp${version}.so`, "libapache2-mod-php");
  requireFile(`/etc/php/${version}/mods-available/pdo_sqlite.ini`, "php-sqlite3");
  const folder = await tempDir(t);
  for (const name of ["config", "logs", "temp"]) await mkdir(join(folder, name));
  for (const name of ["defaults.inc.php", "mimetypes.php"])
    await symlink(`/etc/roundcube/${name}`, join(folder, "config", name));
  const own = [
    "<?php",
    "$config = [];",
    `$config['db_dsnw'] = 'sqlite:///${folder}/database?mode=0600';`,
    `$config['imap_host'] = '127.0.0.1:${mail.port}';`,
    `$config['log_dir'] = '${folder}/logs';`,
    `$config['temp_dir'] = '${folder}/temp';`,
    `$config['oauth_verify_peer'] = '${folder}/authority';`,
    "$config['des_key'] = 'twenty-four-bytes-of-key';",
  ];
  const lines = [...own, ...site.linesOf("config/config.inc.php"), ""].join("\n");
  await writeFile(join(folder, "config", "config.inc.php"), lines);
  await copyFile(site.caFile, join(folder, "authority"));
  const certificate = { cert: SERVER_CERTIFICATE, key: SERVER_KEY };
  const { certFile, keyFile } = await writeCertificate(folder, certificate);
  const file = join(folder, "apache.conf");
  await writeFile(
    file,
    `
${LOADED.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join("\n")}
LoadModule php_module ${php}
AddHandler application/x-httpd-php .php
TypesConfig /etc/mime.types
ServerName 127.0.0.1
Listen 127.0.0.1:${site.appPort}
StartServers 2
PidFile pid
DefaultRuntimeDir .
ErrorLog error.log
SSLSessionCache none
SSLEngine on
SSLCertificateFile ${certFile}
SSLCertificateKeyFile ${keyFile}
SetEnv ROUNDCUBE_CONFIG_DIR ${folder}/config
<Directory />
  AllowOverride None
  Require all denied
</Directory>
DocumentRoot ${ROUNDCUBE}
DirectoryIndex index.php
Include /etc/roundcube/apache.conf
`,
  );
  await giveAway(folder);
  await serveProgram(t, apache, {
    ...{ args: ["-D", "FOREGROUND", "-d", folder, "-f", file], cwd: folder, port: site.appPort },
    logs: [join(folder, "error.log")],
  });
}

/** Opens the path at which the recipe says that a sign-in begins. */
async function openByStart({ page, appUrl, start }: RecipeSite): Promise<void> {
  assert.ok(start);
  await page.goto(appUrl + start);
  await page.waitForURL(/_task=mail/);
}

/** Signs in at the gate, as a browser would. */
async function signIn(
  gate: RunningGate,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const { session } = await gate.signIn(fields);
  assert.ok(session);
  return session;
}

/** Signs in to an app as its server and the browser do, and returns its access token. */
async function redeem(
  { gate, appUrl }: RecipeSite,
  { id, secret }: RegisteredApp,
  scope: string,
  session: string,
  redirectUri = `${appUrl}/index.php/login/oauth`,
): Promise<string> {
  const query = { client_id: id, redirect_uri: redirectUri, response_type: "code", scope };
  const path = `/oidc/authorize?${new URLSearchParams(query)}`;
  // The gate knows a new app within a second.
  const code = await eventually(async () => {
    const { location } = await gate.send(path, { session });
    return (location && new URL(location).searchParams.get("code")) || undefined;
  });
  const client = { client_id: id, client_secret: secret };
  const grant = { grant_type: "authorization_code", code, redirect_uri: redirectUri };
  const { body } = await gate.send("/oidc/token", { form: { ...client, ...grant } });
  return JSON.parse(body).access_token;
}

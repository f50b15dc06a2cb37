import { toLogEntry } from "../audit/event-log.ts";
import { type App, type StoredUser, toPublicUser } from "../db/records.ts";
import { checkApp } from "../doctor/app/check-app.ts";
import { failed, STEPS, type StepReport } from "../doctor/app/report.ts";
import { type SiteBrowser, USER_AGENT } from "../doctor/app/site-browser.ts";
import { openBrowser, type Subject } from "../doctor/app/subject.ts";
import {
  CHECK_SESSION_SECONDS,
  endCheckSessions,
  findFactors,
  startCheckSession,
} from "../features/sessions/check-session.ts";
import { type DisposableStore, openStore } from "../gate/open-store.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { SESSION_COOKIE } from "../http/session-cookie.ts";
import { NO_CACHE } from "../identity/credential-cache.ts";
import { isAdmin } from "../identity/groups.ts";
import {
  createSessionTokens,
  DEVELOPMENT_SECRET,
  type IssuedToken,
  type SessionTokens,
  type VerifiedToken,
} from "../identity/session-token.ts";
import { Fault, getErrorMessage } from "../lib/fault.ts";
import { toPrintable, toPrintableJson } from "../lib/files/printable.ts";
import { isLocalPath } from "../lib/return-target.ts";
import type { Recipe, Way } from "../recipes/recipe.ts";
import { readRecipe } from "../recipes/recipe-files.ts";
import { createRefusal, nameDatabase, quote, STORE_SETTINGS } from "./accounts.ts";
import {
  type Command,
  FAILURE,
  formatCount,
  type OptionValues,
  SUCCESS,
  type Terminal,
  UsageError,
  waitForSignal,
} from "./command.ts";
import { requireRecipe } from "./recipe.ts";
import { formatReport } from "./report-lines.ts";

/** A check ends after this time, and its session soon after. */
const MAX_CHECK_MS = 180_000;
const CLIENT = { remoteAddress: "", userAgent: USER_AGENT };
const WIDTH = Math.max(...STEPS.map((step) => step.length));

export const command: Command = {
  details:
    "Signs in to the app as a browser does, through the proxy and with OpenID Connect, and says which step fails and what to change. It runs no scripts. It makes a session for the account, and ends it again; the app may create an account of its own for the person. Requests go only to the hosts of the app and the gate.",
  operands: [{ name: "id", need: "required" }],
  options: [
    { name: "as", value: "name", about: "the account; by default the oldest administrator" },
    { name: "start", value: "path", about: "the path of the app that begins its sign-in" },
    { name: "recipe", value: "id", about: "what is known of this app; by default of its ID" },
    { name: "json", about: "print one JSON object" },
  ],
  settings: [
    ...STORE_SETTINGS,
    ...["AUTH_SECRET", "AUTH_SECRET_FILE", "AUTH_SECRET_PREVIOUS", "AUTH_SECRET_PREVIOUS_FILE"],
    ...["PUBLIC_URL", "COOKIE_DOMAIN", "RETURN_DOMAINS"],
  ],
  examples: [
    "latchkey app check photos --env-file latchkey.env",
    "latchkey app check photos --as anna --start /auth/login",
  ],

  async run(settings, options, terminal) {
    const { publicUrl, secret, ownSecretFile } = settings;
    if (ownSecretFile !== undefined && secret === undefined)
      throw new UsageError(
        `AUTH_SECRET=auto: ${ownSecretFile} does not exist: the first start of the gate makes it`,
      );
    if (publicUrl === undefined)
      throw new UsageError(
        "app check needs the address of the gate: set PUBLIC_URL, or write --public-url",
      );
    const start = parseStart(options);
    const named = options.recipe === undefined ? undefined : requireRecipe(String(options.recipe));
    await using store = await openStore(settings, "refuse");
    const app = await findApp(store, options);
    const stored = await findAccount(store, options);
    nameDatabase(settings, terminal);
    const recipe = named ?? readRecipe(app.id);
    const reports: StepReport[] = [];
    const print = async (report: StepReport): Promise<void> => {
      reports.push(report);
      if (options.json === true) return;
      await terminal.printAll(formatReport(report, WIDTH, terminal.system.stdout));
    };
    if (options.json !== true)
      terminal.print(`Checking ${toPrintable(app.name)} as ${toPrintable(stored.username)}.`);
    const ended = await runChecks({ app, stored, recipe, start, settings, store }, print, terminal);
    return summarize(app, stored, reports, ended, options, terminal);
  },
};

interface Wanted {
  readonly app: App;
  readonly stored: StoredUser;
  readonly recipe: Recipe | undefined;
  readonly start: string | undefined;
  readonly settings: Settings;
  readonly store: DisposableStore;
}

/** Says whether the check has come to its end. */
type Ended = { readonly kind: "done" } | { readonly kind: "stopped"; readonly reason: string };

/** Runs the steps with a session, which ends in any case. */
async function runChecks(
  { app, stored, recipe, start, settings, store }: Wanted,
  print: (report: StepReport) => Promise<void>,
  terminal: Terminal,
): Promise<Ended> {
  const { publicUrl = "", secret, previousSecrets, cookieDomain, returnDomains } = settings;
  if (app.url === undefined) {
    const remedy = `set the address at which people open it: latchkey app change ${app.id} --url https://…`;
    await print(failed("address", `${app.name} has no URL`, remedy));
    return { kind: "done" };
  }
  const clock = { now: () => Date.now() };
  const tokens = createSessionTokens(
    secret || DEVELOPMENT_SECRET,
    clock,
    previousSecrets,
    CHECK_SESSION_SECONDS,
  );
  const services = {
    ...{ store, clock, tokens, credentialCache: NO_CACHE },
    record: (event: Parameters<typeof toLogEntry>[0]) =>
      store.log.insert([toLogEntry(event, clock)]),
  };
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error(TOO_LONG)), MAX_CHECK_MS);
  void waitForSignal(terminal.system).then(() => stop.abort(new Error("it was interrupted")));
  const factors = await findFactors(services, stored);
  const token = await startCheckSession(services, stored, factors, CLIENT);
  if (token === "removed") throw createRefusal("no-user", stored.username);
  const subject: Subject = {
    ...{ app, stored, factors, token, store },
    url: new URL(app.url),
    publicUrl: new URL(publicUrl),
    scope: { publicUrl, cookieDomain, returnDomains },
    recipe: recipe && { name: recipe.name, way: findWay(recipe, app) },
    start: start ?? recipe?.start,
    user: toPublicUser(stored),
    now: clock.now,
    stop: stop.signal,
  };
  const browser = openBrowser(subject);
  try {
    for await (const report of checkApp(subject, browser))
      await print(redact(report, browser, token));
    return { kind: "done" };
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    return { kind: "stopped", reason: getErrorMessage(stop.signal.reason) };
  } finally {
    clearTimeout(timer);
    await endSessions(services, stored, listSessions(browser, tokens, token), terminal);
  }
}

const TOO_LONG = `it took longer than ${MAX_CHECK_MS / 60_000} minutes`;

/** Ends the sessions. A failure must not hide what the check has found. */
async function endSessions(
  services: Parameters<typeof endCheckSessions>[0],
  user: StoredUser,
  sessions: Parameters<typeof endCheckSessions>[2],
  terminal: Terminal,
): Promise<void> {
  try {
    await endCheckSessions(services, user, sessions, CLIENT);
  } catch (error) {
    const [first] = sessions;
    terminal.complain(
      `the session of the check was not ended: ${getErrorMessage(error)}; it ends by itself after ${CHECK_SESSION_SECONDS / 60} minutes, or with latchkey session end ${first?.id}`,
    );
  }
}

/** Lists the session of the check, and those of other hosts to which it was passed on. */
function listSessions(
  { jar }: SiteBrowser,
  { verify }: SessionTokens,
  token: IssuedToken,
): readonly (VerifiedToken & Pick<IssuedToken, "id">)[] {
  const others = jar.listValues(SESSION_COOKIE).flatMap((text) => {
    const found = verify(text);
    if (typeof found !== "object" || found.userId !== token.userId) return [];
    const { id } = found;
    return id === undefined || id === token.id ? [] : [{ ...found, id }];
  });
  return [token, ...others];
}

/** Shorter parts of a session are of no use. */
const PART_OF_SECRET = /[\w-]{12,}/g;

/**
 * The app sees cookies of its own domain, and could repeat the session in what it answers. Parts of
 * it are removed too, because long texts are shortened.
 */
function redact(report: StepReport, { jar }: SiteBrowser, token: IssuedToken): StepReport {
  const secrets = [token.text, ...jar.listValues(SESSION_COOKIE)];
  const hide = (text: string): string =>
    text.replace(PART_OF_SECRET, (part) =>
      secrets.some((secret) => secret.includes(part)) ? "(the session)" : part,
    );
  const { found } = report;
  if (report.outcome === "ok") return { ...report, found: hide(found) };
  if (report.outcome === "skipped" && report.remedy === undefined)
    return { ...report, found: hide(found) };
  return { ...report, found: hide(found), remedy: hide(report.remedy ?? "") };
}

/** Finds the way in which the app signs in here. */
const findWay = ({ ways }: Recipe, { clientType }: App): Way | undefined =>
  ways.find(({ way }) => (way === "oidc") === (clientType !== undefined));

function summarize(
  app: App,
  { username }: StoredUser,
  reports: readonly StepReport[],
  ended: Ended,
  { json }: OptionValues,
  terminal: Terminal,
): number {
  const count = (outcome: StepReport["outcome"]): number =>
    reports.filter((report) => report.outcome === outcome).length;
  const [problems, skips] = [count("problem"), count("skipped")];
  const isBroken = problems > 0 || ended.kind === "stopped";
  if (json === true) {
    const outcome = isBroken ? "problem" : "ok";
    const stopped = ended.kind === "stopped" ? { stopped: ended.reason } : {};
    terminal.print(
      toPrintableJson({ app: app.id, as: username, outcome, ...stopped, checks: reports }),
    );
  } else {
    const found = problems === 0 ? "No problems" : formatCount(problems, "problem");
    const rest = skips === 0 ? "" : `, ${formatCount(skips, "step")} skipped`;
    terminal.print(`${found} found${rest}.`);
    if (ended.kind === "stopped") terminal.complain(`the check was stopped: ${ended.reason}`);
  }
  return isBroken ? FAILURE : SUCCESS;
}

function parseStart({ start }: OptionValues): string | undefined {
  if (start === undefined || isLocalPath(String(start))) return start as string | undefined;
  throw new UsageError(
    `--start takes a path of the app such as /auth/login, but got ${quote(start)}`,
  );
}

async function findApp({ apps }: DisposableStore, { id }: OptionValues): Promise<App> {
  const app = await apps.find(String(id));
  if (app !== undefined) return app;
  throw new Fault("refused", `there is no app ${quote(id)}: latchkey app list shows the IDs`);
}

/** Finds the account of the check. */
async function findAccount(store: DisposableStore, { as }: OptionValues): Promise<StoredUser> {
  const now = new Date();
  if (as !== undefined) {
    const user = await store.users.findActiveByName(String(as), now);
    if (user === undefined) throw createRefusal("no-user", as);
    return user;
  }
  const oldest = await findOldestAdmin(store, now);
  if (oldest !== undefined) return oldest;
  throw new Fault("refused", "there is no administrator: name an account with --as");
}

const PAGE_SIZE = 1_000;

/** Accounts do not have the time when they were made, so the audit log decides. */
async function findOldestAdmin(store: DisposableStore, now: Date): Promise<StoredUser | undefined> {
  const admins = new Map<string, StoredUser>();
  for (let after = ""; ; ) {
    const page = await store.users.read(after, PAGE_SIZE);
    for (const user of page) {
      const isActive = user.endsAt === undefined || user.endsAt > now;
      if (isActive && isAdmin(toPublicUser(user))) admins.set(user.id, user);
    }
    const last = page.at(-1)?.id;
    if (last === undefined || page.length < PAGE_SIZE) break;
    after = last;
  }
  if (admins.size < 2) return admins.values().next().value;
  for (const type of ["signup", "user_add", "user_import"]) {
    for (let afterId = 0; ; ) {
      const entries = await store.log.read({ type, afterId, limit: PAGE_SIZE });
      const found = entries.find(({ userId }) => userId !== undefined && admins.has(userId));
      if (found?.userId !== undefined) return admins.get(found.userId);
      if (entries.length < PAGE_SIZE) break;
      afterId = entries.at(-1)?.id ?? afterId;
    }
  }
  return admins.values().next().value;
}

import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { type Auth, createSettledAuth } from "../auth.ts";
import { ADMINS } from "../db/records.ts";
import { openSqlite } from "../db/sqlite/store.ts";
import { LINK_LIFETIME_MS } from "../features/links/make-link.ts";
import { createHandler, type Handler } from "../gate/create-handler.ts";
import { listen } from "../gate/listener.ts";
import { createServerLog } from "../gate/server-log.ts";
import { getHost, type WebRequest } from "../http/web-request.ts";
import { parseHostName } from "../lib/host-name.ts";
import { oidc } from "../oidc.ts";
import { NO_GATE } from "../options.ts";
import { settleOptions } from "../settle-options.ts";
import { type Command, SUCCESS, waitForSignal } from "./command.ts";
import { icons } from "./demo/icons.ts";
import { CALLBACK, createOpenidApp } from "./demo/openid-app.ts";
import { answerProxiedApp } from "./demo/proxied-app.ts";
import type { SampleApp } from "./demo/sample-page.ts";

/**
 * Browsers find every name below `localhost` on this machine. They share cookies below a name with
 * two parts, but not below `localhost` itself.
 */
const DOMAIN = "demo.localhost";
const FAMILY = "family";

const photos = { name: "Photos", icon: icons.photos };
const plans = { name: "Plans", icon: icons.plans };
const notes = { name: "Notes", icon: icons.notes };

export const command: Command = {
  details:
    "Starts a gate with three sample apps on free ports of this machine, and prints accounts for it. Everything is kept in memory, so nothing is left when SIGINT (Ctrl-C) or SIGTERM stops it.",
  settings: [],
  examples: ["latchkey demo"],

  async run(_settings, _options, terminal) {
    const stopSignal = waitForSignal(terminal.system);
    await using resources = new AsyncDisposableStack();
    const store = await openSqlite({ file: ":memory:" });
    resources.defer(() => store.close());
    const front = await listenOnFreePort(resources);
    const openidApp = await listenOnFreePort(resources);
    const toUrl = (host: string, { port }: Listening) => `http://${host}:${port}`;
    const home = toUrl(DOMAIN, front);
    const options = {
      store,
      secret: randomBytes(32).toString("base64url"),
      hosts: {
        allowed: [DOMAIN],
        publicUrl: home,
        cookieDomain: DOMAIN,
        // The proxy is this process.
        trustedProxies: ["127.0.0.1"],
      },
      people: true,
      oidc,
      log: createServerLog("warn", terminal.system.stderr),
    };
    const auth = createSettledAuth(settleOptions(options), { ...NO_GATE, standalone: true });
    resources.defer(() => auth.close());

    const plansUrl = toUrl(`plans.${DOMAIN}`, front);
    const notesUrl = toUrl("localhost", openidApp);
    await addApp(auth, photos, { url: toUrl(`photos.${DOMAIN}`, front), groups: [FAMILY] });
    await addApp(auth, plans, { url: plansUrl, groups: [ADMINS] });
    const redirect = `${notesUrl}${CALLBACK}`;
    const openid = { url: notesUrl, redirects: [redirect], consent: "ask" } as const;
    const client = await addApp(auth, notes, openid);
    front.start(createFrontHandler(auth, home));
    openidApp.start(createHandler(createOpenidApp(notes, { issuer: home, redirect, ...client })));

    const admin = await addAccount(auth, "ada", [ADMINS, FAMILY]);
    const member = await addAccount(auth, "ben", [FAMILY]);
    const guestPath = await makeGuestPath(auth);
    terminal.print(`The apps behind Latchkey: ${home}/

  Administrator  ${admin}
  Member         ${member}
  Guest          ${home}${guestPath}

1. Sign in as ben. The page shows the apps that ben may open.
2. Open Notes. It signs you in by OpenID Connect, and asks you first.
3. Open ${plansUrl}/, which is for administrators only.
4. Open the link of the guest in a private window. It works once.

Chrome, Edge and Firefox find these addresses; some other browsers do not.
Everything is kept in memory. Stop it with Ctrl-C.`);
    await stopSignal;
    return SUCCESS;
  },
};

interface Listening {
  readonly port: string;
  /** Begins to answer. Requests that arrived before wait. */
  start(handle: Handler): void;
}

/** Takes a port before anything can be answered, because the addresses of the apps contain it. */
async function listenOnFreePort(resources: AsyncDisposableStack): Promise<Listening> {
  const { promise: started, resolve: start } = Promise.withResolvers<Handler>();
  const server = createServer(async (request, response) => (await started)(request, response));
  const { port } = new URL(await listen(server, "127.0.0.1", 0));
  resources.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port, start };
}

/** Answers for Latchkey and, as a reverse proxy does, for the apps that have no sign-in. */
function createFrontHandler(auth: Auth, home: string): Handler {
  const proxied: ReadonlyMap<string | undefined, SampleApp> = new Map([
    [`photos.${DOMAIN}`, photos],
    [`plans.${DOMAIN}`, plans],
  ]);
  return createHandler((request: WebRequest) => {
    const app = proxied.get(parseHostName(getHost(request)));
    return app ? answerProxiedApp(auth, home, app, request) : auth.adapter.answer(request);
  });
}

/** Adds an app with its icon, and returns its client ID and secret. */
async function addApp(
  { apps }: Auth,
  { name, icon }: SampleApp,
  fields: Omit<Parameters<Auth["apps"]["add"]>[0], "name">,
): Promise<{ readonly id: string; readonly secret: string }> {
  const added = await apps.add({ ...fields, name });
  if (added.kind !== "added") throw new Error(`${name} was not added: ${added.kind}`);
  const { id } = added.app;
  await apps.setIcon(id, "light", Buffer.from(icon));
  return { id, secret: added.secret ?? "" };
}

/** Adds an account, and returns the columns of its username and its password. */
async function addAccount(
  { users }: Auth,
  username: string,
  groups: readonly string[],
): Promise<string> {
  const password = randomBytes(9).toString("base64url");
  await users.add({ username, password, groups });
  return `${username}  ${password}`;
}

async function makeGuestPath({ links }: Auth): Promise<string> {
  const expiresAt = new Date(Date.now() + LINK_LIFETIME_MS);
  const guest = { purpose: "guest", name: "Guest", groups: [FAMILY], usesLeft: 1 } as const;
  const made = await links.make({ ...guest, expiresAt });
  if (made.kind !== "made") throw new Error(`no link was made: ${made.kind}`);
  return `/link/${made.token}`;
}

import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { nodeAuth } from "../adapters/node.ts";
import { ADMINS } from "../db/records.ts";
import { openSqlite } from "../db/sqlite/store.ts";
import { listen } from "../gate/listener.ts";
import { createServerLog } from "../gate/server-log.ts";
import { createPageHeaders, respond, respondText } from "../http/responses.ts";
import { sendAnswer } from "../http/send-answer.ts";
import { createAuth, type User } from "../index.ts";
import { type Command, SUCCESS, waitForSignal } from "./command.ts";

const USERNAME = "demo";

export const command: Command = {
  details:
    "Starts a sample app behind the sign-in on a free port of this machine and prints an account for it. Everything is kept in memory, so nothing is left when SIGINT (Ctrl-C) or SIGTERM stops it.",
  settings: [],
  examples: ["latchkey demo"],

  async run(_settings, _options, terminal) {
    const stopSignal = waitForSignal(terminal.system);
    await using resources = new AsyncDisposableStack();
    const store = await openSqlite({ file: ":memory:" });
    resources.defer(() => store.close());
    const auth = createAuth({
      store,
      secret: randomBytes(32).toString("base64url"),
      homePath: "/account",
      hosts: { allowed: ["localhost", "127.0.0.1"] },
      guards: { returnTo: true },
      people: true,
      log: createServerLog("warn", terminal.system.stderr),
    });
    resources.defer(() => auth.close());
    const password = randomBytes(9).toString("base64url");
    await auth.users.add({ username: USERNAME, password, groups: [ADMINS] });
    const { routes, requireAuth } = nodeAuth(auth);
    const app = requireAuth(sendAppPage);
    const server = createServer(async (request, response) => {
      if (!(await routes(request, response))) await app(request, response);
    });
    const { port } = new URL(await listen(server, "127.0.0.1", 0));
    resources.defer(() => {
      server.close();
      server.closeAllConnections();
    });
    // The URL has a name instead of an address, because browsers support passkeys for names only.
    terminal.print(`A sample app behind Latchkey: http://localhost:${port}/\n`);
    terminal.print(`  Username  ${USERNAME}\n  Password  ${password}\n`);
    terminal.print("Everything is kept in memory. Stop it with Ctrl-C.");
    await stopSignal;
    return SUCCESS;
  },
};

/**
 * Sends the app's page with the headers of Latchkey's own pages. Usernames are escaped, because
 * invited people choose them.
 */
function sendAppPage({ url }: IncomingMessage, response: ServerResponse, { username }: User): void {
  if (url?.split("?", 1)[0] !== "/") {
    sendAnswer(respondText("not found", 404), response);
    return;
  }
  const escaped = username.replace(/[&<]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sample app</title>
<link rel="icon" href="/latchkey-logo">
<link rel="stylesheet" href="/latchkey.css">
</head>
<body>
<main>
<h1>Hello, ${escaped}</h1>
<p class="about">This page belongs to a sample app. Only signed-in users see it.</p>
<a class="button" href="/account">Your account</a>
<form method="post" action="/logout"><p class="hint">Password, passkeys, one-time codes, sessions, people</p><button type="submit" class="quiet">Sign out</button></form>
</main>
<footer>Latchkey demo</footer>
</body>
</html>
`;
  const hostOptions = { publicUrl: undefined, cookieDomain: undefined };
  const headers = createPageHeaders({
    postLoginLocation: "/",
    returnDomains: [],
    hosts: hostOptions,
  });
  sendAnswer(respond(html, 200, headers), response);
}

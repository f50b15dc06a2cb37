import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { TestContext } from "node:test";
import * as client from "openid-client";
import type { StoredUser } from "../../src/db/records.ts";
import type { AppFields } from "../../src/features/apps/app-fields.ts";
import { createHandler } from "../../src/gate/create-handler.ts";
import type { Auth } from "../../src/index.ts";
import { oidc } from "../../src/oidc.ts";
import type { Either } from "../db/either.ts";
import { type Answer, type Sending, send } from "../support/client.ts";
import { listenOn } from "../support/listen.ts";
import { type AppOptions, authWith } from "../support/options.ts";
import { type RecordedLine, recordingLog } from "../support/recording-log.ts";
import { Browser } from "./browser.ts";

/** The public URL: a proxy in front of the provider would end TLS. */
export const ISSUER = "https://auth.example.org";

/** A person who has an account. */
export interface Person {
  readonly id: StoredUser["id"];
  readonly username: string;
  readonly password: string;
}

/** An app that has been added, with an honest client for it. */
export interface App {
  readonly id: string;
  /** Empty for a public client. */
  readonly secret: string;
  readonly redirectUri: string;
  readonly client: client.Configuration;
}

export interface RunningProvider {
  readonly auth: Auth;
  readonly store: Either;
  readonly log: readonly RecordedLine[];
  /** Sends one request as a program, for a path or a URL of the provider. */
  send(path: string, sending?: Sending): Promise<Answer>;
  /** The same, as the HTTP client of `openid-client`. */
  readonly fetch: client.CustomFetch;
  /** Opens a browser without cookies, with an address of its own. */
  openBrowser(): Browser;
  addPerson(groups?: readonly string[]): Promise<Person>;
  /** Adds an app with a name, a host and a redirect of its own. */
  addApp(fields?: AppFields, auth?: client.ClientAuth): Promise<App>;
}

/** Starts a provider on a free loopback port, over a store that the caller closes. */
export async function startProvider(
  t: Pick<TestContext, "after">,
  store: Either,
  options: AppOptions = {},
): Promise<RunningProvider> {
  const log = recordingLog();
  const auth = authWith({
    store,
    log,
    oidc,
    standalone: true,
    people: true,
    ...options,
    hosts: { publicUrl: ISSUER, trustedProxies: ["127.0.0.1"], ...options.hosts },
  });
  const server = createServer(createHandler(auth.adapter.answer));
  const port = await listenOn(t as TestContext, server);
  t.after(() => auth.close());

  const { host } = new URL(ISSUER);
  const sendTo = ({ pathname, search }: URL, sending: Sending = {}) =>
    send(`http://127.0.0.1:${port}${pathname}${search}`, {
      ...sending,
      headers: { Host: host, "X-Forwarded-Proto": "https", ...sending.headers },
    });

  const fetch: client.CustomFetch = async (url, { method, headers, body }) => {
    const answer = await sendTo(new URL(url), {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body != null && { body: String(body) }),
    });
    return new Response(answer.body === "" ? null : answer.body, {
      status: answer.status,
      headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
    });
  };

  let metadata: Promise<client.ServerMetadata> | undefined;
  const discover = async (): Promise<client.ServerMetadata> => {
    const found = await client.discovery(new URL(ISSUER), "any", undefined, undefined, {
      [client.customFetch]: fetch,
    });
    return found.serverMetadata();
  };
  let count = 0;

  return {
    auth,
    store,
    log: log.lines,
    send: (path, sending) => sendTo(new URL(path, ISSUER), sending),
    fetch,
    openBrowser() {
      count += 1;
      const address = `198.51.${100 + Math.floor(count / 250)}.${1 + (count % 250)}`;
      return new Browser(ISSUER, sendTo, address);
    },
    async addPerson(groups = []) {
      count += 1;
      const [username, password] = [`person${count}`, `a long password ${count}`];
      const added = await auth.users.add({ username, password });
      assert.ok(added.kind === "added");
      if (groups.length > 0) assert.equal(await auth.users.setGroups(added.user.id, groups), "set");
      return { id: added.user.id, username, password };
    },
    async addApp(fields = {}, clientAuth) {
      count += 1;
      const site = `https://app${count}.example.org`;
      const added = await auth.apps.add({
        redirects: [`${site}/callback`],
        signOutRedirects: [`${site}/signed-out`],
        ...fields,
        name: fields.name ?? `App ${count}`,
      });
      assert.ok(added.kind === "added", added.kind);
      const { app, secret = "" } = added;
      metadata ??= discover();
      const config = new client.Configuration(
        await metadata,
        app.id,
        // The default of OpenID Connect is that ID tokens are signed with RS256.
        { client_secret: secret, id_token_signed_response_alg: app.signing ?? "RS256" },
        clientAuth ?? (secret === "" ? client.None() : client.ClientSecretBasic(secret)),
      );
      config[client.customFetch] = fetch;
      // The client verifies signatures, although it gets its ID tokens over TLS.
      client.enableNonRepudiationChecks(config);
      const [redirectUri = ""] = app.redirects ?? [];
      return { id: app.id, secret, redirectUri, client: config };
    },
  };
}

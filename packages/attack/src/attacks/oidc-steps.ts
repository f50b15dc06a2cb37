import type { Attack, Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import {
  Browser,
  hasCode,
  type Place,
  parseObject,
  pathOf,
  type Started,
  start,
  visit,
} from "../oidc/browser.ts";
import { findClosedClient, type OidcClients, requireClients } from "../oidc/clients.ts";
import { openScene } from "../oidc/scene.ts";
import { authenticate, post, type Scene } from "../oidc/tokens.ts";

export const oidcSteps: Attack = {
  name: "oidc-steps",
  about: "sign-ins to apps that another browser has begun, agreed to or continued",
  meaning: "A user signs in to an app as the attacker, or the attacker as the user.",
  noun: "attempts",
  verb: "got through",
  needs: ["account", "clients"],

  async run(target, tally) {
    const clients = requireClients(target);
    const scene = await openScene(target);
    await byOthers(scene, clients, tally);
    await byOtherSites(scene, clients, tally);
    await withPlanted(scene, clients, tally);
    await pushed(scene, clients, tally);
    const closed = findClosedClient(target);
    if (closed === undefined) return;
    tally.tried();
    const browser = new Browser(target, scene.provider, scene.session);
    if (hasCode(await visit(browser, start(scene.provider, closed))))
      tally.gotThrough("a person who may not open an app gets a code for it");
  },
};

const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", Origin: "https://elsewhere.example" };

interface Begun {
  readonly browser: Browser;
  readonly started: Started;
  /** The path at which the server asks the person. */
  readonly step: string;
}

/** Begins a sign-in in a browser, up to where the server asks the person. */
async function begin({ target, provider }: Scene, client: OidcClients["app"]): Promise<Begun> {
  const browser = new Browser(target, provider);
  const started = start(provider, client);
  const { location = "" } = await browser.ask({ path: started.path });
  const step = URL.canParse(location, provider.issuer)
    ? new URL(location, provider.issuer).pathname
    : "";
  if (browser.cookies(/./).length === 0) throw new Undecided("a sign-in sets no cookie");
  return { browser, started, step };
}

/** The path at which the server continues after the person has agreed. */
const resumeOf = ({ provider }: Scene, { step }: Begun): string =>
  `${pathOf(provider, "authorization_endpoint")}/${step.split("/").at(-1) ?? ""}`;

async function byOthers(scene: Scene, clients: OidcClients, tally: Tally): Promise<void> {
  const { target, provider, session } = scene;
  for (const client of [clients.app, clients.open]) {
    const check = (what: string, place: Place): void => {
      tally.tried();
      if (hasCode(place)) tally.gotThrough(`the client ${client.id}: ${what}`);
    };
    const agree = async (browser: Browser, path: string): Promise<Place> => {
      const place = await browser.go({ path });
      if (hasCode(place) || place.response.status !== 200) return place;
      return browser.go({ path: place.path, form: { answer: "yes" } });
    };
    const signedIn = (): Browser => new Browser(target, provider, session);

    const own = await begin(scene, client);
    own.browser.plant("session", session);
    if (!hasCode(await agree(own.browser, own.step)))
      throw new Undecided("a sign-in that is continued gives no code");

    // The attacker begins, and the user opens the attacker's link.
    const attacker = await begin(scene, client);
    check(
      "a user continues a sign-in that another browser has begun",
      await agree(signedIn(), attacker.step),
    );
    check(
      "a user finishes a sign-in that another browser has begun",
      await signedIn().go({ path: resumeOf(scene, attacker) }),
    );
    check(
      "the attacker's browser gets the code of the user",
      await attacker.browser.go({ path: resumeOf(scene, attacker) }),
    );

    // Both have begun.
    const user = await begin(scene, client);
    user.browser.plant("session", session);
    check(
      "a user who has begun continues the sign-in of another browser",
      await agree(user.browser, attacker.step),
    );
    check(
      "the attacker continues the sign-in of a user",
      await attacker.browser.go({ path: user.step }),
    );

    // The user has agreed, and the attacker knows the address.
    const agreed = await begin(scene, client);
    agreed.browser.plant("session", session);
    const page = await agreed.browser.ask({ path: agreed.step });
    if (page.status === 200)
      await agreed.browser.ask({ path: agreed.step, form: { answer: "yes" } });
    check(
      "another browser gets the code that a user has agreed to",
      await new Browser(target, provider).go({ path: resumeOf(scene, agreed) }),
    );
    const begun = await begin(scene, client);
    check(
      "a browser that has begun gets the code that a user has agreed to",
      await begun.browser.go({ path: resumeOf(scene, agreed) }),
    );
    for (const name of ["latchkey-oidc-resume", "latchkey-oidc-interaction"]) {
      const forged = new Browser(target, provider);
      forged.plant(name, "x");
      check(
        `a browser with a forged ${name} gets the code of a user`,
        await forged.go({ path: resumeOf(scene, agreed) }),
      );
    }
    // Signed out meanwhile: the step remembers who agreed.
    const late = await begin(scene, client);
    late.browser.plant("session", session);
    const asked = await late.browser.ask({ path: late.step });
    if (asked.status === 200) await late.browser.ask({ path: late.step, form: { answer: "yes" } });
    late.browser.forget(/^session$/);
    check(
      "a browser gets a code after its session has ended",
      await late.browser.go({ path: resumeOf(scene, late) }),
    );
  }
}

/** Agreeing for the person, from another site. */
async function byOtherSites(scene: Scene, { open }: OidcClients, tally: Tally): Promise<void> {
  const { target, provider, session } = scene;
  const ways: readonly (readonly [string, (begun: Begun) => Promise<Place>])[] = [
    [
      "a form of another site agrees",
      ({ browser, step }) =>
        browser.go({ path: step, form: { answer: "yes" }, headers: CROSS_SITE }),
    ],
    [
      "a form of a sibling site agrees",
      ({ browser, step }) =>
        browser.go({
          path: step,
          form: { answer: "yes" },
          headers: { "Sec-Fetch-Site": "same-site", Origin: undefined },
        }),
    ],
    [
      "a form of another site agrees in an old browser",
      ({ browser, step }) =>
        browser.go({
          path: step,
          form: { answer: "yes" },
          headers: { ...CROSS_SITE, "Sec-Fetch-Site": undefined },
        }),
    ],
    [
      "a form with the origin null agrees",
      ({ browser, step }) =>
        browser.go({
          path: step,
          form: { answer: "yes" },
          headers: { Origin: "null", "Sec-Fetch-Site": undefined },
        }),
    ],
    ["a link agrees", ({ browser, step }) => browser.go({ path: `${step}?answer=yes` })],
    [
      "a form without the cookie of the sign-in agrees",
      ({ browser, step }) => {
        browser.forget(/interaction/);
        return browser.go({ path: step, form: { answer: "yes" } });
      },
    ],
    [
      "a form without a session agrees",
      ({ browser, step }) => {
        browser.forget(/^session$/);
        return browser.go({ path: step, form: { answer: "yes" } });
      },
    ],
    [
      "a form without an answer agrees",
      ({ browser, step }) => browser.go({ path: step, form: { other: "yes" } }),
    ],
    [
      "a person who cancels agrees",
      ({ browser, step }) => browser.go({ path: step, form: { answer: "no" } }),
    ],
  ];
  for (const [what, act] of ways) {
    const begun = await begin(scene, open);
    begun.browser.plant("session", session);
    // Skips the steps that need no person. The last one shows the page.
    const { path, response } = await begun.browser.go({ path: begun.step });
    if (!/name="answer"/.test(response.body)) return;
    tally.tried();
    if (hasCode(await act({ ...begun, step: path })))
      tally.gotThrough(`the client ${open.id}: ${what}`);
  }
  tally.tried();
  const browser = new Browser(target, provider, session);
  if (hasCode(await browser.go(start(provider, open, { prompt: "none" }))))
    tally.gotThrough(`the client ${open.id} gets a code without a page that names it`);
}

/** Cookies that an attacker has planted in the browser of a user, or kept from it. */
async function withPlanted(scene: Scene, { app }: OidcClients, tally: Tally): Promise<void> {
  const { target, provider, session } = scene;
  const planted = new Browser(target, provider);
  await planted.go({ path: pathOf(provider, "end_session_endpoint") });
  const user = new Browser(target, provider, session);
  await user.go(start(provider, app));
  for (const cookie of [...planted.cookies(/oidc/), ...user.cookies(/oidc/)]) {
    const attacker = new Browser(target, provider);
    attacker.plant(cookie.name, cookie.value);
    tally.tried();
    if (hasCode(await attacker.go(start(provider, app))))
      tally.gotThrough(`the cookie ${cookie.name} signs in without a session`);
  }
  const attacker = new Browser(target, provider);
  attacker.plant("latchkey-oidc", session);
  tally.tried();
  if (hasCode(await attacker.go(start(provider, app))))
    tally.gotThrough("a session signs in as a cookie of the provider");
}

/** Requests that a client has pushed. */
async function pushed(
  scene: Scene,
  { app, other, open }: OidcClients,
  tally: Tally,
): Promise<void> {
  const { target, provider, session } = scene;
  const push = async (): Promise<string> => {
    const query = new URLSearchParams(start(provider, app).path.split("?")[1]);
    const endpoint = "pushed_authorization_request_endpoint";
    const response = await post(scene, endpoint, authenticate(app), Object.fromEntries(query));
    const { request_uri: uri } = parseObject(response.body);
    if (typeof uri !== "string") throw new Undecided("a request cannot be pushed");
    return uri;
  };
  const use = (
    client_id: string,
    request_uri: string,
    others: Readonly<Record<string, string>> = {},
  ): Promise<Place> => {
    const path = pathOf(provider, "authorization_endpoint");
    const browser = new Browser(target, provider, session);
    return visit(browser, {
      path: `${path}?${new URLSearchParams({ client_id, request_uri, ...others })}`,
    });
  };
  const uri = await push();
  for (const thief of [other, open]) {
    tally.tried();
    const place = await use(thief.id, uri);
    if (hasCode(place) || place.away?.startsWith(app.redirect))
      tally.gotThrough(`the client ${thief.id} uses the pushed request of the client ${app.id}`);
  }
  const changed = await use(app.id, await push(), { redirect_uri: other.redirect, state: "x" });
  tally.tried();
  if (
    hasCode(changed) &&
    (!changed.away?.startsWith(app.redirect) || /state=x&|state=x$/.test(changed.away))
  )
    tally.gotThrough("parameters beside a pushed request replace its own");
  if (!hasCode(await use(app.id, uri))) throw new Undecided("a pushed request gives no code");
  tally.tried();
  if (hasCode(await use(app.id, uri))) tally.gotThrough("a pushed request gives a code again");
  const raced = await push();
  const places = await Promise.all(Array.from({ length: 8 }, () => use(app.id, raced)));
  tally.tried();
  const codes = places.filter(hasCode).length;
  if (codes > 1) tally.gotThrough(`a pushed request gives ${codes} codes at once`);
}

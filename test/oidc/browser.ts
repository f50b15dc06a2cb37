import assert from "node:assert/strict";
import type { Answer, Sending } from "../support/client.ts";

/** Sends one request to the provider, for a URL below its public URL. */
export type Send = (url: URL, sending?: Sending) => Promise<Answer>;

/** Where a browser is after it has followed all redirects. */
export interface Page {
  readonly url: URL;
  /** 0 on the site of an app, which does not run. */
  readonly status: number;
  readonly headers: Answer["headers"];
  readonly html: string;
  /** The path of each request that led here, with its query. */
  readonly trail: readonly string[];
  /** The fields that the provider had the browser post to an app. */
  readonly posted: URLSearchParams | undefined;
}

export interface Visit {
  /** Posts a form of another site with these fields. */
  readonly form?: Readonly<Record<string, string>> | URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly isLax: boolean;
}

interface Form {
  readonly action: string;
  readonly method: string;
  /** Fields that are sent as they are. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Each button with its value, of which one is sent. */
  readonly buttons: readonly (readonly [name: string, value: string])[];
}

const MAX_REDIRECTS = 12;

/**
 * Visits the pages of one site without scripts, as a person does: keeps cookies, follows redirects,
 * and submits the forms of a page. Enforces `SameSite`, the path of a cookie, and `form-action`.
 */
export class Browser {
  readonly #origin: string;
  readonly #send: Send;
  /** A proxy in front of the provider reports this address. */
  readonly #address: string;
  /** By name and path: cookies of one name with other paths are others. */
  readonly #cookies = new Map<string, Cookie>();

  constructor(origin: string, send: Send, address: string) {
    this.#origin = origin;
    this.#send = send;
    this.#address = address;
  }

  /** Opens a URL from another site, by a link or by a form, and follows redirects. */
  visit(url: URL | string, { form, headers = {} }: Visit = {}): Promise<Page> {
    const body = form && new URLSearchParams(form as URLSearchParams);
    return this.#follow(new URL(url, this.#origin), body, "cross-site", headers);
  }

  /** Opens a URL without following a redirect. */
  async open(url: URL | string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#request(new URL(url, this.#origin), undefined, "cross-site", headers);
  }

  /**
   * Submits the form of the page that has all these fields and buttons. Its other fields keep their
   * values. Follows redirects.
   */
  async submit(page: Page, fields: Readonly<Record<string, string>> = {}): Promise<Page> {
    const names = Object.keys(fields);
    const form = findForms(page.html).find((one) => names.every((name) => hasField(one, name)));
    assert.ok(form, `no form with ${names.join(", ")} at ${page.url}: ${page.html}`);
    const body = new URLSearchParams();
    for (const [name, value] of form.fields) body.set(name, fields[name] ?? value);
    for (const [name] of form.buttons) {
      if (fields[name] !== undefined) body.set(name, fields[name]);
    }
    const target = new URL(form.action, page.url);
    if (form.method === "get") {
      target.search = body.toString();
      return this.#follow(target, undefined, "same-origin", {});
    }
    return this.#follow(target, body, "same-origin", {}, readFormAction(page));
  }

  /** The value of a cookie, with any path. */
  cookie(name: string): string | undefined {
    return [...this.#cookies.values()].find((cookie) => cookie.name === name)?.value;
  }

  forgetCookies(): void {
    this.#cookies.clear();
  }

  async #follow(
    start: URL,
    form: URLSearchParams | undefined,
    site: "cross-site" | "same-origin",
    headers: Readonly<Record<string, string>>,
    formAction?: readonly string[],
  ): Promise<Page> {
    const trail: string[] = [];
    let url = start;
    let body = form;
    for (;;) {
      if (formAction !== undefined) this.#assertAllowed(url, formAction);
      if (url.origin !== this.#origin)
        return { url, status: 0, headers: {}, html: "", trail, posted: body };
      trail.push(url.pathname + url.search);
      assert.ok(trail.length <= MAX_REDIRECTS, `redirects in a circle: ${trail.join(" > ")}`);
      const answer = await this.#request(url, body, site, headers);
      if (answer.location === undefined) {
        const { status, body: html } = answer;
        return { url, status, headers: answer.headers, html, trail, posted: undefined };
      }
      assert.ok([302, 303].includes(answer.status), `${answer.status} to ${answer.location}`);
      url = new URL(answer.location, url);
      body = undefined;
    }
  }

  async #request(
    url: URL,
    form: URLSearchParams | undefined,
    site: "cross-site" | "same-origin",
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const isForeignPost = site === "cross-site" && form !== undefined;
    const cookies = [...this.#cookies.values()].filter(
      ({ path, isLax }) => isBelow(url.pathname, path) && !(isForeignPost && isLax),
    );
    const answer = await this.#send(url, {
      ...(form !== undefined && { body: form.toString() }),
      headers: {
        Accept: "text/html,application/xhtml+xml",
        "Accept-Language": "en",
        "Sec-Fetch-Dest": "document",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Site": site,
        "X-Forwarded-For": this.#address,
        "X-Forwarded-Proto": "https",
        ...(form !== undefined && {
          "Content-Type": "application/x-www-form-urlencoded",
          Origin: site === "same-origin" ? this.#origin : "https://app.example.org",
        }),
        ...(cookies.length > 0 && {
          Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
        }),
        ...headers,
      },
    });
    for (const line of answer.cookies) this.#keep(line);
    return answer;
  }

  #keep(line: string): void {
    const [pair = "", ...rest] = line.split(";").map((part) => part.trim());
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    const attributes = new Map(
      rest.map((part) => {
        const [key = "", value = ""] = part.split("=", 2);
        return [key.toLowerCase(), value] as const;
      }),
    );
    const expires = Date.parse(attributes.get("expires") ?? "");
    const isGone = Number(attributes.get("max-age") ?? 1) <= 0 || expires <= Date.now();
    const isLax = attributes.get("samesite")?.toLowerCase() !== "none";
    const path = attributes.get("path") ?? "/";
    const key = `${name} ${path}`;
    if (isGone) this.#cookies.delete(key);
    else this.#cookies.set(key, { name, value: pair.slice(at + 1), path, isLax });
  }

  #assertAllowed({ origin, protocol, href }: URL, allowed: readonly string[]): void {
    const isAllowed =
      (allowed.includes("'self'") && origin === this.#origin) ||
      allowed.includes(origin) ||
      allowed.includes(protocol);
    assert.ok(isAllowed, `form-action ${allowed.join(" ")} blocks ${href}`);
  }
}

/** The heading of a page. */
export const headingOf = ({ html }: Page): string =>
  decodeHtml(/<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1]?.replace(/<[^>]+>/g, "") ?? "").trim();

/** The text of a page, without its tags. */
export const textOf = ({ html }: Page): string =>
  decodeHtml(html.replace(/^[\s\S]*<body[^>]*>/, "").replace(/<[^>]+>/g, " ")).replace(/\s+/g, " ");

const isBelow = (path: string, top: string): boolean =>
  path === top || path.startsWith(top.endsWith("/") ? top : `${top}/`);

const hasField = ({ fields, buttons }: Form, name: string): boolean =>
  [...fields, ...buttons].some(([one]) => one === name);

function findForms(html: string): readonly Form[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(([, tag = "", content]) => {
    const { action = "", method = "get" } = readAttributes(tag);
    const fields: [string, string][] = [];
    const buttons: [string, string][] = [];
    for (const [, kind = "", text = ""] of (content ?? "").matchAll(
      /<(input|button)\b([^>]*)>/gi,
    )) {
      const { name, value = "", type = "", checked } = readAttributes(text);
      if (name === undefined) continue;
      if (kind.toLowerCase() === "button") buttons.push([name, value]);
      else if (type !== "checkbox" || checked !== undefined) fields.push([name, value]);
    }
    return { action, method: method.toLowerCase(), fields, buttons };
  });
}

const readAttributes = (tag: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    [...tag.matchAll(/([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g)].map(
      ([, name = "", double, single]) => [name.toLowerCase(), decodeHtml(double ?? single ?? "")],
    ),
  );

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

const decodeHtml = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[name] ?? whole;
  });

/** The sources to which a form of this page may lead, or `undefined` if the page allows any. */
function readFormAction({ headers }: Page): readonly string[] | undefined {
  const policy = String(headers["content-security-policy"] ?? "");
  return /(?:^|;)\s*form-action\s+([^;]*)/.exec(policy)?.[1]?.trim().split(/\s+/);
}

/** A link of a page, or a form that the browser can send as it is. */
export interface Entrance {
  readonly url: URL;
  /** Contains the fields of a form that is posted. */
  readonly form: URLSearchParams | undefined;
  /** Contains the text, and the attributes that say what it is for. */
  readonly words: string;
}

/** The rest of a longer page is not read. */
const MAX_LENGTH = 524_288;
const MAX_ENTRANCES = 2_000;
const MAX_WORDS = 2_000;

interface Tag {
  readonly name: string;
  readonly kind: "opening" | "closing";
  readonly attributes: ReadonlyMap<string, string>;
  /** Contains the text between this tag and the next one. */
  readonly text: string;
}

/** The text in these is not shown. */
const HIDDEN = ["script", "style", "svg", "template", "noscript"];

/** Reads the tags of a page. The time grows with the length of the page alone. */
function* readTags(html: string): Iterable<Tag> {
  const page = html.slice(0, MAX_LENGTH);
  let at = page.indexOf("<");
  while (at !== -1) {
    const end = page.indexOf(">", at);
    if (end === -1) return;
    let next = page.indexOf("<", end);
    const [, slash, name = ""] = /^<(\/?)([a-z][a-z0-9-]*)/i.exec(page.slice(at, at + 40)) ?? [];
    const lowerName = name.toLowerCase();
    if (lowerName === "script" || lowerName === "style") {
      // A tag within a script is text.
      if (slash === "") next = indexOfClosing(page, lowerName, end);
    }
    if (name !== "") {
      const kind = slash === "/" ? "closing" : "opening";
      const attributes =
        kind === "closing" ? new Map() : readAttributes(page.slice(at + 1 + name.length, end));
      const text = page.slice(end + 1, next === -1 ? page.length : next);
      yield { name: lowerName, kind, attributes, text };
    }
    at = next;
  }
}

function indexOfClosing(page: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, "gi");
  closing.lastIndex = from;
  return closing.exec(page)?.index ?? -1;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,6}));/gi,
    (whole, hex, dec, name) => {
      if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
      const code = hex === undefined ? Number(dec) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
    },
  );
}

const ATTRIBUTE =
  /([^\s"'<>/=]{1,200})(?:\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;

function readAttributes(tag: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single, bare] of tag.slice(0, 8_192).matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, decodeEntities(double ?? single ?? bare ?? ""));
  }
  return attributes;
}

/** Returns the text of a page, in one line. */
export function readText(html: string): string {
  const texts: string[] = [];
  for (const { name, kind, text } of readTags(html)) {
    const isHidden = name === "head" || name === "title" || HIDDEN.includes(name);
    if (!(isHidden && kind === "opening")) texts.push(text);
  }
  const first = html.includes("<") ? "" : html;
  return decodeEntities(first + texts.join(" "))
    .replace(/\s+/g, " ")
    .trim();
}

export function hasPasswordField(html: string): boolean {
  for (const { name, attributes } of readTags(html)) {
    if (name === "input" && attributes.get("type")?.toLowerCase() === "password") return true;
  }
  return false;
}

export const hasScripts = (html: string): boolean => /<script\b/i.test(html);

/** Returns the target of a page that leads on by itself. */
export function findRefresh(html: string, url: URL): URL | undefined {
  if (!/http-equiv/i.test(html)) return undefined;
  for (const { name, attributes } of readTags(html)) {
    if (name !== "meta" || attributes.get("http-equiv")?.toLowerCase() !== "refresh") continue;
    const content = attributes.get("content") ?? "";
    const [, target] = /^\s*[0-5](?:\.\d+)?\s*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(content) ?? [];
    return target === undefined ? undefined : (URL.parse(target.trim(), url) ?? undefined);
  }
  return undefined;
}

/** Collects what a link or form contains, until its closing tag. */
interface Open {
  readonly attributes: ReadonlyMap<string, string>;
  readonly base: URL;
  readonly fields: URLSearchParams;
  /** A browser sends the value of the pressed button alone. */
  readonly buttons: { readonly name: string; readonly value: string; readonly words: string }[];
  words: string;
  needsInput: boolean;
}

/** Lists the links of a page, and the forms that have only hidden fields and buttons. */
export function listEntrances(html: string, page: URL): readonly Entrance[] {
  const found: Entrance[] = [];
  let base = page;
  let link: Open | undefined;
  let form: Open | undefined;
  const begin = (attributes: Open["attributes"]): Open => ({
    attributes,
    base,
    fields: new URLSearchParams(),
    buttons: [],
    words: DESCRIBING.map((name) => attributes.get(name) ?? "").join(" "),
    needsInput: false,
  });
  for (const { name, kind, attributes, text } of readTags(html)) {
    if (found.length >= MAX_ENTRANCES) break;
    if (kind === "closing") {
      if (name === "a" && link !== undefined) found.push(...finishLink(link));
      if (name === "form" && form !== undefined) found.push(...finishForm(form));
      if (name === "a") link = undefined;
      if (name === "form") form = undefined;
    } else if (name === "base") base = parseTarget(attributes.get("href"), page) ?? base;
    else if (name === "a") link = begin(attributes);
    else if (name === "form") form = begin(attributes);
    else if (form !== undefined) addField(form, name, attributes, text);
    const shown = HIDDEN.includes(name) ? "" : text;
    for (const open of [link, form]) {
      if (open !== undefined && open.words.length < MAX_WORDS) open.words += ` ${shown.trim()}`;
    }
  }
  return found;
}

const DESCRIBING = ["href", "action", "id", "class", "name", "title", "aria-label"];

function parseTarget(text: string | undefined, base: URL): URL | undefined {
  const url = text === undefined ? null : URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  url.hash = "";
  return url;
}

function finishLink({ attributes, base, words }: Open): readonly Entrance[] {
  const url = parseTarget(attributes.get("href"), base);
  return url === undefined ? [] : [{ url, form: undefined, words }];
}

function addField(
  form: Open,
  tag: string,
  attributes: ReadonlyMap<string, string>,
  text: string,
): void {
  if (tag === "select" || tag === "textarea") form.needsInput = true;
  if (tag !== "input" && tag !== "button") return;
  const type = attributes.get("type")?.toLowerCase() ?? (tag === "button" ? "submit" : "text");
  const name = attributes.get("name") ?? "";
  const value = attributes.get("value") ?? "";
  if (type === "hidden") {
    if (name !== "") form.fields.append(name, value);
    return;
  }
  if (!["submit", "button", "image"].includes(type)) form.needsInput = true;
  const words = `${DESCRIBING.map((each) => attributes.get(each) ?? "").join(" ")} ${value} ${text.trim()}`;
  if (form.buttons.length < MAX_BUTTONS) form.buttons.push({ name, value, words });
}

const MAX_BUTTONS = 10;

/** The browser can send a form without visible fields as it is, once for each button. */
function finishForm(open: Open): readonly Entrance[] {
  const { attributes, base, words, needsInput } = open;
  const url = parseTarget(attributes.get("action") || base.href, base);
  if (url === undefined || needsInput) return [];
  const isPosted = attributes.get("method")?.toLowerCase() === "post";
  const buttons = open.buttons.length === 0 ? [{ name: "", value: "", words: "" }] : open.buttons;
  return buttons.map((button) => {
    const fields = new URLSearchParams(open.fields);
    if (button.name !== "") fields.append(button.name, button.value);
    const allWords = `${words} ${button.words}`;
    if (isPosted) return { url, form: fields, words: allWords };
    const target = new URL(url);
    target.search = fields.toString();
    return { url: target, form: undefined, words: allWords };
  });
}

/** Finds the form that the provider has the browser post to an app. */
export const findPostedForm = (html: string, page: URL): Entrance | undefined =>
  listEntrances(html, page).find(({ form }) => form !== undefined);

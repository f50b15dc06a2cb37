/**
 * Serves every state of every page with the samples of the tests, without a gate behind it: a list with
 * a frame for each, in any language and width. Forms in them lead nowhere.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { nodeRequest } from "../../src/http/node-request.ts";
import { sendAnswer } from "../../src/http/send-answer.ts";
import type { PageData, PageName } from "../../src/pages/page-data.ts";
import { isLocale, type Locale, locales } from "../../src/pages/words.ts";
import { samples } from "../../test/support/page-samples.ts";
import { site, to } from "../../test/support/pages.ts";

const PORT = Number(process.env.STATES_PORT ?? 3001);
const WIDTHS = ["320", "390", "768", "1280"] as const;
const SCHEMES = ["light dark", "light", "dark"] as const;

const { pages, assets } = site();
const names = Object.keys(samples) as readonly PageName[];

const server = createServer((request, response) => {
  void answer(request, response).catch((error: unknown) => {
    send(response, 500, "text/plain", error instanceof Error ? `${error.stack}` : String(error));
  });
});
server.listen(PORT, "127.0.0.1", () => {
  process.stdout.write(`dev: every state of every page at http://127.0.0.1:${PORT}\n`);
});

async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://127.0.0.1");
  const asset = assets.get(pathname);
  if (asset !== undefined) return sendAnswer(asset(nodeRequest(incoming)), response);
  const chosen = searchParams.get("lang") ?? "";
  const locale = isLocale(chosen) ? chosen : "en";
  if (pathname === "/") {
    const width = WIDTHS.find((one) => one === searchParams.get("width")) ?? "390";
    const scheme = SCHEMES.find((one) => one === searchParams.get("scheme")) ?? "light dark";
    return send(response, 200, "text/html", listStates(locale, width, scheme));
  }
  const [, state = "", page = "", number = ""] = pathname.split("/");
  const name = names.find((one) => one === page);
  const html = state === "state" && name && (await renderState(name, Number(number), locale));
  if (html) return send(response, 200, "text/html", html);
  // A page that a link of a sample leads to, such as the next one of a list.
  send(response, 404, "text/plain", `There is no state at ${pathname}.`);
}

async function renderState(
  name: PageName,
  number: number,
  locale: Locale,
): Promise<string | undefined> {
  const sample = samples[name][number];
  // A sample has the helpers and the data of its page.
  return sample && pages.render(name, to(sample, locale), sample as PageData[PageName]);
}

function listStates(locale: Locale, width: string, scheme: string): string {
  const frames = names.flatMap((name) =>
    samples[name].map((_, number) => {
      const path = `/state/${name}/${number}?lang=${locale}`;
      return `<figure><figcaption><a href="${path}">${name} ${number}</a></figcaption>
<iframe src="${path}" title="${name} ${number}" width="${width}" height="640" loading="lazy"></iframe></figure>`;
    }),
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Every state of every page</title>
<style>
  body { font: 15px system-ui; margin: 24px; color-scheme: light dark }
  main { display: flex; flex-wrap: wrap; gap: 24px }
  figure { margin: 0 }
  iframe { border: 1px solid; display: block; color-scheme: ${scheme} }
</style>
<form>
  ${choice("lang", locales, locale)} ${choice("width", WIDTHS, width)} ${choice("scheme", SCHEMES, scheme)}
  <button>Show</button>
</form>
<main>
${frames.join("\n")}
</main>
</html>`;
}

const choice = (name: string, values: readonly string[], chosen: string): string =>
  `<label>${name} <select name="${name}">${values
    .map((value) => `<option${value === chosen ? " selected" : ""}>${value}</option>`)
    .join("")}</select></label>`;

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "Content-Type": `${type}; charset=utf-8` });
  response.end(body);
}

import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import { Skipped } from "../errors.ts";
import { sendRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import { pathVariants } from "../payloads/path-variants.ts";
import { ownHost } from "../target.ts";

export const guardedPaths: Attack = {
  name: "guarded-paths",
  about: "guarded paths in spellings that the guard and the app behind it may parse differently",
  meaning: "Pages of the app can be read without a session.",
  noun: "spellings",
  verb: "opened",
  needs: [],

  async run(target, tally) {
    if (target.guarded.length === 0) {
      throw new Skipped("no path redirects to the sign-in; name one with --guarded");
    }
    const requests = target.guarded.flatMap((path) => pathVariants(path, ownHost(target)));
    await forEach(requests, CONCURRENCY, async (request) => {
      tally.tried();
      const response = await sendRequest(target.address, request, target.signal);
      if (isOpen(response)) {
        tally.gotThrough(`${request.method ?? "GET"} ${request.path}: ${response.status}`);
      }
    });
  },
};

/** Any success except the sign-in page or the setup page itself. */
const isOpen = ({ status, body }: HttpResponse): boolean =>
  status >= 200 && status <= 299 && !/<input[^>]*name="?password\b/.test(body);

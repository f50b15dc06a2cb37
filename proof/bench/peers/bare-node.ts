import { bare, recordedPages } from "./bare.ts";
import { greeting, nameOf, type Peer } from "./peer.ts";

export const peer: Peer = bare(async (folder) => {
  const pages = new Map(recordedPages(folder).map((page) => [page.path, page]));
  const body = greeting(nameOf(0));
  return (request, response) => {
    const page = pages.get(request.url ?? "");
    if (page === undefined) {
      response.setHeader("Content-Type", "text/plain; charset=UTF-8");
      response.setHeader("Content-Length", Buffer.byteLength(body));
      response.end(body);
      return;
    }
    for (const [name, value] of page.headers) response.setHeader(name, value);
    response.end(page.body);
  };
});

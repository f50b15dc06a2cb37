import { hash, verify } from "@node-rs/argon2";
import { bare, recordedPages } from "./bare.ts";
import { ARGON2, greeting, nameOf, PASSWORD, type Peer } from "./peer.ts";

export const peer: Peer = bare(async (folder) => {
  const pages = new Map(recordedPages(folder).map((page) => [page.path, page]));
  const body = greeting(nameOf(0));
  const stored = await hash(PASSWORD, ARGON2);
  return (request, response) => {
    if (request.method === "POST") {
      // Nothing but the hash of a sign-in.
      verify(stored, PASSWORD).then(() => {
        response.writeHead(303, { Location: "/", "Content-Length": 0 }).end();
      });
      return;
    }
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

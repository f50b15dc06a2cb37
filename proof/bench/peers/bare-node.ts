import type { IncomingMessage, ServerResponse } from "node:http";
import { bare, recordedPages } from "./bare.ts";
import { ARGON2, greeting, nameOf, PASSWORD, type Peer } from "./peer.ts";

export const peer: Peer = bare(async (folder) => {
  const pages = new Map(recordedPages(folder).map((page) => [page.path, page]));
  const body = greeting(nameOf(0));
  let verifier: Promise<Verify> | undefined;
  return (request, response) => {
    if (request.method === "POST") {
      verifier ??= createVerify();
      void verifier.then((verify) => signIn(verify, request, response));
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

type Verify = (password: string) => Promise<boolean>;

/** Loaded at the first sign-in, so that the bare layer starts without it. */
async function createVerify(): Promise<Verify> {
  const { hash, verify } = await import("@node-rs/argon2");
  const stored = await hash(PASSWORD, ARGON2);
  return (password) => verify(stored, password);
}

/** Only the hash: no user, no session, no limit, no log. */
async function signIn(
  verify: Verify,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = new URLSearchParams((await request.toArray()).join(""));
  const Location = (await verify(form.get("password") ?? "")) ? "/" : "/login?error=1";
  response.writeHead(303, { Location, "Content-Length": 0 }).end();
}

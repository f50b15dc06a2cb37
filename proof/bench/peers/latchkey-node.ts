import { nodeAuth } from "latchkey/node";
import { openLatchkey, plantLatchkey } from "./latchkey.ts";
import { greeting, type Peer } from "./peer.ts";

export const peer: Peer = {
  plant: plantLatchkey,
  async serve(folder) {
    const { requireAuth, routes } = nodeAuth(await openLatchkey(folder));
    const guarded = requireAuth((_request, response, { username }) => {
      const body = greeting(username);
      response.setHeader("Content-Type", "text/plain; charset=UTF-8");
      response.setHeader("Content-Length", Buffer.byteLength(body));
      response.end(body);
    });
    return (request, response) => {
      if (request.url === "/guarded") guarded(request, response);
      else void routes(request, response);
    };
  },
};

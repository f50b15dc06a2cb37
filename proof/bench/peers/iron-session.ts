import { getIronSession, sealData } from "iron-session";
import { greeting, namesUpTo, type Peer, SECRET } from "./peer.ts";

interface Session {
  username?: string;
}

const options = { password: SECRET, cookieName: "session" };

/** Only an encrypted cookie; the app manages users and passwords itself. */
export const peer: Peer = {
  plant: (_folder, count) =>
    Promise.all(
      namesUpTo(count).map(async (username) => {
        return `session=${await sealData({ username }, { password: SECRET })}`;
      }),
    ),

  async serve() {
    return async (request, response) => {
      const { username } = await getIronSession<Session>(request, response, options);
      if (username === undefined) {
        response.writeHead(303, { Location: "/login" }).end();
        return;
      }
      const body = greeting(username);
      response.setHeader("Content-Type", "text/plain; charset=UTF-8");
      response.setHeader("Content-Length", Buffer.byteLength(body));
      response.end(body);
    };
  },
};

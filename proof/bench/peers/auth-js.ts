import { encode } from "@auth/core/jwt";
import { type AuthConfig, ExpressAuth, getSession } from "@auth/express";
import Credentials from "@auth/express/providers/credentials";
import express from "express";
import { greeting, type Peer, SECRET } from "./peer.ts";
import { openUsers, plantUsers, type Users } from "./users.ts";

const COOKIE = "authjs.session-token";

/** Sessions are encrypted in the cookie, the only way with the Credentials provider. */
const configOf = (users: Users): AuthConfig => ({
  secret: SECRET,
  trustHost: true,
  session: { strategy: "jwt" },
  providers: [
    Credentials({
      credentials: { username: {}, password: { type: "password" } },
      async authorize({ username, password }) {
        const user = await users.verified(String(username), String(password));
        return user === undefined ? null : { id: user.id, name: user.username };
      },
    }),
  ],
});

export const peer: Peer = {
  async plant(folder, count) {
    const people = await plantUsers(folder, count);
    return Promise.all(
      people.map(async ({ id, username }) => {
        const token = { sub: id, name: username };
        return `${COOKIE}=${await encode({ token, secret: SECRET, salt: COOKIE })}`;
      }),
    );
  },

  async serve(folder) {
    const config = configOf(openUsers(folder));
    const app = express();
    app.set("trust proxy", "loopback");
    app.use("/auth", ExpressAuth(config));
    app.get("/guarded", async (request, response) => {
      const session = await getSession(request, config);
      if (session === null) response.redirect(303, "/auth/signin");
      else response.send(greeting(session.user.name));
    });
    return app;
  },
};

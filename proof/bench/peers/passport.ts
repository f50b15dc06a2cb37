import { createHash, createHmac } from "node:crypto";
import express from "express";
import session, { type SessionStore } from "express-session";
import passport, { type Done } from "passport";
import { Strategy } from "passport-local";
import { greeting, type Peer, SECRET, THIRTY_DAYS_S } from "./peer.ts";
import { openUsers, type Person, plantUsers, type Users } from "./users.ts";

interface Sessions {
  open(folder: string): SessionStore;
  /** Runs once for a database, and at every start for a memory store. */
  readonly kept: "in-database" | "in-memory";
}

/** Express with passport and sessions, as in passport's tutorial. */
export function passportPeer(sessions: Sessions): Peer {
  return {
    async plant(folder, count) {
      const people = await plantUsers(folder, count);
      if (sessions.kept === "in-database") await fill(sessions.open(folder), people);
      return people.map(({ id }) => `connect.sid=${encodeURIComponent(signed(sessionIdOf(id)))}`);
    },

    async serve(folder) {
      const store = sessions.open(folder);
      const users = openUsers(folder);
      if (sessions.kept === "in-memory") await fill(store, users.all());
      useUsers(users);
      const app = express();
      app.set("trust proxy", "loopback");
      app.use(express.urlencoded());
      app.use(
        session({
          secret: SECRET,
          resave: false,
          saveUninitialized: false,
          cookie: { maxAge: THIRTY_DAYS_S * 1000 },
          store,
        }),
      );
      app.use(passport.session());
      app.post(
        "/login",
        passport.authenticate("local", { successRedirect: "/", failureRedirect: "/login" }),
      );
      app.get("/guarded", (request, response) => {
        const { user } = request as { user?: Person };
        if (user === undefined) response.redirect(303, "/login");
        else response.send(greeting(user.username));
      });
      return app;
    },
  };
}

function useUsers(users: Users): void {
  passport.use(
    new Strategy((username, password, done) => {
      users.verified(username, password).then((user) => done(null, user ?? false), done);
    }),
  );
  passport.serializeUser((user: Person, done: Done) => done(null, user));
  passport.deserializeUser((user: Person, done: Done) => done(null, user));
}

async function fill(store: SessionStore, people: readonly Person[]): Promise<void> {
  const maxAge = THIRTY_DAYS_S * 1000;
  const cookie = {
    originalMaxAge: maxAge,
    maxAge,
    expires: new Date(Date.now() + maxAge).toISOString(),
    httpOnly: true,
    path: "/",
  };
  for (const user of people) {
    await new Promise<void>((resolve, reject) => {
      store.set(sessionIdOf(user.id), { cookie, passport: { user } }, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }
}

/** As long as the IDs of express-session. */
const sessionIdOf = (userId: string): string =>
  createHash("sha256").update(userId).digest("base64url").slice(0, 32);

function signed(id: string): string {
  const signature = createHmac("sha256", SECRET).update(id).digest("base64").replace(/=+$/, "");
  return `s:${id}.${signature}`;
}

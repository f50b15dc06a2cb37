import { createRequestHandler } from "@react-router/express";
import express from "express";
import { createAuth } from "latchkey";
import { expressAuth } from "latchkey/express";
import { openSqlite } from "latchkey/sqlite";
import { RouterContextProvider } from "react-router";
import { userContext } from "../app/user";

const store = await openSqlite({ file: "accounts.db" });
export const auth = createAuth({
  store,
  secret: process.env.AUTH_SECRET,
  basePath: "/auth",
  hosts: { allowed: "loopback-setup" },
  guards: { returnTo: true, onDenied: "negotiate" },
});
const { routes, requireAuth, user } = expressAuth(auth);

export const app = express();
app.use(routes);
app.use(requireAuth);
app.use(
  createRequestHandler({
    build: () => import("virtual:react-router/server-build"),
    getLoadContext(_request, response) {
      const context = new RouterContextProvider();
      context.set(userContext, user(response));
      return context;
    },
  }),
);

process.once("SIGTERM", async () => {
  await auth.close();
  store.close();
  process.exit();
});

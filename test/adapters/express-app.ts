import express, { type ErrorRequestHandler } from "express";
import { expressAuth } from "../../src/adapters/express.ts";
import { type Framework, handled, NOT_FOUND, OWN_FAULT, serveListener } from "./framework.ts";

/** Express knows an error handler by its four parameters. */
export const answerFault: ErrorRequestHandler = (error, _request, response, _next) => {
  response.status(418).send(handled(error));
};

export const expressApp: Framework = {
  name: "Express",
  start({ auth, reach }) {
    const door = expressAuth(auth);
    const app = express();
    app.use(door.routes);
    app.use(express.json(), express.urlencoded());
    app.get("/operation", door.requireAuth, (_request, response) => {
      reach();
      response.send(`for ${door.user(response).username}`);
    });
    app.use("/handler", door.authMiddleware);
    app.get("/handler", (_request, response) => {
      reach();
      response.send(`for ${door.user(response).username}`);
    });
    app.get("/failing", door.requireAuth, () => {
      throw new Error(OWN_FAULT);
    });
    app.get("/cookies", door.requireAuth, (_request, response) => {
      response.append("Set-Cookie", "first=1").append("Set-Cookie", "second=2").end();
    });
    app.get("/who", async (request, response) => {
      response.json((await door.currentUser(request)) ?? null);
    });
    app.get("/helpers", async (request, response) => {
      response.json(await door.pageHelpers(request));
    });
    app.post("/echo", (request, response) => {
      response.send(String(request.body.word));
    });
    app.use((_request, response) => {
      response.status(404).send(NOT_FOUND);
    });
    app.use(answerFault);
    return serveListener(app);
  },
};

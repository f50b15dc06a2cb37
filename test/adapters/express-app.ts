import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { expressAuth } from "../../src/adapters/express.ts";
import { type Framework, handled, NOT_FOUND, OWN_FAULT, serveListener } from "./framework.ts";

/** Express recognises an error handler by its four parameters. */
export const answerFault: ErrorRequestHandler = (error, _request, response, _next) => {
  response.status(418).send(handled(error));
};

export const expressApp: Framework = {
  name: "Express",
  start({ auth, reach }) {
    const adapter = expressAuth(auth);
    const app = express();
    app.use(adapter.routes);
    app.use(express.json(), express.urlencoded());
    const greet: RequestHandler = (_request, response) => {
      reach();
      response.send(`for ${adapter.user(response).username}`);
    };
    const family = { groups: ["family"] };
    app.get("/operation", adapter.requireAuth, greet);
    app.use("/handler", adapter.authMiddleware);
    app.get("/handler", greet);
    app.get("/family", adapter.requireAuth(family), greet);
    app.get("/family-handler", adapter.authMiddleware(family), greet);
    app.get("/failing", adapter.requireAuth, () => {
      throw new Error(OWN_FAULT);
    });
    app.get("/who", async (request, response) => {
      response.json((await adapter.currentUser(request)) ?? null);
    });
    app.get("/helpers", async (request, response) => {
      response.json(await adapter.pageHelpers(request));
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

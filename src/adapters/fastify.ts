import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Auth,
  Fault,
  type GuardCheck,
  type GuardResult,
  type MaybePromise,
  type PageHelpers,
  type User,
} from "../index.ts";
import { nodeParts, runGuard, sendResponse, visitIn } from "./node-parts.ts";

/** The little of Fastify that is needed. */
export interface FastifyRequest {
  readonly raw: IncomingMessage;
}

export interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

export type FastifyHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void;

export interface FastifyInstance {
  addHook(name: "onRequest", hook: FastifyHook): unknown;
}

export interface FastifyAuth {
  /** Register it with `app.register`: it answers Latchkey's paths before any body is parsed. */
  routes(instance: FastifyInstance, options: unknown, done: (error?: Error) => void): void;
  /** An `onRequest` or `preHandler` hook, for a route or an instance. */
  readonly requireAuth: FastifyHook;
  readonly authMiddleware: FastifyHook;
  /** The signed-in user, behind a guard. Elsewhere it throws a `not_guarded`. */
  user(request: FastifyRequest): User;
  currentUser(request: FastifyRequest): Promise<User | undefined>;
  pageHelpers(request: FastifyRequest): Promise<PageHelpers>;
}

/** Latchkey for Fastify 5. */
export function fastifyAuth(auth: Auth): FastifyAuth {
  const { answer, owns } = nodeParts(auth);
  const admitted = new WeakMap<IncomingMessage, User>();

  const guard =
    (check: GuardCheck): FastifyHook =>
    ({ raw }, reply, done) => {
      const act = (result: GuardResult): MaybePromise<void> => {
        if (result.kind === "refused") {
          reply.hijack();
          return sendResponse(result.response, reply.raw);
        }
        admitted.set(raw, result.user);
        done();
      };
      runGuard(check, raw, act, done);
    };

  const routes: FastifyAuth["routes"] = (instance, _options, done) => {
    instance.addHook("onRequest", ({ raw }, reply, next) => {
      if (!owns(raw.url)) {
        next();
        return;
      }
      reply.hijack();
      answer(raw, reply.raw).catch(next);
    });
    done();
  };

  return {
    // Without a context of its own, or its hook would see no request outside of it.
    routes: Object.assign(routes, { [Symbol.for("skip-override")]: true }),
    requireAuth: guard(auth.door.requireAuth),
    authMiddleware: guard(auth.door.authMiddleware),
    user({ raw }) {
      const user = admitted.get(raw);
      if (user === undefined) throw new Fault("not_guarded", "this route is not behind a guard");
      return user;
    },
    currentUser: ({ raw }) => auth.door.currentUser(raw.headers.cookie),
    pageHelpers: ({ raw }) => auth.door.pageHelpers(visitIn(raw)),
  };
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answer, type Auth, sendAnswer } from "../index.ts";
import { type NextAuth, nextAuth, ownsRequest, respondToNode } from "./shared.ts";

export type { AdapterAuth, MemberGuard, NextAuth } from "./shared.ts";

/** Contains the part of Fastify's request that the adapter uses. */
export interface FastifyRequest {
  readonly raw: IncomingMessage;
}

/** Contains the part of Fastify's reply that the adapter uses. */
export interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

/** Describes an `onRequest` or `preHandler` hook. */
export type FastifyHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void;

/** Contains the part of a Fastify instance that the plugin uses. */
export interface FastifyInstance {
  addHook(name: "onRequest", hook: FastifyHook): unknown;
}

/** Provides Latchkey as a Fastify plugin and hooks. */
export interface FastifyAuth extends NextAuth<FastifyHook, FastifyRequest> {
  /**
   * This plugin is for `app.register`. It responds to Latchkey's paths before any body is parsed.
   */
  routes(instance: FastifyInstance, options: unknown, done: (error?: Error) => void): void;
}

/**
 * Creates the adapter for Fastify 5.
 *
 * @example
 * ```ts
 * const { routes, requireAuth, user } = fastifyAuth(auth);
 * app.register(routes);
 * app.get("/", { onRequest: requireAuth }, (request) => user(request).username);
 * ```
 */
export function fastifyAuth(auth: Auth): FastifyAuth {
  const refuse = (response: Answer, reply: FastifyReply): void => {
    reply.hijack();
    sendAnswer(response, reply.raw);
  };
  const routes: FastifyAuth["routes"] = (instance, _options, done) => {
    instance.addHook("onRequest", ({ raw }, reply, next) => {
      if (!ownsRequest(auth, raw)) return next();
      reply.hijack();
      respondToNode(auth, raw, reply.raw).catch(next);
    });
    done();
  };

  return {
    ...nextAuth(auth, ({ raw }: FastifyRequest) => raw, refuse),
    // A plugin with its own context would only see requests for routes inside that context.
    routes: Object.assign(routes, { [Symbol.for("skip-override")]: true }),
  };
}

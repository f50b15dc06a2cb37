import type { Answer } from "../../http/responses.ts";
import { type CollectedRequest, DetachedRequest } from "../../http/run-node-handler.ts";
import type { WebRequest } from "../../http/web-request.ts";
import type { Exchanges } from "./provider.ts";
import type { Visitor } from "./visitor.ts";

/**
 * Represents a request to the provider. The provider's functions find here who is signed in, and
 * leave here what must happen after the response.
 */
export class Exchange extends DetachedRequest {
  readonly request: WebRequest;
  readonly visitor: Visitor | undefined;
  /** This page replaces the response of the provider. */
  page: Answer | undefined;
  /** The visitor has confirmed the sign-out that an app began. */
  endsSession = false;
  /** The visitor stays signed in, and signs out of this app only. */
  endsApp: string | undefined;

  constructor(request: WebRequest, visitor: Visitor | undefined, collected: CollectedRequest) {
    super(collected);
    this.request = request;
    this.visitor = visitor;
  }
}

/** Connects the provider with the exchange of each of its requests. */
export const exchanges: Exchanges = {
  getVisitor: (request) => (request instanceof Exchange ? request.visitor : undefined),
  endSession(request) {
    if (request instanceof Exchange) request.endsSession = true;
  },
  endApp(request, appId) {
    if (request instanceof Exchange && !request.endsSession) request.endsApp = appId;
  },
};

import type { Answer } from "../../http/responses.ts";
import { type CollectedRequest, DetachedRequest } from "../../http/run-node-handler.ts";
import type { WebRequest } from "../../http/web-request.ts";
import type { Exchanges } from "./provider.ts";
import { RequestState } from "./request-state.ts";
import type { TokenRefusal } from "./token-refusals.ts";
import type { Visitor } from "./visitor.ts";

/**
 * Represents a request to the provider. The provider's functions find here who is signed in, and
 * leave here what must happen after the response.
 */
export class Exchange extends DetachedRequest {
  readonly request: WebRequest;
  readonly state: RequestState;
  /** This page replaces the response of the provider. */
  page: Answer | undefined;
  /** The visitor has confirmed the sign-out that an app began. */
  endsSession = false;
  /** The visitor stays signed in, and signs out of this app only. */
  endsApp: string | undefined;
  /** An app got no tokens for this code. */
  refusedCode: { readonly code: string; readonly refusal: TokenRefusal } | undefined;

  get visitor(): Visitor | undefined {
    return this.state.visitor;
  }

  constructor(request: WebRequest, visitor: Visitor | undefined, collected: CollectedRequest) {
    super(collected);
    this.request = request;
    this.state = new RequestState(visitor);
  }
}

/** Connects the provider with the exchange of each of its requests. */
export const exchanges: Exchanges = {
  getState: (request) => (request instanceof Exchange ? request.state : undefined),
  endSession(request) {
    if (request instanceof Exchange) request.endsSession = true;
  },
  endApp(request, appId) {
    if (request instanceof Exchange && !request.endsSession) request.endsApp = appId;
  },
  refuseCode(request, code, refusal) {
    if (request instanceof Exchange) request.refusedCode = { code, refusal };
  },
};

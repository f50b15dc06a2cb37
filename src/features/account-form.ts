import type { Answer } from "../http/responses.ts";
import type { CodesSection, Notice, SignInMethodForm } from "../pages/page-data.ts";
import type { MessageName } from "../pages/words.ts";

/** Says why the page is shown again: the form, its fields and their message. */
export type AccountFormProblem = SignInMethodForm & { readonly message: MessageName };

/**
 * Contains the result of a form about how the user signs in. `handle` renders the page with it, so
 * that no feature renders the sections of others.
 */
export type AccountFormResult =
  | {
      readonly kind: "problem";
      readonly problem: AccountFormProblem;
      readonly codes?: CodesSection;
    }
  /** Only this response may show a step of turning on codes. */
  | {
      readonly kind: "step";
      readonly codes: CodesSection;
      readonly notice?: Notice;
      readonly cookies?: readonly string[];
    }
  /** The form is complete or had no effect, and the response redirects. */
  | { readonly kind: "answered"; readonly answer: Answer };

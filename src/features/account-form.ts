import type { Answer } from "../http/responses.ts";
import type { CodesSection, HomeForm, Notice } from "../pages/page-data.ts";
import type { MessageName } from "../pages/words.ts";

/** Says why the account page is shown again: the form, its fields and their message. */
export type AccountFormProblem = HomeForm & { readonly message: MessageName };

/** Contains the result of a form of the account page. `handle` renders the page with it. */
export type AccountFormResult =
  | {
      readonly kind: "problem";
      readonly problem: AccountFormProblem;
      readonly codes?: CodesSection;
    }
  /** Only this response may show a step of turning on codes, or a new API key. */
  | {
      readonly kind: "step";
      readonly codes?: CodesSection;
      readonly madeKey?: string;
      readonly notice?: Notice;
      readonly cookies?: readonly string[];
    }
  /** The form is complete or had no effect, and the response redirects. */
  | { readonly kind: "answered"; readonly answer: Answer };

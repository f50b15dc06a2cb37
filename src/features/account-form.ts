import type { Answer } from "../http/responses.ts";
import type { CodesSection, HomeForm, Notice } from "../pages/page-data.ts";
import type { MessageName } from "../pages/words.ts";

/** Why the account page is shown again: the form, its fields, and the message for them. */
export type AccountFormProblem = HomeForm & { readonly message: MessageName };

/** What a form of the account page has done. The route table has the page around it. */
export type AccountFormResult =
  | {
      readonly kind: "problem";
      readonly problem: AccountFormProblem;
      readonly codes?: CodesSection;
    }
  /** A step of turning on codes, or a new key, which only this response may show. */
  | {
      readonly kind: "step";
      readonly codes?: CodesSection;
      readonly madeKey?: string;
      readonly notice?: Notice;
      readonly cookies?: readonly string[];
    }
  /** The form is done, or was of no use: the response leads elsewhere. */
  | { readonly kind: "answered"; readonly answer: Answer };

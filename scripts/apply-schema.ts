/** The JSON Schema of the file of `latchkey apply`, which editors use. */
import {
  APP_FIELDS,
  type FieldKind,
  type FileFields,
  USER_FIELDS,
} from "../src/cli/apply/file-fields.ts";

/** Returns the text of the schema, with each list of words on one line. */
export const formatApplySchema = (): string => {
  const text = JSON.stringify(createFileSchema(), null, 2);
  const short = text.replace(
    /\[\s+([^[\]{}]*?)\s+\]/g,
    (_, items: string) => `[${items.replace(/\s*\n\s*/g, " ")}]`,
  );
  return `${short}\n`;
};

const createFileSchema = (): object => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Users and apps for latchkey apply",
  description:
    "Describes users and apps. A field that is left out keeps its value. Passwords and secrets are never in the file.",
  type: "object",
  additionalProperties: false,
  anyOf: [{ required: ["users"] }, { required: ["apps"] }],
  properties: {
    $schema: { description: "The address of this schema, for editors.", type: "string" },
    users: createListSchema(USER_FIELDS, { required: ["username"] }),
    apps: createListSchema(APP_FIELDS, {
      required: ["id"],
      anyOf: [{ required: ["name"] }, { required: ["recipe", "url"] }],
      dependentRequired: { recipe: ["url"], way: ["recipe"] },
    }),
  },
});

const createListSchema = (fields: FileFields, rules: object): object => ({
  type: "array",
  items: {
    type: "object",
    additionalProperties: false,
    ...rules,
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { about, ...field }]) => [
        name,
        { description: about, ...createTypeSchema(field) },
      ]),
    ),
  },
});

function createTypeSchema(field: FieldKind): object {
  switch (field.kind) {
    case "text":
      return { type: "string" };
    case "texts":
      return { type: "array", items: { type: "string" } };
    case "flag":
      return { type: "boolean" };
    case "choice":
      return { enum: field.values };
  }
}

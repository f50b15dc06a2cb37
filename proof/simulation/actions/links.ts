import { hashOf } from "../../../src/core/base/random-text.ts";
import { useLink as use } from "../../../src/core/links/use-link.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { FAILED, type Step } from "./step.ts";

const NOTHING = { username: "", password: "", confirm: "" };
const LATER = new Date(Date.UTC(2040, 0, 1));
/** How often a new link is made instead of using an older one again. */
const NEW = 0.3;

/** Uses any link ever made. A guest does not end within the simulation, and does nothing. */
export async function useLink(world: World, { life, client }: Step): Promise<string> {
  const { links, random } = world;
  if (!world.isConfigured) return "no link yet";
  if (links.length === 0 || random.chance(NEW)) await makeLink(world);
  const link = random.pick(links);
  if (link === undefined) return "no link";
  const ports = life.parts.links;
  if (ports === undefined) return "without links";
  const result = await world.request(life, () => use(ports, link.token, NOTHING, client));
  if (result === undefined) return `${FAILED}, for ${link.token}`;
  if (result.answer.kind === "entered") {
    link.entered += 1;
    world.log.accepted("link_use", { life, client });
  }
  promise(link.entered <= 1, "a link is used twice");
  return `${result.answer.kind}, ${link.token}`;
}

/** As an operator does on the machine of the database. */
async function makeLink({ links, base }: World): Promise<void> {
  const token = `link ${links.length + 1}`;
  const facts = { purpose: "guest", name: token, groups: ["guests"] } as const;
  const ids = { id: token, tokenHash: hashOf(token) };
  links.push({ token, entered: 0 });
  await base.links.insert({ ...ids, ...facts, expiresAt: LATER, usesLeft: 1 });
}

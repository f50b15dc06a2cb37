/** Another attempt to deliver something cannot succeed. The message says why. */
export class GiveUp extends Error {}

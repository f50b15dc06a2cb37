/** The part of istanbul-lib-instrument that is used. */
declare module "istanbul-lib-instrument" {
  export function createInstrumenter(options: {
    readonly coverageVariable: string;
    readonly esModules: true;
    readonly compact: true;
  }): { instrumentSync(code: string, file: string): string };
}

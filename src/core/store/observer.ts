/** Is told how each operation of a store ends. Its methods must return at once and never throw. */
export interface Observer {
  answered(operation: string, seconds: number): void;
  failed(operation: string, seconds: number, error: unknown): void;
}

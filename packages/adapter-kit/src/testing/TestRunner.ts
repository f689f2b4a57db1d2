/** The functions of a test runner, such as Vitest's, or Node's with `before` and `after` in place of the other names. */
export interface TestRunner {
  /** Declares a test. The limit is in milliseconds; a runner without such an argument ignores it. */
  readonly it: (name: string, test: () => void | Promise<void>, limit?: number) => unknown
  readonly beforeAll: (prepare: () => Promise<void>) => unknown
  readonly afterAll: (cleanUp: () => Promise<void>) => unknown
}

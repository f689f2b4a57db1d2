import { describe, expect, it } from "vitest"

/**
 * A suite that needs a program of the operating system: skipped on a machine without it, failed where CI=true,
 * because there a skipped suite would look like a passed one.
 */
export const describeServer = (program: string, available: boolean, name: string, suite: () => void): void => {
  if (available) describe(name, suite)
  else if (process.env.CI === "true") describe(name, () => missing(program))
  else describe.skip(`${name} (${program} is not installed)`, suite)
}

const missing = (program: string) => it(`${program} is installed`, () => expect.fail(`CI must have ${program}`))

import { contained } from "@edp/server/platform/outbound/contained"
import { Effect } from "effect"
import { expect, test } from "vitest"

const call = (owner: object, register: () => void) =>
  Effect.runPromise(
    contained<string, never>(owner, register, (error) => Effect.succeed(`stray: ${(error as Error).message}`))
  )

test("a library that throws before it returns ends the call as one that throws in a callback does", async () => {
  const owner = {}
  const thrown = () => {
    throw new Error("closed")
  }
  expect(await call(owner, thrown)).toBe("stray: closed")
  // The owner can be called again.
  expect(await call(owner, thrown)).toBe("stray: closed")
})

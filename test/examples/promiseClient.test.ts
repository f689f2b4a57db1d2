import { describe, expect, test } from "vitest"
import { useExample } from "./exampleProgram.ts"

describe("the example of the promise client", () => {
  const run = useExample("promise-client")

  test("runs with the command of its README, and a second run uses the records of the first", async () => {
    const first = await run()
    expect(first).toContain("at Promise client example (c")
    expect(first).toContain("1 reading stored")
    expect(first).toContain("now: 640 W")
    expect(first).toContain("renaming nothing: There is no such device (404)")
    const [meter] = /\(c[0-9a-z]{24}\)/.exec(first)!
    expect(await run()).toContain(meter)
  })
})

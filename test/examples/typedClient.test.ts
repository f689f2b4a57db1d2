import { describe, expect, test } from "vitest"
import { useExample } from "./exampleProgram.ts"

describe("the example of the typed client", () => {
  const run = useExample("typed-client")

  test("runs with the command of its README, and a second run stores nothing twice", async () => {
    const first = await run()
    expect(first).toContain("Example inverter at Typed client example, Sacramento")
    expect(first).toContain("pushed yesterday: 96 readings stored, 0 known before")
    expect(first).toContain("its highest power was 4200 W")
    expect(first).toContain('the manufacturer executes battery:set-reserve {"chargePercentage":30}')
    expect(first).toContain("the reserve of Example battery: completed after 2 steps")
    expect(first).toContain("renaming nothing: There is no such device")
    expect(await run()).toContain("pushed yesterday: 0 readings stored, 96 known before")
  })
})

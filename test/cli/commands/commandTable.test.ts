import { commandTable } from "@edp/cli/commands/commandTable"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "../fakeService.ts"

describe("the table of commands", () => {
  it("has the same description of a command as the command itself", async () => {
    const loaded = await Promise.all(commandTable.map(({ load }) => load()))
    expect(loaded.map(({ description, name }) => ({ name, description }))).toEqual(
      commandTable.map(({ description, name }) => ({ name, description }))
    )
  })

  it.effect("matches the list in the help, and a command's own help lists its verbs", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["--help"])
      for (const { description, name } of commandTable) {
        expect(stdout).toContain(name)
        expect(stdout).toContain(description)
      }
      const devices = yield* run(["devices", "--help"])
      for (const verb of ["list", "show", "create", "update", "delete", "push", "history", "watch"]) {
        expect(devices.stdout).toMatch(new RegExp(`^ +${verb} `, "mu"))
      }
    })
  )
})

import { Effect } from "effect"
import { expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { acceptedCommand, scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeCommands, batteryCommands } from "../arrangeCommands.ts"

const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({ own: true, adapters: [scripted.adapter] })

test("a response that cannot be stored concerns its own command alone, not those that are sent with it", async () => {
  let begun = 0
  const all = Promise.withResolvers<void>()
  const together = Effect.promise(() => {
    if (++begun === 3) all.resolve()
    return all.promise
  })
  // JSON has no such number.
  const unstorable = { ...acceptedCommand, output: { count: 1n } }
  const sending = [
    Effect.andThen(together, Effect.succeed(acceptedCommand)),
    Effect.andThen(together, Effect.succeed(unstorable)),
    Effect.andThen(together, Effect.succeed(acceptedCommand))
  ]
  const places = await Promise.all(sending.map((send) => arrangeCommands(app, scripted, { send: () => send })))
  const ids = await Promise.all(places.map(async ({ reserve }) => (await reserve(30)).id as string))
  await places[0]!.perform()
  await eventually("the third is recorded", async () =>
    (await places[2]!.read(ids[2]!)).status === "delivered" ? true : undefined
  )
  const statuses = await Promise.all(places.map(async ({ read }, index) => (await read(ids[index]!)).status))
  expect(statuses).toEqual(["delivered", "pending", "delivered"])
})

import type { ServerResponse } from "node:http"
import { afterAll, beforeAll, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDestinations } from "../arrangeDestinations.ts"
import { type Receiver, startReceiver } from "../../../support/peers/webhookReceiver.ts"

/** Ordering keys of fast destinations that a process holds at most. */
const ALL = 512

const app = useTestApp({ own: true })
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())

test("a workspace whose destinations all hang does not block deliveries of another one", async () => {
  const [hog, neighbour] = [await arrangeDestinations(app), await arrangeDestinations(app)]
  const hanging = new Set<ServerResponse>()
  let most = 0
  receiver.respond((response, { path }) => {
    if (path !== "/hang") return response.writeHead(204).end()
    hanging.add(response)
    response.on("close", () => hanging.delete(response))
    most = Math.max(most, hanging.size)
    return undefined
  })
  for (let n = 0; n < 100; n++) await hog.destination({ url: `${receiver.url}/hang` })
  for (let n = 0; n < 8; n++) await hog.customer({ firstName: `${n}` })
  await hog.deliverUntil("it has half of the places", () => most >= ALL / 2)

  const { id } = await neighbour.destination({ url: `${receiver.url}/well` })
  for (let n = 0; n < 20; n++) await neighbour.customer({ firstName: `${n}` })
  await neighbour.deliverUntil(
    "the other one has everything",
    async () => (await neighbour.deliveries(id, "&status=succeeded")).length === 20
  )
  expect(most).toBeLessThan(ALL)
  for (const response of hanging) response.writeHead(204).end()
})

import { setTimeout } from "node:timers/promises"
import { Client } from "pg"
import { callAt } from "../../support/callAt.ts"
import type { PostgresSetting } from "./postgresSetting.ts"

/** A webhook that gets every new state of a device. */
export const createWebhook = async ({ platform }: PostgresSetting, port: number) => {
  const call = (method: string, path: string, body?: object) =>
    callAt(`http://127.0.0.1:${platform.port}`, method, path, {
      key: platform.credentials.serverKey,
      ...(body !== undefined && { body })
    })
  const made = await call("POST", "/v1/destinations", {
    destinationType: "WEBHOOK",
    url: `http://127.0.0.1:${port}/`,
    eventTypes: ["DEVICE_UPDATED"]
  })
  if (made.status !== 201) throw new Error(`no webhook: ${made.text}`)
  const path = `/v1/destinations/${made.body.id}`
  return {
    id: made.body.id as string,
    remove: async () => {
      await call("DELETE", path)
    }
  }
}

/** How many deliveries to a destination have arrived, and the body of one event. */
export const openDeliveries = async (databaseUrl: string) => {
  const database = new Client({ connectionString: databaseUrl })
  await database.connect()
  const arrived = async (id: string): Promise<number> =>
    (
      await database.query(
        "SELECT count(*)::int AS n FROM deliveries WHERE destination_id = $1 AND status = 'succeeded'",
        [id]
      )
    ).rows[0].n
  return {
    arrived,
    awaitArrived: async (id: string, count: number) => {
      while ((await arrived(id)) < count) await setTimeout(50)
    },
    close: () => database.end()
  }
}

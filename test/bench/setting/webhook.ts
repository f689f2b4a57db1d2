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

/** The deliveries that have arrived at a destination. */
export const openDeliveries = async (databaseUrl: string) => {
  const database = new Client({ connectionString: databaseUrl })
  await database.connect()
  const isTrue = async (condition: string, ...values: ReadonlyArray<unknown>): Promise<boolean> =>
    (await database.query(`SELECT (${condition}) AS holds`, [...values])).rows[0].holds
  const isIdle = (id: string) => isTrue("NOT EXISTS (SELECT FROM delivery_lanes WHERE destination_id = $1)", id)
  const haveArrived = (id: string, count: number) =>
    isTrue("SELECT count(*) = $2 FROM deliveries WHERE destination_id = $1 AND status = 'succeeded'", id, count)
  return {
    /** Waits until this number has arrived; counting is slow, so it happens only without pending deliveries. */
    awaitArrived: async (id: string, count: number) => {
      while (!(await isIdle(id)) || !(await haveArrived(id, count))) await setTimeout(50)
    },
    close: () => database.end()
  }
}

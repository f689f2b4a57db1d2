import { Event } from "@edp/domain/events/Event"
import { Schema } from "effect"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeWatch } from "../alerts/watching.ts"

const decode = Schema.decodeUnknownSync(Event, { onExcessProperty: "error" })

/** A workspace whose events are read, each held against the schema of its type. */
export const arrangeEvents = async (app: TestApp) => {
  const place = await arrangeWatch(app)
  const key = place.keys.SERVER

  const call = async (method: string, path: string, body?: object) => {
    const response = await app.call(method, path, { key, ...(body !== undefined && { body }) })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`)
    return response.body
  }
  const after = async (sequence: number, query = ""): Promise<ReadonlyArray<any>> =>
    (await call("GET", `/v1/events?after=${sequence}&perPage=100${query}`)).data
  const newest = async () => (await call("GET", "/v1/events?perPage=1")).data[0]?.sequence ?? 0
  return {
    ...place,
    call,
    after,
    /** The events that a cause leaves, the oldest first. */
    publishedDuring: async (cause: () => Promise<unknown>): Promise<ReadonlyArray<any>> => {
      const before = await newest()
      await cause()
      const events = await after(before)
      events.forEach((event) => decode(event))
      return events
    }
  }
}

export type EventScene = Awaited<ReturnType<typeof arrangeEvents>>

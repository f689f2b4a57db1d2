import { DeliveryRunner } from "@edp/server/destinations/delivery/DeliveryRunner"
import { FanOut } from "@edp/server/destinations/delivery/FanOut"
import { Effect } from "effect"
import type { TestApp } from "../../support/TestApp.ts"
import { eventually } from "../../support/eventually.ts"

/** A workspace with destinations. Its events are fanned out and delivered when a test says so. */
export const arrangeDestinations = async (app: TestApp, organizationId?: string) => {
  const place = await app.workspace(organizationId)
  const call = (method: string, path: string, body?: object, key: string = place.keys.SERVER) =>
    app.call(method, path, { key, ...(body !== undefined && { body }) })
  const ok = async (method: string, path: string, body?: object) => {
    const response = await call(method, path, body)
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`)
    return response.body
  }

  const destination = (fields: object = {}) =>
    ok("POST", "/v1/destinations", { destinationType: "WEBHOOK", eventTypes: ["CUSTOMER_CREATED"], ...fields })
  const customer = (fields: object = {}) => ok("POST", "/v1/customers", fields)
  const deliveries = async (id: string, query = ""): Promise<ReadonlyArray<any>> =>
    (await ok("GET", `/v1/destinations/${id}/deliveries?perPage=100${query}`)).data

  const fanOut = () =>
    app.run(
      Effect.repeat(
        Effect.flatMap(FanOut, ({ next }) => next),
        { while: (workspaces) => workspaces > 0 }
      ) as Effect.Effect<number>
    )
  const begin = () => app.run(Effect.flatMap(DeliveryRunner, ({ step }) => step) as Effect.Effect<number>)
  /** Fans out all events, and delivers until the condition holds. */
  const deliverUntil = async (what: string, holds: () => boolean | Promise<boolean>) => {
    await fanOut()
    await eventually(what, async () => {
      await begin()
      return (await holds()) ? true : undefined
    })
  }
  /** Makes everything that waits for a retry due. */
  const timePasses = () =>
    app.sql(
      (sql) => sql`WITH queues AS (UPDATE delivery_queues SET not_before = '-infinity' WHERE not_before <> 'infinity')
        UPDATE delivery_lanes SET due_at = now() - interval '1 second' WHERE claim IS NULL`
    )
  const attempted = async (id: string, attempts: number, at = 0) =>
    (await deliveries(id))[at]?.attempts.length === attempts

  return { ...place, call, ok, destination, customer, deliveries, fanOut, begin, deliverUntil, timePasses, attempted }
}

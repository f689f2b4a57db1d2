import { randomUUID } from "node:crypto"
import { AccountWorkRepository } from "@edp/server/accounts/AccountWorkRepository"
import { DeviceWorkRepository } from "@edp/server/commands/DeviceWorkRepository"
import { OrderingKeysRepository } from "@edp/server/destinations/delivery/OrderingKeysRepository"
import { EmailConfirmationsRepository } from "@edp/server/enrollments/email/EmailConfirmationsRepository"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeEnrollments } from "../enrollments/arrangeEnrollments.ts"

const app = useTestApp({ own: true, adapters: [] })
const pauses = "/dashboard/api/workspace-pauses"

describeKeyChecks(app, [
  { method: "PUT", path: `${pauses}/any`, allowed: ["MANAGEMENT"] },
  { method: "DELETE", path: `${pauses}/any`, allowed: ["MANAGEMENT"] }
])

/** A workspace with a due call, command, delivery and mail. */
const arrange = async () => {
  const place = await arrangeEnrollments(app)
  const { customerId, deviceId, siteId } = await place.home({ commands: ["battery:set-reserve"] })
  const instance = await place.instance()
  const enrollment = await place.enroll(instance.id, customerId, { siteId })
  const destination = await place.required(201, "POST", "/v1/destinations", {
    destinationType: "WEBHOOK",
    eventTypes: ["CUSTOMER_CREATED"],
    url: "https://hooks.example.com"
  })
  const accountId = `account ${deviceId}`
  const ids = [accountId, deviceId, destination.id, enrollment.id] as ReadonlyArray<string>
  await app.sql(
    (sql) => sql`WITH account AS (
        INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status, created_at, updated_at)
        VALUES (${accountId}, ${place.workspaceId}, 'simulator', ${deviceId}, 'Account', 'user', '{}', 'connected', now(), now()) RETURNING id
      ), calls AS (
        INSERT INTO account_work (account_id, manufacturer, due_at, discover_at) SELECT id, 'simulator', now(), now() FROM account
      ), commanded AS (
        INSERT INTO device_work (device_id, manufacturer, due_at) VALUES (${deviceId}, 'simulator', now())
      ), queued AS (
        INSERT INTO delivery_queues (destination_id) VALUES (${destination.id}) ON CONFLICT DO NOTHING
      ), mailed AS (
        INSERT INTO enrollment_emails (enrollment_id, workspace_id, email, language, due_at, requested_at)
        VALUES (${enrollment.id}, ${place.workspaceId}, 'ada@example.com', 'en', now(), now())
      )
      INSERT INTO delivery_lanes (destination_id, lane, due_at, newest) VALUES (${destination.id}, 'lane', now(), 0)`
  )
  return { ...place, ids }
}

/** Claims everything that is due, and returns whose it is. */
const claimAll = () => {
  const [claim, holder] = [randomUUID(), randomUUID()]
  const limits = { each: 10, active: new Map(), paused: [], most: 10 }
  const room = { all: 10, byDestination: [], byWorkspace: [], each: 10 }
  return app.run(
    Effect.gen(function* () {
      const calls = yield* (yield* AccountWorkRepository).claim(
        claim,
        holder,
        [{ manufacturer: "simulator", room: 9 }],
        9
      )
      const commands = yield* (yield* DeviceWorkRepository).claim(claim, holder, holder, limits, new Date())
      const deliveries = yield* (yield* OrderingKeysRepository).claim(claim, holder, room)
      const mails = yield* (yield* EmailConfirmationsRepository).claim(10)
      return [
        ...calls.map(({ accountId }) => accountId),
        ...commands.map(({ deviceId }) => deviceId),
        ...deliveries.map(({ destinationId }) => destinationId),
        ...mails.map(({ enrollmentId }) => enrollmentId)
      ]
    }) as unknown as Effect.Effect<ReadonlyArray<string>>
  )
}

test("A paused workspace begins no work outside the service, and tells what still runs", async () => {
  const [paused, other] = [await arrange(), await arrange()]
  const call = (method: string, workspaceId: string) =>
    app.call(method, `${pauses}/${workspaceId}`, { key: paused.keys.MANAGEMENT })
  const pause = () => call("PUT", paused.workspaceId)

  const began = await pause()
  expect(began.body).toEqual({ workspaceId: paused.workspaceId, pausedAt: expect.any(String), running: 0 })
  expect((await claimAll()).toSorted()).toEqual([...other.ids].toSorted())
  const shown = await app.call("GET", `/v1/workspaces/${paused.workspaceId}`, { key: paused.keys.SERVER })
  expect(shown.body.pausedAt).toBe(began.body.pausedAt)
  // Requests are served.
  expect((await paused.customer()).id).toBeDefined()

  expect((await call("DELETE", paused.workspaceId)).status).toBe(204)
  expect((await claimAll()).toSorted()).toEqual([...paused.ids].toSorted())
  expect((await pause()).body.running).toBe(4)
  expectError(await call("PUT", other.workspaceId), 404, "WORKSPACE_NOT_FOUND")
  const { body } = await app.call("GET", "/v1/audit-logs?perPage=100", { key: paused.keys.MANAGEMENT })
  const actions = body.data.map(({ action }: { readonly action: string }) => action)
  expect(actions.filter((action: string) => /pause|resume/.test(action))).toEqual([
    "workspace.pause",
    "workspace.resume",
    "workspace.pause"
  ])
})

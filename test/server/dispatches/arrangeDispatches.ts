import { CommandOutcomes } from "@edp/server/commands/CommandOutcomes"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { DispatchRunner } from "@edp/server/dispatches/DispatchRunner"
import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import { expect } from "vitest"
import type { movableClock } from "../../support/movableClock.ts"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeDevices, type GivenDevice } from "../devices/arrangeDevices.ts"
import { arrangePrograms } from "../programs/arrangePrograms.ts"

export const MINUTE = 60_000
export const HOUR = 3_600_000

export const discharge = { battery: { operatingMode: "discharge" } }
export const charge = { battery: { operatingMode: "charge" } }

const commandSets = {
  battery: ["battery:set-reserve", "battery:set-operating-mode"],
  charger: ["charger:set-operating-mode"],
  vehicle: ["vehicle:set-operating-mode"],
  thermostat: ["thermostat:set-operating-mode"],
  meter: []
} as const

/** The clock of an app, which stands until a test moves it. */
export type TestClock = ReturnType<typeof movableClock>

export interface IssuedRow {
  readonly id: string
  readonly deviceId: string
  readonly type: string
  readonly input: { readonly operatingMode: string }
  readonly status: string
  readonly reason: string | null
  readonly scheduledFor: Date | null
  readonly expiresAt: Date
  readonly revertAfter: number | null
  readonly sourceId: string
  readonly issuedAt: Date
}

/** A workspace with a program instance, homes that are enrolled in it, and the steps of the runner. */
export const arrangeDispatches = async (app: TestApp, clock: TestClock) => {
  const place = await arrangeDevices(app)
  const programs = await arrangePrograms(app, place)
  const instance = await programs.instance()
  const { call, workspaceId } = place
  const now = () => clock.currentTimeMillisUnsafe()
  const newId = () => app.run(Effect.flatMap(Ids, (ids) => ids.next))

  const must = async (status: number, method: string, path: string, body?: unknown): Promise<any> => {
    const response = await call(method, path, body)
    expect({ status: response.status, body: response.body }).toMatchObject({ status })
    return response.body
  }

  /** An approved enrollment of a site. */
  const enroll = async (
    siteId: string,
    more: { readonly instanceId?: string; readonly slugs?: ReadonlyArray<string> } = {}
  ) => {
    const [id, customerId] = [await newId(), await newId()]
    const at = new Date(now() - HOUR)
    await app.sql(
      (sql) => sql`INSERT INTO enrollments (id, workspace_id, program_instance_id, identification_type, customer_id,
          site_id, status, manufacturer_slugs, tags, submits, submitted_at, approved_at, created_at, updated_at)
        VALUES (${id}, ${workspaceId}, ${more.instanceId ?? instance.id}, 'customerId', ${customerId}, ${siteId},
          'approved', ${more.slugs ?? null}::text[], '{}', true, ${at}, ${at}, ${at}, ${at})`
    )
    return id
  }

  const unenroll = (enrollmentId: string) =>
    app.sql(
      (sql) => sql`UPDATE enrollments SET status = 'unenrolled', unenrolled_at = ${new Date(now())}
        WHERE id = ${enrollmentId} RETURNING 1`
    )

  const device = (siteId: string, type: keyof typeof commandSets = "battery", more: GivenDevice = {}) =>
    place.device({ siteId, type, commands: [...commandSets[type]], direct: false, ...more })

  /** An enrolled site with a battery. */
  const home = async (more: GivenDevice = {}) => {
    const siteId: string = (await place.site()).id
    const enrollmentId = await enroll(siteId)
    return { siteId, enrollmentId, deviceId: await device(siteId, "battery", more) }
  }

  const time = (minutes: number) => new Date(now() + minutes * MINUTE).toISOString()

  /** An interval that begins so many minutes from now. */
  const interval = (minutes: number, lasts: number, actions: object = discharge) => ({
    startsAt: time(minutes),
    durationSeconds: lasts * 60,
    actions
  })

  const post = (body: object, instanceId: string = instance.id) =>
    call("POST", `/v1/programInstances/${instanceId}/dispatches`, body)

  /** A dispatch of an hour that begins in a minute. */
  const create = async (more: object = {}, instanceId?: string): Promise<any> => {
    const response = await post({ name: "Evening", intervals: [interval(1, 60)], ...more }, instanceId)
    expect({ status: response.status, body: response.body }).toMatchObject({ status: 201 })
    return response.body
  }

  const read = (id: string) => must(200, "GET", `/v1/dispatches/${id}`)
  const participants = async (id: string): Promise<ReadonlyArray<any>> =>
    (await must(200, "GET", `/v1/dispatches/${id}/participants?perPage=100`)).data
  const participant = async (id: string, siteId: string) =>
    (await participants(id)).find((one) => one.siteId === siteId)
  const optOut = (id: string, siteId: string, body?: object) =>
    call("POST", `/v1/dispatches/${id}/participants/${siteId}/opt-out`, body)
  const cancel = (id: string, body?: object) => call("POST", `/v1/dispatches/${id}/cancel`, body)

  /** Lets the runner do everything that is due, some minutes later. */
  const runAfter = async (minutes = 0) => {
    clock.move(minutes * MINUTE)
    await app.run(
      Effect.flatMap(DispatchRunner, ({ recordOutcomes, runDue }) => Effect.andThen(recordOutcomes, runDue))
    )
  }

  /** The commands of dispatches in the workspace, in the order of their issue. */
  const issued = (deviceId?: string) =>
    app.sql<IssuedRow>(
      (sql) => sql`SELECT id, device_id AS "deviceId", type, input, status, reason, scheduled_for AS "scheduledFor",
          expires_at AS "expiresAt", revert_after AS "revertAfter", source_id AS "sourceId", issued_at AS "issuedAt"
        FROM commands WHERE workspace_id = ${workspaceId} AND source = 'dispatch'
          AND (${deviceId ?? null}::text IS NULL OR device_id = ${deviceId ?? null}) ORDER BY id`
    )
  const modes = async (deviceId?: string) =>
    (await issued(deviceId)).map(({ input, status }) => `${input.operatingMode} ${status}`)

  /** Reports what became of the newest command of a device. */
  const settle = async (
    deviceId: string,
    status: "delivered" | "completed" | "failed",
    reason: CommandReason | null = null
  ) => {
    const { id } = (await issued(deviceId)).at(-1)!
    await app.run(
      Effect.flatMap(CommandOutcomes, ({ record }) => record([{ id, status, reason, output: null, upstream: null }]))
    )
  }

  /** The devices on which dispatches still have something to do. */
  const live = async () =>
    (
      await app.sql<{ readonly deviceId: string }>(
        (sql) => sql`SELECT device_id AS "deviceId" FROM dispatch_devices v JOIN dispatches d ON d.id = v.dispatch_id
          WHERE d.workspace_id = ${workspaceId} AND v.due_at IS NOT NULL`
      )
    ).map(({ deviceId }) => deviceId)

  /** The restoring of a forced mode has ended. */
  const restore = (deviceId: string) =>
    app.sql(
      (sql) => sql`UPDATE forced_modes SET phase = 'ended', ended_at = now() WHERE device_id = ${deviceId} RETURNING 1`
    )

  return {
    ...place,
    /** Stores a reading of a device. */
    report: place.read,
    programs,
    instance,
    now,
    must,
    enroll,
    unenroll,
    device,
    home,
    time,
    interval,
    post,
    create,
    read,
    participants,
    participant,
    optOut,
    cancel,
    runAfter,
    issued,
    modes,
    settle,
    live,
    restore
  }
}

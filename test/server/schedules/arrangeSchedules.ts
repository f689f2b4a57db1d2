import { ScheduleRunner } from "@edp/server/schedules/ScheduleRunner"
import { Clock, Effect } from "effect"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeDevices, type GivenDevice } from "../devices/arrangeDevices.ts"

export const everyDay = [0, 1, 2, 3, 4, 5, 6]
export const charge = { operatingMode: "charge" }
export const discharge = { operatingMode: "discharge" }
export const idle = { operatingMode: "idle" }

export const rule = (
  startTime: string,
  endTime: string,
  mode: object,
  daysOfWeek: ReadonlyArray<number> = everyDay
) => ({
  daysOfWeek,
  startTime,
  endTime,
  mode
})

/** Runs an effect with a clock that stands still at a time. */
export const at =
  (time: string | number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const now = typeof time === "number" ? time : Date.parse(time)
    return Effect.flatMap(Clock.Clock, (clock) =>
      Effect.provideService(
        effect,
        Clock.Clock,
        Object.assign(Object.create(clock), {
          currentTimeMillisUnsafe: () => now,
          currentTimeMillis: Effect.succeed(now)
        })
      )
    )
  }

interface IssuedRow {
  readonly deviceId: string
  readonly issuedAt: Date
  readonly input: { readonly operatingMode: string }
  readonly source: string
  readonly sourceId: string
}

/** A workspace with devices and schedules. */
export const arrangeSchedules = async (app: TestApp) => {
  const place = await arrangeDevices(app)
  const battery = (given: GivenDevice = {}) =>
    place.device({ type: "battery", commands: ["battery:set-reserve", "battery:set-operating-mode"], ...given })
  const post = (body: object) => place.call("POST", "/v1/schedules", body)
  const create = async (body: object): Promise<any> => {
    const response = await post({ name: "Nights", deviceType: "battery", timezone: "UTC", rules: [], ...body })
    if (response.status !== 201) throw new Error(response.text)
    return response.body
  }
  const read = async (id: string): Promise<any> => (await place.call("GET", `/v1/schedules/${id}`)).body
  /** Makes a schedule due at a time, as if it had been stored before. */
  const setDue = (id: string, time: string) =>
    app.sql((sql) => sql`UPDATE schedules SET next_transition_at = ${new Date(time)} WHERE id = ${id}`)
  const runAt = (time: string | number) => app.run(at(time)(Effect.flatMap(ScheduleRunner, ({ runDue }) => runDue)))
  const issued = () =>
    app.sql<IssuedRow>(
      (sql) => sql`SELECT device_id AS "deviceId", issued_at AS "issuedAt", input, source, source_id AS "sourceId"
        FROM commands WHERE workspace_id = ${place.workspaceId} ORDER BY issued_at, device_id`
    )
  /** The commands of the workspace: time and mode. */
  const issuedModes = async () =>
    (await issued()).map(({ input, issuedAt }) => `${issuedAt.toISOString()} ${input.operatingMode}`)
  return { ...place, battery, post, create, read, setDue, runAt, issued, issuedModes }
}

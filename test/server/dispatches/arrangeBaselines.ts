import type {
  BaselineMethod,
  BaselineParameters,
  DispatchStatus,
  ParticipantState
} from "@edp/domain/dispatches/Dispatch"
import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeMetrics } from "../metrics/arrangeMetrics.ts"
import { newSlug, texts } from "../programs/arrangePrograms.ts"

export const [MINUTE, QUARTER, HOUR, DAY] = [60_000, 900_000, 3_600_000, 86_400_000]

export const timezone = "America/Los_Angeles"

/** The instant at which clocks in California show a local time. */
export const local = (time: string) => Temporal.PlainDateTime.from(time).toZonedDateTime(timezone).epochMilliseconds

export interface GivenParticipant {
  readonly siteId: string
  readonly state?: ParticipantState
  readonly heldOut?: boolean
  readonly startsAt?: Date | null
  readonly batteries?: ReadonlyArray<string>
}

export interface GivenDispatch {
  readonly method: BaselineMethod
  readonly parameters?: BaselineParameters
  readonly from: number
  readonly to: number
  readonly status?: DispatchStatus
  readonly nominatedPowerW?: number | null
  readonly updatedAt?: Date
  readonly intervals?: ReadonlyArray<{ readonly startsAt: string; readonly durationSeconds: number }>
  readonly sites: ReadonlyArray<GivenParticipant>
}

/** The power of a home by the local date and hour, W; undefined where it sends nothing. */
export type Power = (date: string, hour: number) => number | undefined

/** A workspace with a program instance, and the ways to put dispatches of the past into it and to read their reports. */
export const arrangeBaselines = async (app: TestApp, organizationId?: string) => {
  const on = await arrangeMetrics(app, organizationId)
  const create = async (path: string, body: object, key: string) => {
    const response = await app.call("POST", path, { key, body })
    if (response.status !== 201) throw new Error(response.text)
    return response.body
  }
  const program = await create("/v1/programs", { slug: newSlug(), name: "Evening Peak" }, on.keys.MANAGEMENT)
  const instance = await create(
    "/v1/programInstances",
    { slug: newSlug("instance"), programSlug: program.slug, ...texts },
    on.keys.SERVER
  )
  const nextId = () => app.run(Effect.flatMap(Ids, (ids) => ids.next))

  /** Stores a dispatch as it is after it has run; the API creates none in the past. */
  const dispatch = async (given: GivenDispatch): Promise<string> => {
    const id = await nextId()
    const { from, intervals, method, nominatedPowerW = null, parameters = {}, sites, status = "completed", to } = given
    const whole = [{ startsAt: new Date(from).toISOString(), durationSeconds: (to - from) / 1000 }]
    const stored = (intervals ?? whole).map((each) => ({
      ...each,
      actions: { battery: { operatingMode: "discharge" } }
    }))
    await app.sql(
      (sql) => sql`INSERT INTO dispatches (id, workspace_id, program_instance_id, name, starts_at, ends_at, intervals,
          priority, randomize_start_seconds, voluntary, test, nominated_power_w, baseline, status, created_at, updated_at)
        VALUES (${id}, ${on.workspaceId}, ${instance.id}, 'Hot evening', ${new Date(from)}, ${new Date(to)},
          ${JSON.stringify(stored)}::json, 1, 0, true, false, ${nominatedPowerW}::float8,
          ${JSON.stringify({ method, parameters })}::json, ${status}, now(), ${given.updatedAt ?? new Date(to)})`
    )
    for (const { batteries = [], heldOut = false, siteId, startsAt = new Date(from), state = "done" } of sites) {
      await app.sql(
        (sql) => sql`INSERT INTO dispatch_sites (dispatch_id, site_id, customer_id, enrollment_id, state, held_out,
            starts_at, opted_out_at, reasons, updated_at)
          VALUES (${id}, ${siteId}, ${siteId}, ${siteId}, ${state}, ${heldOut}, ${startsAt}, NULL, '[]', now())`
      )
      for (const deviceId of batteries) {
        await app.sql(
          (sql) => sql`INSERT INTO dispatch_devices (dispatch_id, device_id, site_id, type, phase)
            VALUES (${id}, ${deviceId}, ${siteId}, 'battery', 'ended')`
        )
      }
    }
    return id
  }

  /** Sends readings every half hour between two local dates, with the state that a power makes. */
  const report = async (
    deviceId: string,
    [first, last]: readonly [string, string],
    power: Power,
    toState: (watts: number) => object = (watts) => ({ power: watts })
  ) => {
    const states: Array<readonly [number, object]> = []
    // Two readings for each hour, at its beginning and a millisecond before its end: the power is constant in the hour.
    for (let at = local(`${first}T00:00`); at < local(`${last}T00:00`); at += HOUR) {
      const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone)
      const watts = power(zoned.toPlainDate().toString(), zoned.hour)
      if (watts !== undefined) states.push([at, toState(watts)], [at + HOUR - 1, toState(watts)])
    }
    await on.send(deviceId, states)
  }

  /** A home whose meter tells its power. */
  const home = async (span: readonly [string, string], power: Power) => {
    const siteId: string = (await on.site({ timezone })).id
    const meter = await on.device({ type: "meter", siteId })
    await report(meter, span, power)
    return { siteId, meter }
  }

  return {
    ...on,
    instance,
    dispatch,
    report,
    home,
    ask: (id: string, query = "") => on.get(`/v1/dispatches/${id}/report${query}`),
    csv: (id: string) =>
      app.call("GET", `/v1/dispatches/${id}/report`, { key: on.keys.SERVER, headers: { accept: "text/csv" } })
  }
}

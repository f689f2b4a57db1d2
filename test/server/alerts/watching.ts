import { SilenceWatch } from "@edp/server/alerts/SilenceWatch"
import { Clock, Effect, Layer } from "effect"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeDirect } from "../readings/ingest/arrangeDirect.ts"
import { raisedAlerts } from "./raising.ts"

const MINUTE = 60_000

const layer = SilenceWatch.layer.pipe(Layer.provide(raisedAlerts))

/** The clock, ahead by the given milliseconds. */
const ahead = (clock: Clock.Clock, milliseconds: number): Clock.Clock =>
  Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + milliseconds,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + milliseconds)
  })

/** Sweeps like an instance that has just started, at the given minutes from now. Returns the number of checked devices. */
export const sweepAt = (app: TestApp, minutes = 0): Promise<number> =>
  app.run(
    Effect.flatMap(Clock.Clock, (clock) =>
      Effect.flatMap(SilenceWatch, ({ sweep }) => sweep).pipe(
        Effect.provideService(Clock.Clock, ahead(clock, minutes * MINUTE)),
        Effect.provide(layer, { local: true })
      )
    )
  )

export const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString()

const power = { power: 1000 }

/** A workspace, its direct devices, their readings and their alerts. */
export const arrangeWatch = async (app: TestApp) => {
  const place = await arrangeDirect(app)
  const alerts = async (query = ""): Promise<ReadonlyArray<any>> =>
    (await place.read(`/v1/alerts?perPage=100${query}`)).body.data
  const speak = async (id: string, minutes = 0, fields: object = {}) => {
    const response = await place.push(id, { timestamp: minutesAgo(minutes), state: power, ...fields })
    if (response.status !== 200) throw new Error(response.text)
  }
  return {
    ...place,
    alerts,
    /** The device's readings of the given minutes ago. */
    speak,
    /** Status and number of occurrences of each alert, the oldest first. */
    alertSummaries: async () =>
      (await alerts()).toReversed().map((alert) => `${alert.status} ${alert.occurrenceCount}`),
    /** A device that has just spoken and is watched. */
    speaking: async (fields: object = {}): Promise<string> => {
      const { id } = await place.device("inverter", fields)
      await speak(id)
      await sweepAt(app)
      return id
    },
    watches: (id: string) =>
      app.sql(
        (sql) => sql<{ readonly phase: string; readonly xmin: string }>`
          SELECT phase, xmin::text FROM device_watches WHERE device_id = ${id}`
      ),
    sweep: (minutes = 0) => sweepAt(app, minutes)
  }
}

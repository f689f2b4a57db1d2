import { Clock, Context, Effect, Layer } from "effect"
import type { DeviceSpan } from "../energy/deviceSpans.ts"
import { type FieldSet, quantities, listQuantities, findRatedPower } from "../energy/quantities.ts"
import { Ids } from "../platform/Ids.ts"
import { LeaseHolder } from "../platform/jobs/LeaseHolder.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { type DeviceInstant, EnergyChanges, timesBefore } from "./EnergyChanges.ts"
import { EnergyLimits, EnergySpans } from "./EnergySpans.ts"
import { EnergyReadings } from "./EnergyReadings.ts"
import { RollupDaysRepository } from "./RollupDaysRepository.ts"
import { type MeasuredDevice, ROLLUP, type RollupResult, RollupsRepository } from "./RollupsRepository.ts"
import { type ComputedIntervals, type DayRow, type WantedDays, dayIndex, dayRows } from "./storedDays.ts"
import { longOverUntil, nextSpan, rolledQuarters, tailIntervals, incrementalTail, unrolledSpans } from "./rollState.ts"

/** The work of a pass for a device. */
interface Work {
  /** The quarters to compute. */
  readonly span: DeviceSpan
  /** The end of the quarters that are stored: the last one is incomplete. */
  readonly until: number
  readonly doneUntil: number
  readonly watermark: number | null
}

/** The computed work of a device. */
interface Computed extends Work {
  readonly parts: ReadonlyArray<ComputedIntervals>
  readonly fields: FieldSet
}

/** The watermark after the change is rolled up; null when it stays. */
const watermarkAfter = ({ watermark }: MeasuredDevice, change: DeviceSpan) =>
  watermark === null || change.to - 1 > watermark ? change.to - 1 : null

const wantedDays = ({ span: { deviceId, type, from }, until }: Work): ReadonlyArray<WantedDays> =>
  from >= until
    ? []
    : listQuantities(type).map((name) => {
        const quantity = quantities.indexOf(name)
        return { deviceId, quantity, first: dayIndex(from), last: dayIndex(until - 1) }
      })

const nothingFor = (newest: number) => ({ doneUntil: newest, fields: 0, watermark: null })

const dayKey = (quantity: number, day: number) => `${quantity} ${day}`

/** The new days, given the stored ones. */
const makeRows = (work: Computed, stored: ReadonlyArray<DayRow>) => {
  const rows = new Map(stored.map((row) => [dayKey(row.quantity, row.day), row]))
  const reported = listQuantities(work.span.type)
  for (const part of work.parts) {
    const span = { from: part.span.from, to: Math.min(part.span.to, work.until) }
    if (span.from >= span.to) continue
    const changed = dayRows({ ...part, span }, reported, (quantity, day) => rows.get(dayKey(quantity, day)))
    for (const row of changed) rows.set(dayKey(row.quantity, row.day), row)
  }
  return Array.from(rows.values())
}

/** Devices that are rolled up together, under one claim. */
export interface RollupPass {
  readonly claim: string
  readonly devices: ReadonlyArray<MeasuredDevice>
}

/** Rolls up readings. Any number of instances work concurrently; the claims of one that dies expire. */
export class EnergyRollups extends Context.Service<
  EnergyRollups,
  {
    /** Claims the next devices; undefined when nothing is due. */
    readonly claim: Effect.Effect<RollupPass | undefined, DatabaseUnavailable>
    /** Rolls up a part of the devices, and releases them. Nothing is stored of those whose claim was lost. */
    readonly roll: (pass: RollupPass) => Effect.Effect<void, DatabaseUnavailable>
    /** A single pass. Returns the number of its devices, 0 when nothing is due. */
    readonly rollSome: Effect.Effect<number, DatabaseUnavailable>
    /** Rolls up some devices before they are due, but those that others have claimed. */
    readonly rollNow: (deviceIds: ReadonlyArray<string>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/EnergyRollups") {
  static readonly layer = Layer.effect(
    EnergyRollups,
    Effect.gen(function* () {
      const repository = yield* RollupsRepository
      const days = yield* RollupDaysRepository
      const readings = yield* EnergyReadings
      const changes = yield* EnergyChanges
      const spans = yield* EnergySpans
      const ids = yield* Ids
      const limits = yield* EnergyLimits
      const isolation = yield* makeIsolation(ROLLUP)
      const holder = yield* LeaseHolder
      let last = ""

      /** The next work of each device; none for a device with only dropped readings. */
      const plan = Effect.fnUntraced(function* (devices: ReadonlyArray<MeasuredDevice>) {
        if (devices.length === 0) return []
        const due = devices.flatMap((device): ReadonlyArray<DeviceSpan> => {
          const { id: deviceId, type, fields } = device
          const span = nextSpan(unrolledSpans(device, device.newest))
          if (span === undefined) return []
          return [{ deviceId, type, ratedPower: findRatedPower(type, device.staticState), fields, ...span }]
        })
        const altered = yield* changes.altered(yield* changes.begun(due, limits.readings))
        const device = new Map(devices.map((each) => [each.id, each]))
        return altered.map(({ change, altered: span }): Work => {
          const own = device.get(change.deviceId)!
          const watermark = watermarkAfter(own, change)
          const until = Math.min(span.to, rolledQuarters(watermark ?? own.watermark))
          const from = Math.max(span.from, own.sealedUntil ?? span.from)
          return { span: { ...span, from }, until, doneUntil: change.to - 1, watermark }
        })
      })

      const compute = Effect.fnUntraced(function* (works: ReadonlyArray<Work>) {
        const parts = new Map<string, Array<ComputedIntervals>>(works.map(({ span }) => [span.deviceId, []]))
        const fields = new Map<string, FieldSet>()
        yield* spans.compute(
          works.map(({ span }) => span),
          (part) => {
            parts.get(part.deviceId)!.push(part)
            fields.set(part.deviceId, (fields.get(part.deviceId) ?? 0) | part.fields)
          }
        )
        return works.map((work): Computed => {
          const { deviceId } = work.span
          return { ...work, parts: parts.get(deviceId)!, fields: fields.get(deviceId) ?? 0 }
        })
      })

      /** Usually readings arrive in order: then the readings of the tail, read by one statement, suffice. */
      const computeTails = Effect.fnUntraced(function* (devices: ReadonlyArray<MeasuredDevice>) {
        const tails = devices.flatMap((each) => {
          const device = { ...each, deviceId: each.id, ratedPower: findRatedPower(each.type, each.staticState) }
          const tail = incrementalTail(device)
          return tail === undefined ? [] : [{ device, tail }]
        })
        if (tails.length === 0) return []
        const found = yield* readings.spans(
          tails.map(({ device: { deviceId }, tail }) => ({ deviceId, ...tail })),
          limits.readings
        )
        return tails.flatMap(({ device, tail }, index): ReadonlyArray<Computed> => {
          const intervals = tailIntervals(device, tail, found[index]!, limits.readings)
          if (intervals === undefined) return []
          const { fields, watermark, span } = intervals
          return [
            {
              span: { ...device, ...span },
              until: span.to,
              doneUntil: watermark,
              watermark,
              fields,
              parts: [intervals]
            }
          ]
        })
      })

      /** The instant from which new readings may still change quarters, by device. */
      const settle = Effect.fnUntraced(function* (
        tails: ReadonlyArray<Computed>,
        others: ReadonlyArray<Computed>,
        devices: ReadonlyMap<string, MeasuredDevice>
      ) {
        const instants = others.flatMap(({ fields, span, watermark: moved }): ReadonlyArray<DeviceInstant> => {
          const device = devices.get(span.deviceId)!
          const watermark = moved ?? device.watermark
          return watermark === null
            ? []
            : [{ device: { ...device, fields: device.fields | fields }, at: watermark + 1 }]
        })
        const open = yield* timesBefore(readings, instants)
        return new Map([
          // All readings of a tail carry the same fields, so the next reading is paired with the last one.
          ...tails.map(({ span, watermark }) => [span.deviceId, rolledQuarters(watermark)] as const),
          ...instants.map(
            ({ device, at }, index) => [device.id, rolledQuarters(Math.min(at - 1, ...open[index]!))] as const
          )
        ])
      })

      const rows = Effect.fnUntraced(function* (works: ReadonlyArray<Computed>) {
        const stored = new Map<string, Array<DayRow>>(works.map(({ span }) => [span.deviceId, []]))
        const wanted = works.flatMap(wantedDays)
        for (const row of wanted.length === 0 ? [] : yield* days.ends(wanted)) stored.get(row.deviceId)!.push(row)
        return new Map(works.map((work) => [work.span.deviceId, makeRows(work, stored.get(work.span.deviceId)!)]))
      })

      const roll = Effect.fnUntraced(function* (claim: string, devices: ReadonlyArray<MeasuredDevice>) {
        const tails = yield* computeTails(devices)
        const done = new Set(tails.map(({ span }) => span.deviceId))
        const others = yield* plan(devices.filter(({ id }) => !done.has(id)))
        const planned = yield* compute(others)
        const works = [...tails, ...planned]
        const made = yield* rows(works)
        const settled = yield* settle(tails, planned, new Map(devices.map((device) => [device.id, device])))
        const longOver = dayIndex(longOverUntil(yield* Clock.currentTimeMillis))
        const computed = new Map(works.map((work) => [work.span.deviceId, work]))
        const rolled = devices.map(({ id: deviceId, newest, sealedUntil }): RollupResult => {
          const { doneUntil, fields, watermark } = computed.get(deviceId) ?? nothingFor(newest)
          const days = made.get(deviceId) ?? []
          return {
            deviceId,
            doneUntil,
            watermark,
            sealedUntil,
            fields,
            settledUntil: settled.get(deviceId) ?? null,
            // The day after those that sums are kept of counts, too: clocks differ, and passes take time.
            isRevision: days.some(({ day }) => day <= longOver),
            alteredFrom: computed.get(deviceId)?.span.from ?? null,
            rows: days
          }
        })
        yield* repository.store(claim, rolled)
      })

      const claimNext = Effect.fnUntraced(function* (claim: string) {
        const devices = yield* repository.claim(claim, last, limits.devices)
        if (devices.length > 0 || last === "") return devices
        last = ""
        return yield* repository.claim(claim, last, limits.devices)
      })

      const claim = Effect.gen(function* () {
        const name = `${holder.id} ${yield* ids.next}`
        const devices = yield* claimNext(name)
        if (devices.length === 0) return undefined
        // Devices with a large backlog do not delay others.
        last = devices.reduce((greatest, { id }) => (id > greatest ? id : greatest), "")
        return { claim: name, devices }
      })

      const rollPass = Effect.fn("EnergyRollups.roll")(function* ({ claim, devices }: RollupPass) {
        yield* isolation.run(
          devices,
          ({ id }) => id,
          (some) => Effect.as(roll(claim, some), some.length)
        )
      })

      const rollSome = Effect.gen(function* () {
        const pass = yield* claim
        if (pass === undefined) return 0
        yield* rollPass(pass)
        return pass.devices.length
      })

      const rollNow = Effect.fnUntraced(function* (deviceIds: ReadonlyArray<string>) {
        for (let first = 0; first < deviceIds.length; first += limits.devices) {
          const name = `${holder.id} ${yield* ids.next}`
          const devices = yield* repository.claimDevices(name, deviceIds.slice(first, first + limits.devices))
          if (devices.length > 0) yield* rollPass({ claim: name, devices })
        }
      })

      return { claim, roll: rollPass, rollSome, rollNow }
    })
  )
}

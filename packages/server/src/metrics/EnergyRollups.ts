import { Cause, Context, Effect, Layer } from "effect"
import { Ids } from "../platform/Ids.ts"
import { type ComputedCells, dayRows } from "./dayRows.ts"
import { EnergyChanges } from "./EnergyChanges.ts"
import type { FieldSet } from "../energy/energyFields.ts"
import { EnergyLimits } from "./EnergyLimits.ts"
import { EnergyReadingsRepository } from "./EnergyReadingsRepository.ts"
import { EnergySpans } from "./EnergySpans.ts"
import { quantities, quantitiesOf, ratedPowerOf } from "../energy/quantities.ts"
import { RollupDaysRepository } from "./RollupDaysRepository.ts"
import { type MeasuredDevice, type Rolled, RollupsRepository } from "./RollupsRepository.ts"
import { tailCells, tailOf } from "./rollTail.ts"
import { nextSpan, rolledQuarters, unrolledSpans } from "./rollState.ts"
import type { DeviceSpan } from "../energy/spanParts.ts"
import { dayOf, type DayRow, type WantedDays } from "./storedDays.ts"

/** What a pass does for a device. */
interface Work {
  /** The quarters that are computed. */
  readonly span: DeviceSpan
  /** Where those end that go into the rollups: the last one still grows. */
  readonly until: number
  readonly doneUntil: number
  readonly rolledUntil: number | null
}

/** What was computed for a device. */
interface Computed extends Work {
  readonly parts: ReadonlyArray<ComputedCells>
  readonly fields: FieldSet
}

/** The newest reading that the rollups hold when the change is in them; null where they held newer ones before. */
const rolledUntilOf = ({ rolledUntil }: MeasuredDevice, change: DeviceSpan) =>
  rolledUntil === null || change.to - 1 > rolledUntil ? change.to - 1 : null

const wantedDays = ({ span: { deviceId, type, from }, until }: Work): ReadonlyArray<WantedDays> =>
  from >= until
    ? []
    : quantitiesOf(type).map((name) => {
        const quantity = quantities.indexOf(name)
        return { deviceId, quantity, first: dayOf(from), last: dayOf(until - 1) }
      })

const nothingFor = (newest: number) => ({ doneUntil: newest, fields: 0, rolledUntil: null })

const keyOf = (quantity: number, day: number) => `${quantity} ${day}`

/** The days as they become, given how they are stored. */
const rowsOf = (work: Computed, stored: ReadonlyArray<DayRow>) => {
  const rows = new Map(stored.map((row) => [keyOf(row.quantity, row.day), row]))
  const told = quantitiesOf(work.span.type)
  for (const part of work.parts) {
    const span = { from: part.span.from, to: Math.min(part.span.to, work.until) }
    if (span.from >= span.to) continue
    const changed = dayRows({ ...part, span }, told, (quantity, day) => rows.get(keyOf(quantity, day)))
    for (const row of changed) rows.set(keyOf(row.quantity, row.day), row)
  }
  return Array.from(rows.values())
}

/** Brings the rollups up to the readings. Any number of instances do it at once; one that dies leaves it to the others. */
export class EnergyRollups extends Context.Service<
  EnergyRollups,
  {
    /** Rolls up something of the next devices, in turn, and tells of how many: of none when nothing is due. */
    readonly rollSome: Effect.Effect<number>
  }
>()("@edp/server/EnergyRollups") {
  static readonly layer = Layer.effect(
    EnergyRollups,
    Effect.gen(function* () {
      const repository = yield* RollupsRepository
      const days = yield* RollupDaysRepository
      const readings = yield* EnergyReadingsRepository
      const changes = yield* EnergyChanges
      const spans = yield* EnergySpans
      const ids = yield* Ids
      const limits = yield* EnergyLimits
      let last = ""

      /** What is done for each device now; of one that has only readings that are gone, nothing. */
      const plan = Effect.fnUntraced(function* (devices: ReadonlyArray<MeasuredDevice>) {
        if (devices.length === 0) return []
        const due = devices.flatMap((device): ReadonlyArray<DeviceSpan> => {
          const { id: deviceId, type, fields } = device
          const span = nextSpan(unrolledSpans(device, device.newest))
          if (span === undefined) return []
          return [{ deviceId, type, ratedPower: ratedPowerOf(type, device.staticState), fields, ...span }]
        })
        const altered = yield* changes.altered(yield* changes.begun(due, limits.readings))
        const device = new Map(devices.map((each) => [each.id, each]))
        return altered.map(({ change, altered: span }): Work => {
          const own = device.get(change.deviceId)!
          const rolledUntil = rolledUntilOf(own, change)
          const until = Math.min(span.to, rolledQuarters(rolledUntil ?? own.rolledUntil))
          const from = Math.max(span.from, own.frozenUntil ?? span.from)
          return { span: { ...span, from }, until, doneUntil: change.to - 1, rolledUntil }
        })
      })

      const compute = Effect.fnUntraced(function* (works: ReadonlyArray<Work>) {
        const parts = new Map<string, Array<ComputedCells>>(works.map(({ span }) => [span.deviceId, []]))
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

      /** Mostly readings come one after the other: then all is computed from those of the tail, which are read at once. */
      const computeTails = Effect.fnUntraced(function* (devices: ReadonlyArray<MeasuredDevice>) {
        const tails = devices.flatMap((each) => {
          const device = { ...each, deviceId: each.id, ratedPower: ratedPowerOf(each.type, each.staticState) }
          const tail = tailOf(device)
          return tail === undefined ? [] : [{ device, tail }]
        })
        if (tails.length === 0) return []
        const found = yield* readings.spans(
          tails.map(({ device: { deviceId }, tail }) => ({ deviceId, ...tail })),
          limits.readings
        )
        return tails.flatMap(({ device, tail }, place): ReadonlyArray<Computed> => {
          const cells = tailCells(device, tail, found[place]!, limits.readings)
          if (cells === undefined) return []
          const { fields, rolledUntil, span } = cells
          return [
            {
              span: { ...device, ...span },
              until: span.to,
              doneUntil: rolledUntil,
              rolledUntil,
              fields,
              parts: [cells]
            }
          ]
        })
      })

      const rows = Effect.fnUntraced(function* (works: ReadonlyArray<Computed>) {
        const stored = new Map<string, Array<DayRow>>(works.map(({ span }) => [span.deviceId, []]))
        const wanted = works.flatMap(wantedDays)
        for (const row of wanted.length === 0 ? [] : yield* days.ends(wanted)) stored.get(row.deviceId)!.push(row)
        return new Map(works.map((work) => [work.span.deviceId, rowsOf(work, stored.get(work.span.deviceId)!)]))
      })

      const roll = Effect.fnUntraced(function* (claim: string, devices: ReadonlyArray<MeasuredDevice>) {
        const tails = yield* computeTails(devices)
        const done = new Set(tails.map(({ span }) => span.deviceId))
        const others = yield* plan(devices.filter(({ id }) => !done.has(id)))
        const works = [...tails, ...(yield* compute(others))]
        const made = yield* rows(works)
        const computed = new Map(works.map((work) => [work.span.deviceId, work]))
        const rolled = devices.map(({ id: deviceId, newest, frozenUntil }): Rolled => {
          const { doneUntil, fields, rolledUntil } = computed.get(deviceId) ?? nothingFor(newest)
          return { deviceId, doneUntil, rolledUntil, frozenUntil, fields, rows: made.get(deviceId) ?? [] }
        })
        yield* repository.store(claim, rolled)
      })

      /** One device that can't be rolled up keeps no other from it. Its claim ends by itself, and it is tried again. */
      const rollEach = (claim: string, devices: ReadonlyArray<MeasuredDevice>): Effect.Effect<void> =>
        Effect.catchCause(roll(claim, devices), (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
          if (devices.length > 1) return Effect.forEach(devices, (one) => rollEach(claim, [one]), { discard: true })
          return Effect.logError(`The energy of device ${devices[0]!.id} is not rolled up`, cause)
        })

      const claimNext = Effect.fnUntraced(function* (claim: string) {
        const devices = yield* repository.claim(claim, last, limits.devices)
        if (devices.length > 0 || last === "") return devices
        last = ""
        return yield* repository.claim(claim, last, limits.devices)
      })

      const rollSome = Effect.gen(function* () {
        const claim = yield* ids.next
        const devices = yield* claimNext(claim)
        if (devices.length === 0) return 0
        // Devices of which much is left don't keep the others waiting.
        last = devices.reduce((greatest, { id }) => (id > greatest ? id : greatest), "")
        yield* rollEach(claim, devices)
        return devices.length
      })

      return { rollSome: Effect.withSpan(rollSome, "EnergyRollups.rollSome") }
    })
  )
}

import { IntervalEnergies, type MeasuredSite, toRuns } from "@edp/server/dispatches/reports/IntervalEnergies"
import { DeviceEnergy } from "@edp/server/metrics/DeviceEnergy"
import { SiteEnergy } from "@edp/server/metrics/SiteEnergy"
import type { Span } from "@edp/server/energy/intervals"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"

const [MINUTE, QUARTER, DAY] = [60_000, 900_000, 86_400_000]
const start = Date.UTC(2026, 4, 1)

const site = (siteId: string, type: "meter" | "battery", devices = 1): MeasuredSite => ({
  siteId,
  devices: Array.from({ length: devices }, (_, n) => ({
    id: `${siteId}${n}`,
    type,
    siteId,
    reporting: { from: start, to: start + 100 * DAY }
  }))
})

/** An energy that tells its bounds, so that no interval can be taken for another one. */
const energyIn = (from: number, to: number) => BigInt(from) * 1000n + BigInt(to - from)

interface Asked {
  readonly devices: number
  readonly time: number
}

const services = (asked: Array<Asked>) => {
  const requireQuarters = (bounds: ReadonlyArray<number>) => {
    if (bounds.slice(1, -1).some((at) => at % QUARTER !== 0)) throw new Error("Only quarters may lie within a run")
  }
  const grid = Layer.succeed(SiteEnergy, {
    sum: () => Effect.die(new Error("Sums of fleets are not asked for")),
    compute: (sites, bounds, adderFor) =>
      Effect.sync(() => {
        requireQuarters(bounds)
        asked.push({ devices: sites.length, time: bounds.at(-1)! - bounds[0]! })
        for (const each of sites) {
          const add = adderFor(each)
          for (let n = 0; n < bounds.length - 1; n++) {
            const [from, to] = [bounds[n]!, bounds[n + 1]!]
            add(n, energyIn(from, to) + BigInt(each.siteId!.length), to - from)
          }
        }
      })
  })
  const devices = Layer.succeed(DeviceEnergy, {
    read: ({ bounds, deviceIds }) =>
      Effect.sync(() => {
        requireQuarters(bounds)
        const lengths = bounds.slice(1).map((to, n) => to - bounds[n]!)
        return deviceIds.flatMap((deviceId) => {
          if (deviceId.startsWith("silent")) return []
          const charged = { amounts: bounds.slice(1).map((to, n) => energyIn(bounds[n]!, to)), covered: lengths }
          const discharged = { amounts: lengths.map(() => 5n), covered: lengths.map((length) => length / 2) }
          const isBlind = deviceId.startsWith("blind")
          const energy = new Map([
            ["charged", charged] as const,
            ...(isBlind ? [] : [["discharged", discharged] as const])
          ])
          return [{ deviceId, type: "battery" as const, energy, charge: undefined }]
        })
      })
  })
  return IntervalEnergies.layer.pipe(Layer.provide([grid, devices]))
}

const read = (
  meter: "grid" | "battery",
  requests: ReadonlyArray<{ site: MeasuredSite; spans: ReadonlyArray<Span> }>,
  asked: Array<Asked> = []
) =>
  Effect.runPromise(
    Effect.flatMap(IntervalEnergies, (energies) => energies.read(meter, requests)).pipe(Effect.provide(services(asked)))
  )

const quarters = (from: number, count: number): ReadonlyArray<Span> =>
  Array.from({ length: count }, (_, n) => ({ from: from + n * QUARTER, to: from + (n + 1) * QUARTER }))

describe("energies of intervals", () => {
  test("are those of exactly the asked spans, whatever they are and in whatever order", async () => {
    const result = await Effect.runPromise(
      Arbitrary.checkEffect(
        Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 }))),
        (seed) =>
          Effect.promise(async () => {
            const random = new Random(seed)
            const requests = Array.from({ length: 1 + random.below(3) }, (_, n) => ({
              site: site("s".repeat(n + 1), "meter"),
              spans: Array.from({ length: random.below(12) }, (): Span => {
                const quarter = start + random.below(40) * QUARTER
                const cut = random.pick([0, 0, 0, 7]) * MINUTE
                return { from: quarter + cut, to: quarter + random.pick([QUARTER, QUARTER, 10 * MINUTE]) }
              })
            }))
            const found = await read("grid", requests)
            return requests.every(({ site: { siteId }, spans }, index) =>
              spans.every(({ from, to }, n) => {
                const each = found[index]![n]!
                return each.amount === energyIn(from, to) + BigInt(siteId.length) && each.covered === to - from
              })
            )
          }),
        { runs: 300 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
  })

  test("are read together for many sites in the same window, and no others are read", async () => {
    const asked: Array<Asked> = []
    const [one, other] = [start + DAY, start + 40 * DAY]
    const spans = [...quarters(one, 12), ...quarters(other, 12)]
    await read(
      "grid",
      [
        { site: site("a", "meter"), spans },
        { site: site("bb", "meter"), spans }
      ],
      asked
    )
    expect(asked).toEqual([
      { devices: 2, time: 12 * QUARTER },
      { devices: 2, time: 12 * QUARTER }
    ])
    asked.length = 0
    const early = quarters(start - 30 * DAY, 12)
    expect(await read("grid", [{ site: site("a", "meter"), spans: early }], asked)).toEqual([
      early.map(() => ({ amount: null, covered: 0 }))
    ])
    expect(asked).toEqual([])
  })

  test("have few runs: near spans are read with what lies between them", () => {
    const [before, window] = [quarters(start, 8), quarters(start + 12 * QUARTER, 4)]
    expect(toRuns([...window, ...before])).toEqual([{ from: start, to: start + 16 * QUARTER }])
    expect(toRuns([...before, ...quarters(start + 40 * QUARTER, 4)])).toHaveLength(2)
  })
})

describe("the net charge of batteries", () => {
  const [span] = quarters(start, 1)
  const net = async (...sites: ReadonlyArray<MeasuredSite>) =>
    (
      await read(
        "battery",
        sites.map((each) => ({ site: each, spans: [span!] }))
      )
    ).map(([each]) => each)

  test("is what all batteries of a site charge less what they discharge, covered as the least of them is", async () => {
    expect(await net(site("one", "battery"), site("two", "battery", 2))).toEqual([
      { amount: energyIn(span!.from, span!.to) - 5n, covered: QUARTER / 2 },
      { amount: 2n * (energyIn(span!.from, span!.to) - 5n), covered: QUARTER / 2 }
    ])
  })

  test("is not known where a battery is silent or does not report its discharge", async () => {
    const nothing = { amount: null, covered: 0 }
    expect(await net(site("silent", "battery"), site("blind", "battery"))).toEqual([nothing, nothing])
  })
})

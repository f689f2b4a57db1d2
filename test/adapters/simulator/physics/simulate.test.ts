import { advance, beginSite, type TimelineEntry } from "@edp/adapter-simulator/physics/simulate"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { Random } from "../../../support/Random.ts"
import {
  stateAt,
  advanceBy,
  advanceTo,
  begin,
  give,
  happen,
  home,
  HOUR,
  midnight,
  MINUTE,
  order,
  randomCommand,
  randomEvent,
  read
} from "./sites.ts"

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
const few = { arbitrary: { runs: 15 } }

/** A day of commands and events at any millisecond. */
const randomDay = (random: Random): ReadonlyArray<TimelineEntry> =>
  Array.from({ length: 40 }, () => midnight + random.below(24 * HOUR))
    .sort((one, other) => one - other)
    .map((at) =>
      random.chance(0.8)
        ? { at, event: { type: "command", ...randomCommand(random) } }
        : { at, event: randomEvent(random, at) }
    )

describe("the state of a site", () => {
  it.prop(
    "is the same bits whether it is advanced at once, in any parts, or from a stored copy",
    [Seed],
    ([seed]) => {
      const random = new Random(seed)
      const timeline = randomDay(random)
      const profile = { ...home, seed }
      let parts = beginSite(profile)
      while (parts.asOf < midnight + 24 * HOUR) {
        const stored = random.chance(0.3) ? (JSON.parse(JSON.stringify(parts)) as typeof parts) : parts
        parts = advance(profile, stored, timeline, Math.min(midnight + 24 * HOUR, parts.asOf + random.below(2 * HOUR)))
      }
      expect(JSON.stringify(parts)).toBe(JSON.stringify(stateAt(profile, timeline, midnight + 24 * HOUR)))
      expect(parts.applied).toBe(timeline.length)
    },
    few
  )

  it.prop(
    "can be computed again from the timeline that commands and events have left",
    [Seed],
    ([seed]) => {
      const random = new Random(seed)
      let site = begin({ seed }, [
        {
          at: midnight + 9 * HOUR + 30_500,
          event: { type: "fault", deviceId: null, fault: { kind: "storm_mode" }, until: midnight + 11 * HOUR }
        }
      ])
      while (site.state.asOf < midnight + 20 * HOUR) {
        site = advanceBy(site, random.below(HOUR))
        const { deviceId, command } = randomCommand(random)
        site = random.chance(0.8)
          ? give(site, deviceId, command).site
          : happen(site, randomEvent(random, site.state.asOf))
      }
      expect(stateAt(site.profile, site.timeline, site.state.asOf)).toEqual(site.state)
    },
    few
  )

  it("differs with the seed, and is the same with the same one", () => {
    const noon = midnight + 12 * HOUR
    expect(stateAt(home, [], noon)).toEqual(stateAt({ ...home }, [], noon))
    expect(stateAt({ ...home, seed: 6 }, [], noon).energy).not.toEqual(stateAt(home, [], noon).energy)
  })

  it("does not go back in time", () => {
    const site = advanceBy(begin(), HOUR + 5)
    expect(advance(site.profile, site.state, site.timeline, midnight)).toBe(site.state)
    expect(advance(site.profile, site.state, site.timeline, midnight + HOUR)).toBe(site.state)
  })

  it("shows a command at once in the settings and with the next step in the powers", () => {
    const site = advanceTo(begin(), midnight + 5_000)
    const forced = order(site, "battery", {
      type: "battery:set-operating-mode",
      input: { operatingMode: "charge", enableGridInteraction: true }
    })
    expect(read(forced, "battery").forcedMode).toEqual({ mode: "charge", until: null })
    expect(read(forced, "battery").state.chargeRate).toBe(read(site, "battery").state.chargeRate)
    expect(read(advanceTo(forced, midnight + MINUTE), "battery").state.chargeRate).toBe(-5000)
  })

  it("keeps events that the script has for later, after a command of now", () => {
    const later = { at: midnight + 40_000, event: { type: "counter_reset", deviceId: "meter" } } as const
    const site = advanceTo(begin({}, [later]), midnight + 10_000)
    const given = give(site, "vehicle", { type: "vehicle:check-pairing-status", input: {} }).site
    expect(given.timeline.map(({ at }) => at)).toEqual([midnight + 10_000, midnight + 40_000])
    expect(given.state.applied).toBe(1)
    expect(advanceBy(given, HOUR).state.applied).toBe(2)
  })
})

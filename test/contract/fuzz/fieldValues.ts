import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { readingSchemas } from "@edp/domain/devices/DeviceState"
import { BatteryStatic, InverterStatic } from "@edp/domain/devices/StaticState"
import { Arbitrary, Effect, Schema } from "effect"
import { anHourAgo, nobodyResponds } from "../world.ts"
import type { FuzzWorld } from "./FuzzWorld.ts"
import type { Random } from "../../support/Random.ts"

const samples = 40

/**
 * Values of a schema, generated once: they are picked from later. None where no generator hits upon a value, as with
 * times and zones.
 */
export const makeSamples = (schema: Schema.Top, seed: number): ReadonlyArray<any> => {
  const sizes = [1, 4, 12]
  const all = sizes.map((size) =>
    Arbitrary.sampleEffect(Arbitrary.schema(schema), {
      count: samples,
      size,
      seed: seed + size,
      maxDiscards: 2000
    }).pipe(Effect.orElseSucceed(() => []))
  )
  return Effect.runSync(Effect.all(all)).flat()
}

const states = new Map<string, ReadonlyArray<any>>()

/** A reading of a device of the type, out of the contract's own variant. */
export const readingState = (type: string, random: Random): unknown => {
  const known = deviceTypes.find((one) => one === type) ?? "other"
  if (!states.has(known)) states.set(known, makeSamples(Schema.toEncoded(readingSchemas[known]), 7))
  return random.pick(states.get(known)!)
}

const ratings = [BatteryStatic, InverterStatic].map((schema) => makeSamples(Schema.toEncoded(schema), 11))

/** A time within two years, so that readings meet in few months. */
const time = (random: Random) => new Date(Date.UTC(2024, random.below(24), 1, 0, random.below(40_000))).toISOString()
const future = (random: Random) => new Date(Date.now() + 60_000 + random.below(1e9)).toISOString()

const address = (random: Random) => ({
  streetOne: `${1 + random.below(100_000)} ${random.pick(["Elm", "Oak", "Königs", "日本"])} Street`,
  city: "Sacramento",
  ...random.pick([
    { state: "CA", postalCode: "95814" },
    { state: "California", postalCode: "95814-1234" },
    { state: "NY", postalCode: "10001", country: "US" },
    { state: "BE", postalCode: "3011", country: "Switzerland" },
    { state: "NY", postalCode: "95814" }
  ])
})

/** Criteria of a rule and of combinations of rules; the attributes depend on the collection's type. */
const criteria = (random: Random): object => {
  const rule = random.pick([
    { attribute: "referenceId", operator: "startsWith", value: "fuzz-1" },
    { attribute: "tags", operator: "contains", value: "fuzz" },
    { attribute: "createdAt", operator: "gte", value: "2026-01-01T00:00:00Z" },
    { attribute: "state.power", operator: "gt", value: 100 },
    { attribute: "address.state", operator: "in", value: ["CA", "NY"] }
  ])
  return random.pick<object>([{}, rule, { not: rule }, { any: [rule, { all: [rule, rule] }] }])
}

type Value = (world: FuzzWorld, random: Random) => unknown

const reading: Value = (world, random) => {
  const device = world.device(random)
  return { timestamp: time(random), state: readingState(device.type, random) }
}

const bulkReading: Value = (world, random) => {
  const device = world.device(random)
  return { deviceId: device.id, timestamp: time(random), state: readingState(device.type, random) }
}

const several =
  (value: Value): Value =>
  (world, random) =>
    Array.from({ length: 1 + random.below(6) }, () => value(world, random))

const newcomer = (random: Random) => ({
  firstName: "Fuzz",
  lastName: "Fuzz",
  email: `fuzz-${random.below(50)}@example.com`,
  ...(random.chance(0.5) && { location: address(random) })
})

/** The enrollment of a person who is not enrolled yet. */
export const newEnrollment = (random: Random) => ({
  identificationType: "customerInfo",
  customerInfo: { ...newcomer(random), email: `newcomer-${random.below(1_000_000)}@example.com` },
  submit: random.chance(0.5)
})

/** Values that a schema alone cannot hit upon: ids that exist, times, places, and names that records really have. */
export const fieldValues: Readonly<Record<string, Value>> = {
  vtnUrl: () => nobodyResponds,
  host: () => "127.0.0.1",
  siteId: (world, random) => world.id("sites", random),
  deviceId: (world, random) => world.id("devices", random),
  customerId: (world, random) => world.id("customers", random),
  collectionId: (world, random) => world.id("collections", random),
  siteIds: (world, random) => [world.id("sites", random)],
  deviceModelId: (world, random) => world.id("device-models", random),
  workspaceId: (world, random) => world.id("workspaces", random),
  id: (world, random) => world.id("alerts", random),
  action: (_, random) => random.pick([["api-key.create"], ["access.refused", "workspace.update"]]),
  resourceType: (_, random) => random.pick([["endpoint"], ["api-key", "collection"]]),
  resourceId: (world, random) => random.pick([[world.id("api-keys", random)], ["GET /v1/sites"]]),
  actorId: (world, random) => [world.id("api-keys", random)],
  manufacturer: (_, random) => random.pick(["generic", "simulator"]),
  manufacturerScope: (_, random) => random.pick([["generic"], ["generic", "simulator"], ["acme"]]),
  manufacturerDeviceId: (_, random) => `FUZZ-${random.below(300)}`,
  timezone: (_, random) => random.pick(["America/Los_Angeles", "UTC", "Asia/Kolkata"]),
  address: (_, random) => address(random),
  location: (_, random) => ({ latitude: random.next() * 180 - 90, longitude: random.next() * 360 - 180 }),
  timestamp: (_, random) => time(random),
  from: (_, random) => random.pick([time(random), "2024-01-01T00:00:00+02:00"]),
  to: (_, random) => random.pick([time(random), "2027-01-01T00:00:00Z"]),
  expiresAt: (_, random) => future(random),
  snoozeUntil: (_, random) => future(random),
  cursor: (world, random) => world.cursor(random),
  tag: (_, random) => random.pick([["fuzz"], ["fuzz", "other"]]),
  tags: (_, random) => random.pick([["fuzz"], [], ["fuzz", "ä b", "😀"]]),
  q: (_, random) => random.pick(["f", "Fuzz", "%", "_", "é"]),
  state: (_, random) => random.pick(["CA", "california", "NY"]),
  postalCode: (_, random) => random.pick(["95814", "10001"]),
  email: (_, random) => random.pick([null, `fuzz-${random.below(50)}@example.com`]),
  referenceId: (_, random) => `fuzz-${random.below(5000)}`,
  criteria: (_, random) => criteria(random),
  customers: several((world, random) => ({ firstName: "Fuzz", siteIds: [world.id("sites", random)] })),
  sites: several((_, random) => ({ address: address(random), tags: ["fuzz"] })),
  slug: (_, random) => `fuzz-${random.below(200)}`,
  programSlug: (world, random) => random.pick([world.program, `fuzz-${random.below(200)}`]),
  states: (_, random) => random.pick([[], ["CA"], ["NY", "CA", "NY"]]),
  eligibility: (_, random) => random.pick([null, criteria(random)]),
  startsAt: (_, random) => random.pick([null, time(random)]),
  endsAt: (_, random) => random.pick([null, time(random)]),
  enrollmentPeriods: several((_, random) => ({ deadline: time(random), activatesAt: time(random) })),
  intervals: several((_, random) => ({
    startsAt: future(random),
    durationSeconds: 60 + random.below(86_400),
    actions: random.pick([{ charger: findMode("charger") }, { battery: { targetPowerW: random.below(5000) } }, {}])
  })),
  identificationType: (_, random) => random.pick(["customerId", "customerInfo"]),
  customerInfo: (_, random) => newcomer(random),
  enrollments: several((world, random) =>
    random.chance(0.5)
      ? { identificationType: "customerId", customerId: world.id("customers", random) }
      : { identificationType: "customerInfo", customerInfo: newcomer(random) }
  ),
  submit: (_, random) => random.chance(0.3),
  acceptedTerms: (_, random) => random.pick([null, { version: 1 }, { version: 1, acceptedAt: time(random) }]),
  manufacturerSlugs: (_, random) => random.pick([null, ["generic"], ["generic", "simulator"]]),
  destinationType: (_, random) => random.pick(["WEBHOOK", "WEBHOOK", "EMAIL", "KAFKA"]),
  eventTypes: (_, random) => random.pick([["SITE_CREATED"], ["ALERT_CREATED", "DEVICE_UPDATED"], []]),
  url: (_, random) => random.pick([nobodyResponds, "ftp://example.com", "http://user:password@example.com/"]),
  secret: (_, random) => random.pick([`whsec_${"A".repeat(32)}`, "whsec_AAAA", "secret"]),
  deviceIds: (world, random) => [world.id("devices", random)],
  batchId: (world, random) => [world.id("batch-commands", random)],
  sourceId: (world, random) => [world.id("schedules", random)],
  scheduledFor: (_, random) => future(random),
  headers: (_, random) => random.pick([null, {}, { "X-Team": "fuzz" }, { Host: "example.com" }, { "x y": "z" }]),
  phoneNumber: () => "+19165550142",
  logoUrl: () => "https://acme.example/logo.svg",
  staticState: (_, random) => random.pick([null, {}, random.pick(random.pick(ratings))]),
  readings: several(reading)
}

export const bulkReadings = several(bulkReading)

/** A destination without the fields of other types. */
export const webhook = (_: FuzzWorld, random: Random) => ({
  destinationType: "WEBHOOK",
  url: nobodyResponds,
  eventTypes: random.pick([["SITE_CREATED"], ["ALERT_CREATED", "DEVICE_UPDATED"]]),
  ...random.pick([
    {},
    { label: "Fuzz" },
    { deviceType: "BATTERIES", includeWeather: true, headers: { "X-Team": "fuzz" } }
  ])
})

const modes: Readonly<Record<string, object>> = {
  battery: { operatingMode: "idle" },
  thermostat: { operatingMode: "off" }
}
const findMode = (type: string) => modes[type] ?? { operatingMode: "start-charging" }
const commandable = ["battery", "charger", "thermostat", "vehicle"]

/** A command that devices of the type take, now or later. */
export const command = (type: string, random: Random) => {
  const known = commandable.includes(type) ? type : random.pick(commandable)
  return {
    type: `${known}:set-operating-mode`,
    input: findMode(known),
    ...random.pick([{}, { scheduledFor: future(random) }])
  }
}

/** A schedule of devices with a tag, or of a device of the type. */
export const weeklySchedule = (type: string, random: Random) => {
  const deviceType = commandable.includes(type) ? type : random.pick(commandable)
  const rules = [{ daysOfWeek: [1, 2], startTime: "22:00", endTime: "06:00", mode: findMode(deviceType) }]
  return { name: "Fuzz", target: { tag: "fuzz" }, deviceType, rules }
}

/** A span that may be replayed. */
export const recently = () => ({ from: anHourAgo() })

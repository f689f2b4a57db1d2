import { Effect, Schema } from "effect"
import type { ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { Credentials, makeAccounts } from "./HomeAssistantAccounts.ts"

const Settings = Schema.Struct({
  /** Seconds between two readings of a device, however often its entities change. */
  reportSeconds: Schema.optionalKey(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 600 }))
  )
})

const REPORT_SECONDS = 10
/** A state that does not change is reported again so often that the device counts as online. */
const REPEAT_AFTER = 5 * 60_000

/** Devices of a person's Home Assistant instance, over its WebSocket API. */
export const homeAssistantAdapter: ManufacturerAdapter<typeof Settings.Type, Credentials> = {
  manifest: {
    slug: "home-assistant",
    name: "Home Assistant",
    deviceTypes: ["battery", "charger", "inverter", "meter", "thermostat", "water_heater"],
    commands: ["charger:set-operating-mode", "thermostat:set-operating-mode", "thermostat:set-fan-mode"],
    authorization: "form",
    polling: null,
    quotas: [],
    // Thermostats that run on batteries listen every few minutes.
    confirmWithin: 300,
    provenAgainst: "a peer of our own in the documented shapes, not Home Assistant itself"
  },
  settings: Settings,
  credentials: Credentials,
  create: ({ reportSeconds = REPORT_SECONDS }, host) =>
    Effect.sync(() => makeAccounts(host, { reportEvery: reportSeconds * 1000, repeatAfter: REPEAT_AFTER }))
}

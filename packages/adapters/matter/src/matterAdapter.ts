import { Schema } from "effect"
import type { ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { Credentials, makeAccounts } from "./MatterAccounts.ts"

const seconds = (maximum: number) =>
  Schema.optionalKey(Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum })))

const Settings = Schema.Struct({
  /** Seconds between two readings of a device, however often its attributes change. */
  reportSeconds: seconds(600),
  /** Seconds within which a device sends something, by which its loss is noticed. Devices on batteries may take longer. */
  keepAliveSeconds: seconds(600)
})

const REPORT_SECONDS = 10
const KEEP_ALIVE_SECONDS = 60
/** A state that does not change is reported again so often that the device counts as online. */
const REPEAT_AFTER = 5 * 60_000

/** Matter devices in the network of the platform, which is their controller. */
export const matterAdapter: ManufacturerAdapter<typeof Settings.Type, Credentials> = {
  manifest: {
    slug: "matter",
    name: "Matter",
    deviceTypes: ["battery", "charger", "inverter", "meter", "thermostat", "water_heater"],
    commands: ["charger:set-operating-mode", "thermostat:set-operating-mode", "thermostat:set-fan-mode"],
    authorization: "form",
    polling: null,
    quotas: [],
    // Devices on batteries listen every few minutes.
    confirmWithin: 300,
    provenAgainst: "Matterbridge with its example devices, and devices of matter.js"
  },
  settings: Settings,
  credentials: Credentials,
  create: ({ keepAliveSeconds = KEEP_ALIVE_SECONDS, reportSeconds = REPORT_SECONDS }, host) =>
    makeAccounts(host, {
      reportEvery: reportSeconds * 1000,
      repeatAfter: REPEAT_AFTER,
      keepAlive: keepAliveSeconds
    })
}

import { Effect } from "effect"
import type { Manifest, ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeAccountReader } from "./AccountReader.ts"
import { GreenButtonCredentials } from "./credentials.ts"
import { GreenButtonSettings } from "./settings.ts"
import { makeSignIn } from "./signIn.ts"
import { discovered } from "./usage.ts"
import { makeUsageApi } from "./UsageApi.ts"

const MINUTE = 60
const HOUR = 60 * MINUTE

const manifest: Manifest = {
  slug: "green-button",
  name: "Green Button",
  deviceTypes: ["meter"],
  commands: [],
  authorization: "oauth2",
  // A history is read month by month; after that a utility has new data once a day, at a time of its own.
  polling: { busy: MINUTE / 2, normal: 15 * MINUTE, idle: 6 * HOUR, asleep: 6 * HOUR, discovery: 24 * HOUR },
  // Utilities publish no limits. A history of 13 months takes 14 calls.
  quotas: [{ scope: "account", calls: 120, window: HOUR, headroom: 0 }],
  confirmWithin: MINUTE,
  provenAgainst: "A utility of our own in the shape of the published samples of OpenESPI, not a utility"
}

/** Electricity meters of a utility's customers, by Green Button Connect My Data (NAESB REQ.21, ESPI). */
export const greenButtonAdapter: ManufacturerAdapter<GreenButtonSettings, GreenButtonCredentials> = {
  manifest,
  settings: GreenButtonSettings,
  credentials: GreenButtonCredentials,
  create: (settings, host) =>
    Effect.sync(() => {
      const api = makeUsageApi(settings)
      return {
        ...makeSignIn(settings, host, api),
        discoverDevices: Effect.fn("GreenButton.discoverDevices")(function* (account) {
          return (yield* api.usagePoints(account)).map(discovered)
        }),
        readDevices: makeAccountReader(api, settings)
      }
    })
}

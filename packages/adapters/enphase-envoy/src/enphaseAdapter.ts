import { Schema } from "effect"
import type { ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeAccounts } from "./EnphaseAccounts.ts"
import { enphaseCloud } from "./EnlightenCloud.ts"
import { GatewayCredentials } from "./GatewayCredentials.ts"
import { batteryCommands } from "./siteReport.ts"

const isAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hostname, password, protocol, username } = new URL(text)
  const isLocal = hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(hostname)
  return (protocol === "https:" || (protocol === "http:" && isLocal)) && username === "" && password === ""
}

const Address = Schema.String.check(
  Schema.makeFilter(isAddress, { message: "Must be an https address, or an http one of this machine" })
)

const Settings = Schema.Struct({
  /** Replace the addresses of Enphase's cloud, for proxies and tests. */
  loginUrl: Schema.optionalKey(Address),
  tokenUrl: Schema.optionalKey(Address)
})

/** Solar, batteries and grid meter of an Enphase IQ Gateway in the local network. */
export const enphaseAdapter: ManufacturerAdapter<typeof Settings.Type, GatewayCredentials> = {
  manifest: {
    slug: "enphase",
    name: "Enphase",
    deviceTypes: ["inverter", "battery", "meter"],
    commands: batteryCommands,
    authorization: "form",
    polling: { busy: 30, normal: 60, idle: 120, asleep: 300, discovery: 21_600 },
    quotas: [],
    confirmWithin: 300,
    products: [
      { name: "Enphase IQ Gateway", deviceTypes: ["inverter", "battery", "meter"], commands: batteryCommands },
      { name: "Enphase Envoy", deviceTypes: ["inverter", "meter"], commands: [] }
    ],
    provenAgainst: "A gateway of our own in the shapes of recorded firmware 3 to 8, not the product"
  },
  settings: Settings,
  credentials: GatewayCredentials,
  create: (settings, host) => makeAccounts(host, { ...enphaseCloud, ...settings })
}

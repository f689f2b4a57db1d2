import { commandSlugs } from "@edp/domain/devices/DeviceType"
import type { Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import { allTypes } from "./cloud/testHomes.ts"

export const manifest: Manifest = {
  slug: "simulator",
  name: "Simulator",
  deviceTypes: allTypes,
  commands: commandSlugs,
  authorization: "oauth2",
  // A device is online for 15 minutes after its newest reading, so none of them may be longer.
  polling: { busy: 15, normal: 60, idle: 300, asleep: 600, discovery: 3600 },
  quotas: [],
  confirmWithin: 150,
  provenAgainst: "Itself: the platform plays both sides"
}

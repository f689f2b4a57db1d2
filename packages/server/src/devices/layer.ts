import { Layer } from "effect"
import * as customers from "../customers/layer.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import * as sites from "../sites/layer.ts"
import * as workspaces from "../workspaces/layer.ts"
import { CustomerDeviceIdsLive, CustomerDevicesLive, SiteDevicesLive } from "./DevicePorts.ts"
import { DeviceEvents } from "./DeviceEvents.ts"
import { DeviceLists } from "./DeviceLists.ts"
import { Devices } from "./Devices.ts"
import { DevicesHandlers, TagsHandlers } from "./DevicesHandlers.ts"
import { DeviceTags } from "./Tags.ts"
import { SiteChanges } from "./SiteChanges.ts"

const events = DeviceEvents.layer.pipe(Layer.provide([EventOutbox.layer, customers.layer, sites.layer]))

export const layer = Layer.mergeAll(Devices.layer, DeviceLists.layer, DeviceTags.layer, SiteChanges.layer).pipe(
  Layer.provideMerge(events),
  Layer.provide(workspaces.layer)
)

/** Implementations of the ports of customers and sites. */
export const ports = SiteDevicesLive.pipe(
  Layer.provide([customers.layer, EventOutbox.layer]),
  Layer.provideMerge(Layer.merge(CustomerDevicesLive, CustomerDeviceIdsLive))
)

/** Needs `DeviceHistory`, which readings provide. */
export const handlers = Layer.merge(DevicesHandlers.pipe(Layer.provide(layer)), TagsHandlers)

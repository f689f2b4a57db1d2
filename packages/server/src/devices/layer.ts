import { Layer } from "effect"
import * as customers from "../customers/layer.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import * as sites from "../sites/layer.ts"
import * as workspaces from "../workspaces/layer.ts"
import { CustomerDeviceIdsLive, CustomerDevicesLive, SiteDevicesLive } from "./DevicePorts.ts"
import { DeviceEvents } from "./DeviceEvents.ts"
import { DeviceListRepository } from "./DeviceListRepository.ts"
import { DeviceLists } from "./DeviceLists.ts"
import { Devices } from "./Devices.ts"
import { DeviceSearchRepository } from "./DeviceSearchRepository.ts"
import { DevicesHandlers, TagsHandlers } from "./DevicesHandlers.ts"
import { DevicesRepository, SiteChangesRepository, TagsRepository } from "./DevicesRepository.ts"
import { DeviceTags, Tags } from "./Tags.ts"
import { SiteChanges } from "./SiteChanges.ts"

const repositories = DeviceSearchRepository.layer.pipe(
  Layer.provideMerge(DeviceListRepository.layer),
  Layer.provideMerge(Layer.merge(DevicesRepository.layer, SiteChangesRepository.layer))
)

const events = DeviceEvents.layer.pipe(Layer.provide([repositories, EventOutbox.layer, customers.layer, sites.layer]))

export const layer = Layer.mergeAll(Devices.layer, DeviceLists.layer, DeviceTags.layer, SiteChanges.layer).pipe(
  Layer.provideMerge(events),
  Layer.provide([repositories, workspaces.layer])
)

/** Implementations of the ports of customers and sites. */
export const ports = SiteDevicesLive.pipe(
  Layer.provide([customers.layer, EventOutbox.layer]),
  Layer.provideMerge(Layer.merge(CustomerDevicesLive, CustomerDeviceIdsLive)),
  Layer.provide(repositories)
)

const tags = Tags.layer.pipe(Layer.provide(TagsRepository.layer))

/** Needs `DeviceHistory`, which readings provide. */
export const handlers = Layer.merge(DevicesHandlers.pipe(Layer.provide(layer)), TagsHandlers.pipe(Layer.provide(tags)))

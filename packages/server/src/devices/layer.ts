import { Layer } from "effect"
import * as customers from "../customers/layer.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import * as sites from "../sites/layer.ts"
import * as workspaces from "../workspaces/layer.ts"
import { CustomerDevicesLive } from "./CustomerDevices.ts"
import { DeviceEvents } from "./DeviceEvents.ts"
import { DeviceListRepository } from "./DeviceListRepository.ts"
import { DeviceLists } from "./DeviceLists.ts"
import { Devices } from "./Devices.ts"
import { DeviceSearchRepository } from "./DeviceSearchRepository.ts"
import { DevicesHandlers } from "./DevicesHandlers.ts"
import { DevicesRepository } from "./DevicesRepository.ts"
import { DeviceTags } from "./DeviceTags.ts"
import { SiteChanges } from "./SiteChanges.ts"
import { SiteChangesRepository } from "./SiteChangesRepository.ts"
import { SiteDevicesLive } from "./SiteDevices.ts"
import { Tags } from "./Tags.ts"
import { TagsHandlers } from "./TagsHandlers.ts"
import { TagsRepository } from "./TagsRepository.ts"

const repositories = DeviceSearchRepository.layer.pipe(
  Layer.provideMerge(DeviceListRepository.layer),
  Layer.provideMerge(Layer.merge(DevicesRepository.layer, SiteChangesRepository.layer))
)

const events = DeviceEvents.layer.pipe(Layer.provide([repositories, EventOutbox.layer, customers.layer, sites.layer]))

export const layer = Layer.mergeAll(Devices.layer, DeviceLists.layer, DeviceTags.layer, SiteChanges.layer).pipe(
  Layer.provideMerge(events),
  Layer.provide([repositories, workspaces.layer])
)

/** What customers and sites ask of their devices. */
export const ports = SiteDevicesLive.pipe(
  Layer.provide([customers.layer, EventOutbox.layer]),
  Layer.provideMerge(CustomerDevicesLive),
  Layer.provide(repositories)
)

const tags = Tags.layer.pipe(Layer.provide(TagsRepository.layer))

/** Needs `DeviceHistory`, which readings provide. */
export const handlers = Layer.merge(DevicesHandlers.pipe(Layer.provide(layer)), TagsHandlers.pipe(Layer.provide(tags)))

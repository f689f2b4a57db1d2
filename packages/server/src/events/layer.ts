import { Layer } from "effect"
import * as devices from "../devices/layer.ts"
import { EventRetention, Events } from "./Events.ts"
import { EventsHandlers } from "./EventsHandlers.ts"
import { EventsRepository } from "./EventsRepository.ts"

export const layer = Layer.merge(Events.layer, EventRetention.layer).pipe(
  Layer.provide([EventsRepository.layer, devices.layer])
)

export const handlers = EventsHandlers.pipe(Layer.provide(layer))

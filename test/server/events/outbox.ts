import { EventOutbox } from "@edp/server/platform/outbox/EventOutbox"
import { EventsRepository } from "@edp/server/events/EventsRepository"
import { Layer } from "effect"

/** The outbox of an instance of its own. */
export const outbox = EventOutbox.layer.pipe(Layer.provide(EventsRepository.layer))

import { Layer } from "effect"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { CommandDevicesRepository } from "./CommandDevicesRepository.ts"
import { CommandArrivals, CommandIssuer } from "./CommandIssuer.ts"
import { CommandOutcomes } from "./CommandOutcomes.ts"
import { Commands } from "./Commands.ts"
import { CommandsHandlers } from "./CommandsHandlers.ts"
import { CommandsRepository } from "./CommandsRepository.ts"
import { CommandTargets } from "./CommandTargets.ts"

const repositories = Layer.mergeAll(CommandsRepository.layer, CommandDevicesRepository.layer)

/** Issuing and settling, for every source of commands. */
export const issuing = Layer.mergeAll(CommandIssuer.layer, CommandTargets.layer, CommandOutcomes.layer).pipe(
  Layer.provideMerge(CommandArrivals.layer),
  Layer.provide([repositories, EventOutbox.layer])
)

export const layer = Commands.layer.pipe(Layer.provideMerge(issuing), Layer.provide(repositories))

export const handlers = CommandsHandlers.pipe(Layer.provide(layer))

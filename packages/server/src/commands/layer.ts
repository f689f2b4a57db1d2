import { Layer } from "effect"
import * as accounts from "../accounts/layer.ts"
import * as alerts from "../alerts/layer.ts"
import * as collections from "../collections/layer.ts"
import * as destinations from "../destinations/layer.ts"
import * as devices from "../devices/layer.ts"
import { Instances } from "../platform/observability/Instances.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import * as sites from "../sites/layer.ts"
import { BatchCommands } from "./batches/BatchCommands.ts"
import {
  BatchCommandsHandlers,
  CommandsHandlers,
  DirectCommandsHandlers,
  DirectCommandsAliases
} from "./CommandsHandlers.ts"
import { BatchWatch } from "./batches/BatchWatch.ts"
import * as readings from "../readings/layer.ts"
import { CommandTargets } from "./issuing/CommandTargets.ts"
import { HeldDevices } from "./handover/HeldDevices.ts"
import { CommandArrivals, CommandIssuer } from "./issuing/CommandIssuer.ts"
import { CommandOutcomes } from "./CommandOutcomes.ts"
import { CommandReverts } from "./forced-modes/CommandReverts.ts"
import { CommandRunner } from "./CommandRunner.ts"
import { Commands } from "./Commands.ts"
import { Confirmations } from "./confirmation/Confirmations.ts"
import { DirectCommands } from "./direct/DirectCommands.ts"
import { SiteLimits } from "./site-limits/SiteLimits.ts"

/** Issuing and settling, for every source of commands. */
export const issuing = Layer.mergeAll(
  CommandIssuer.layer,
  CommandTargets.layer,
  CommandReverts.layer,
  SiteLimits.layer
).pipe(
  Layer.provideMerge(CommandOutcomes.layer),
  Layer.provideMerge(CommandArrivals.layer),
  Layer.provide(EventOutbox.layer)
)

const watching = BatchWatch.layer.pipe(Layer.provide(issuing))

/** Needs `SealingPlanner`, which the slice `metrics` provides. */
export const running = Layer.merge(CommandRunner.layer, Confirmations.layer).pipe(
  Layer.provide(HeldDevices.layer),
  Layer.merge(watching),
  Layer.provideMerge(issuing),
  Layer.provide([accounts.layer, alerts.layer, destinations.layer, Instances.layer])
)

const batches = BatchCommands.layer.pipe(
  Layer.provide([collections.layer, devices.layer, sites.layer, issuing, watching])
)

export const layer = Layer.merge(Commands.layer, batches).pipe(Layer.provideMerge(issuing))

const direct = DirectCommands.layer.pipe(Layer.provide([issuing, destinations.layer, readings.writing]))

export const handlers = Layer.merge(
  Layer.merge(CommandsHandlers, BatchCommandsHandlers).pipe(Layer.provide(layer)),
  DirectCommandsHandlers.pipe(Layer.provide(direct))
)

/** The route for results under `/v1`. */
export const aliases = DirectCommandsAliases.pipe(Layer.provide(direct))

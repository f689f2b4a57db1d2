import { Layer } from "effect"
import * as accounts from "../accounts/layer.ts"
import * as alerts from "../alerts/layer.ts"
import * as collections from "../collections/layer.ts"
import * as destinations from "../destinations/layer.ts"
import * as devices from "../devices/layer.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import * as sites from "../sites/layer.ts"
import { BatchCommands } from "./BatchCommands.ts"
import { BatchCommandsHandlers } from "./BatchCommandsHandlers.ts"
import { BatchCommandsRepository } from "./BatchCommandsRepository.ts"
import { BatchDevices } from "./BatchDevices.ts"
import { BatchWatch } from "./BatchWatch.ts"
import * as readings from "../readings/layer.ts"
import { CommandDevicesRepository } from "./CommandDevicesRepository.ts"
import { CommandHandover } from "./CommandHandover.ts"
import { CommandArrivals, CommandIssuer } from "./CommandIssuer.ts"
import { CommandOutcomes } from "./CommandOutcomes.ts"
import { CommandReverts } from "./CommandReverts.ts"
import { CommandRunner } from "./CommandRunner.ts"
import { Commands } from "./Commands.ts"
import { CommandsHandlers } from "./CommandsHandlers.ts"
import { CommandsRepository } from "./CommandsRepository.ts"
import { CommandTargets } from "./CommandTargets.ts"
import { Confirmations } from "./Confirmations.ts"
import { ConfirmationsRepository } from "./ConfirmationsRepository.ts"
import { DeviceWorkRepository } from "./DeviceWorkRepository.ts"
import { DirectCommands } from "./DirectCommands.ts"
import { DirectCommandsHandlers, DirectCommandsTwins } from "./DirectCommandsHandlers.ts"
import { DirectCommandsRepository } from "./DirectCommandsRepository.ts"
import { ForcedModes } from "./ForcedModes.ts"
import { ForcedModesRepository } from "./ForcedModesRepository.ts"
import { SiteLimits } from "./SiteLimits.ts"
import { SiteLimitsRepository } from "./SiteLimitsRepository.ts"

const repositories = Layer.mergeAll(
  CommandsRepository.layer,
  CommandDevicesRepository.layer,
  ConfirmationsRepository.layer,
  DirectCommandsRepository.layer,
  DeviceWorkRepository.layer,
  ForcedModesRepository.layer,
  SiteLimitsRepository.layer
)

/** Issuing and settling, for every source of commands. */
export const issuing = Layer.mergeAll(
  CommandIssuer.layer,
  CommandTargets.layer,
  CommandReverts.layer,
  SiteLimits.layer
).pipe(
  Layer.provideMerge(CommandOutcomes.layer),
  Layer.provideMerge(CommandArrivals.layer),
  Layer.provide([repositories, EventOutbox.layer])
)

const watching = BatchWatch.layer.pipe(Layer.provide([BatchCommandsRepository.layer, issuing]))

/** Needs `SealingPlanner`, which the slice `metrics` provides. */
export const running = Layer.mergeAll(CommandRunner.layer, Confirmations.layer).pipe(
  Layer.provide([CommandHandover.layer, ForcedModes.layer]),
  Layer.merge(watching),
  Layer.provideMerge(issuing),
  Layer.provide([repositories, accounts.layer, alerts.layer, destinations.layer])
)

const batchDevices = BatchDevices.layer.pipe(Layer.provide([collections.layer, devices.layer, sites.layer]))

const batches = BatchCommands.layer.pipe(
  Layer.provide([BatchCommandsRepository.layer, batchDevices, issuing, watching])
)

export const layer = Layer.merge(Commands.layer, batches).pipe(Layer.provideMerge(issuing), Layer.provide(repositories))

const direct = DirectCommands.layer.pipe(Layer.provide([issuing, repositories, destinations.layer, readings.writing]))

export const handlers = Layer.merge(
  Layer.merge(CommandsHandlers, BatchCommandsHandlers).pipe(Layer.provide(layer)),
  DirectCommandsHandlers.pipe(Layer.provide(direct))
)

/** The route for results under `/v1`. */
export const twins = DirectCommandsTwins.pipe(Layer.provide(direct))

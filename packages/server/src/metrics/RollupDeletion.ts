import { Effect, Layer } from "effect"
import { RollupsOfDevice } from "../readings/retention/RollupsOfDevice.ts"
import { RollupsRepository } from "./RollupsRepository.ts"

/** Implements the port through which histories of removed devices are deleted. */
export const RollupDeletionLive = Layer.effect(
  RollupsOfDevice,
  Effect.map(RollupsRepository, ({ remove }) => ({ delete: Effect.fn("RollupsOfDevice.delete")(remove) }))
)

import { Effect, Schema } from "effect"
import { AdapterError } from "../AdapterError.ts"

const SwitchSnapshot = Schema.Struct({ operatingMode: Schema.Literals(["start-charging", "stop-charging"]) })
export type SwitchSnapshot = typeof SwitchSnapshot.Type

/** The setting of a charger before a forced mode: whether its switch was on. Undefined is refused: it could not be restored. */
export const switchSnapshot = (isOn: boolean | undefined): Effect.Effect<SwitchSnapshot, AdapterError> =>
  isOn === undefined
    ? Effect.fail(
        AdapterError.of(
          "refused",
          "The device does not report whether it is on, so its setting could not be restored",
          { commandReason: "precondition_unmet" }
        )
      )
    : Effect.succeed({ operatingMode: isOn ? "start-charging" : "stop-charging" })

export const decodeSwitchSnapshot = (snapshot: unknown): Effect.Effect<SwitchSnapshot, AdapterError> =>
  Effect.mapError(Schema.decodeUnknownEffect(SwitchSnapshot)(snapshot), () =>
    AdapterError.of("contract", "The saved settings are not those of a switch", { commandReason: "refused" })
  )

import { type Attributes, hasFeature } from "./endpoints.ts"

/** The contract's operating modes by those of `SystemModeEnum`. */
export const systemModes: Readonly<Record<number, string>> = {
  0: "off",
  1: "auto",
  3: "cool",
  4: "heat",
  5: "heat",
  6: "cool"
}

/** Fan only, dry and sleep, for which the contract has no word. */
export const systemModesWithoutWord: ReadonlyArray<number> = [7, 8, 9]

/** The value of `SystemModeEnum` for a mode of the contract. */
export const systemModeToSend: Readonly<Record<string, number>> = { off: 0, auto: 1, cool: 3, heat: 4 }

/** The contract's fan modes by those of `FanModeEnum`. A fan that runs at a fixed speed is on. */
export const fanModes: Readonly<Record<number, string>> = {
  0: "off",
  1: "on",
  2: "on",
  3: "on",
  4: "on",
  5: "auto",
  6: "auto"
}

/** The value of `FanModeEnum` for a mode of the contract: on is high, because `On` is deprecated. */
export const fanModeToSend: Readonly<Record<string, number>> = { off: 0, on: 3, auto: 5 }

/** Values of `FanModeSequenceEnum` of which auto is a part. */
const sequencesWithAuto: ReadonlyArray<unknown> = [2, 3, 4]

export const allowedModes = (thermostat: Attributes): ReadonlyArray<string> => [
  ...(hasFeature(thermostat, "heating") ? ["heat"] : []),
  ...(hasFeature(thermostat, "cooling") ? ["cool"] : []),
  ...(hasFeature(thermostat, "autoMode") ? ["auto"] : []),
  "off"
]

export const allowedFanModes = (fan: Attributes | undefined): ReadonlyArray<string> =>
  fan === undefined ? [] : ["off", "on", ...(sequencesWithAuto.includes(fan["fanModeSequence"]) ? ["auto"] : [])]

/** The contract's operating modes by those of `climate`; dry and fan_only have no counterpart. */
export const operatingModes: Readonly<Record<string, string>> = {
  heat: "heat",
  cool: "cool",
  heat_cool: "auto",
  auto: "auto",
  off: "off"
}

/** Modes of `climate` that the contract has no word for. */
export const otherModes: ReadonlyArray<string> = ["dry", "fan_only"]

/** A fan that runs at a fixed speed is on. */
export const fanModes: Readonly<Record<string, string>> = {
  auto: "auto",
  on: "on",
  low: "on",
  medium: "on",
  high: "on",
  off: "off"
}

/** The contract's modes of a water heater; eco, performance and gas have no counterpart. */
export const waterHeaterModes: Readonly<Record<string, string>> = {
  heat_pump: "heat_pump",
  electric: "electric",
  high_demand: "high_demand",
  off: "off"
}

export const otherWaterHeaterModes: ReadonlyArray<string> = ["eco", "performance", "gas", "on"]

/** The mode of the contract; undefined if it has none. */
export const translate = (mode: unknown, table: Readonly<Record<string, string>>): string | undefined =>
  typeof mode === "string" && Object.hasOwn(table, mode) ? table[mode] : undefined

export const textList = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

/** The modes of the contract that a device with these modes has. */
export const allowedModes = (own: unknown, table: Readonly<Record<string, string>>): ReadonlyArray<string> => [
  ...new Set(textList(own).flatMap((mode) => translate(mode, table) ?? []))
]

/** The mode of a device that stands for one of the contract: of the same name, otherwise the first that means the same. */
export const modeToSend = (own: unknown, table: Readonly<Record<string, string>>, mode: string): string | undefined => {
  const named = textList(own)
  // A device with both holds two set-points in heat_cool, and follows a schedule of its own in auto.
  if (mode === "auto" && named.includes("heat_cool")) return "heat_cool"
  return named.includes(mode) && translate(mode, table) === mode
    ? mode
    : named.find((one) => translate(one, table) === mode)
}

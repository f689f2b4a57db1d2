/** The contract's operating modes by those of Home Assistant and Zigbee2MQTT; dry and fan_only have no counterpart. */
export const operatingModes: Readonly<Record<string, string>> = {
  heat: "heat",
  emergency_heating: "heat",
  cool: "cool",
  auto: "auto",
  heat_cool: "auto",
  eco: "eco",
  off: "off"
}

/** A fan that runs at a fixed speed is on. */
export const fanModes: Readonly<Record<string, string>> = {
  auto: "auto",
  smart: "auto",
  on: "on",
  low: "on",
  medium: "on",
  high: "on",
  circulate: "circulate",
  off: "off"
}

/** The contract's water heater modes by those of Home Assistant. */
export const waterHeaterModes: Readonly<Record<string, string>> = {
  heat_pump: "heat_pump",
  electric: "electric",
  high_demand: "high_demand",
  off: "off"
}

/** The contract's modes that a device with these modes has. */
export const allowedModes = (
  own: ReadonlyArray<string>,
  table: Readonly<Record<string, string>>
): ReadonlyArray<string> => [...new Set(own.flatMap((mode) => (Object.hasOwn(table, mode) ? [table[mode]!] : [])))]

/** The mode that a device takes for each of the contract's: its mode of the same name, otherwise the first that means the same. */
export const modesToSend = (
  own: ReadonlyArray<string>,
  table: Readonly<Record<string, string>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    allowedModes(own, table).map((mode) => [
      mode,
      // A device with both understands heat_cool as "hold two set-points" and auto as "by its schedule".
      mode === "auto" && own.includes("heat_cool")
        ? "heat_cool"
        : own.includes(mode)
          ? mode
          : own.find((one) => table[one] === mode)!
    ])
  )

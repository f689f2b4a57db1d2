import { modbusAdapter } from "@edp/adapter-kit/modbus/ModbusAdapter"
import { Effect } from "effect"
import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import type { DriverAccount, ModbusDriver } from "@edp/adapter-kit/modbus/ModbusDriver"
import { connect, formFields } from "./connect.ts"
import { defaultSettings, type SunSpecDevice } from "./devices.ts"
import { supportedCommands, read, reportedStatic } from "./report.ts"
import { restore, sendCommand } from "./sendCommand.ts"
import { SunSpecConfig, type SunSpecUnit } from "./SunSpecConfig.ts"
import { deviceId, eachUnit, readUnit, type UnitMap } from "./units.ts"

/** Percent alone is no reading of a battery, whose charge is in Wh. */
const incompatible = ({ observation: { missing, staticState, type } }: SunSpecDevice) =>
  type === "battery" && missing.includes("charge") && !("capacity" in staticState)
    ? "The battery does not report its capacity. Connect it again and enter the capacity."
    : null

const discovered = (
  { externalId, givenName }: DriverAccount<SunSpecConfig>,
  { devices, map, unit }: UnitMap & { readonly unit: SunSpecUnit }
): ReadonlyArray<DiscoveredDevice> =>
  devices.map((device) => {
    const { key, manufacturerName, modelName, observation, serialNumber } = device
    const ownName = [manufacturerName, modelName].filter((part) => part !== undefined).join(" ") || "SunSpec"
    return {
      manufacturerDeviceId: deviceId(externalId, unit, key),
      type: observation.type,
      name: `${givenName ?? ownName} ${key.replace("-", " ")}`,
      model: modelName ?? "SunSpec device",
      serialNumber: serialNumber ?? null,
      rawType: `SunSpec ${map.models.map(({ id }) => id).join(", ")}`,
      rawModel: modelName ?? null,
      modelYear: null,
      staticState: reportedStatic(device),
      commands: supportedCommands(device, map),
      incompatible: incompatible(device)
    }
  })

/** A kind of device that describes itself by SunSpec, in one or several Modbus units. */
export const sunSpecDriver = (
  key: string,
  name: string,
  units: ReadonlyArray<SunSpecUnit>
): ModbusDriver<SunSpecConfig> => ({
  key,
  name,
  deviceTypes: ["inverter", "battery", "meter"],
  commands: ["battery:set-reserve", "battery:set-operating-mode"],
  fields: formFields(units),
  config: SunSpecConfig,
  connect: connect(units),
  discover: (open, account) =>
    Effect.map(
      eachUnit(account.config.units, (unit) => readUnit(open, account.config, unit)),
      (results) => results.flatMap((result) => discovered(account, result))
    ),
  read,
  command: sendCommand,
  restore
})

/** Any device with SunSpec, in the unit that a person names. */
export const anySunSpecDevice = sunSpecDriver("sunspec", "SunSpec", [{ key: "", unitId: 1, settings: defaultSettings }])

/** Any device that describes itself by SunSpec over Modbus TCP. */
export const sunSpecAdapter = modbusAdapter({
  slug: "sunspec",
  name: "SunSpec Modbus",
  drivers: [anySunSpecDevice],
  provenAgainst: "Debian's pymodbus and jsmodbus as devices, Debian's mbpoll as a second client"
})

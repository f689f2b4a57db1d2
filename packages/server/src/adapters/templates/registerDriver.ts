import { Effect } from "effect"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { AccountReport, DeviceObservation, DiscoveredDevice } from "../Account.ts"
import { AdapterError } from "../AdapterError.ts"
import type { CommandRequest, CommandResult } from "../ManufacturerAdapter.ts"
import { beginForcedMode, endForcedMode, holdsAlready, writeVerified } from "../modbus/forcedMode.ts"
import {
  commandAlreadyDone,
  commandDone,
  type DriverAccount,
  type ModbusDriver,
  nothingToRestore,
  type OpenUnit
} from "../modbus/ModbusDriver.ts"
import type { ModbusDevice, ModbusTemplate } from "./DeviceTemplate.ts"
import { commandPlaces, commandRegisters, decodeRegisters } from "./modbusTemplate.ts"
import { connect, formFields, needsCapacity } from "./registerConnect.ts"
import { readTemplateRegisters, RegisterConfig, requireSame } from "./registerReads.ts"

const known = ({ capacities }: RegisterConfig, { key }: ModbusDevice) => {
  const capacity = capacities[key]
  return capacity === undefined ? {} : { capacity }
}

/** Whether a command of the template writes the power that it is given. */
const takesPower = ({ commands }: ModbusDevice) =>
  Object.values(commands ?? {}).some((steps) => steps.some(({ input }) => input === "targetPowerW"))

const reportedStatic = (device: ModbusDevice, known: Readonly<Record<string, unknown>>): object | null => {
  // Without a capacity a battery has no static fields.
  const isKnown = device.type !== "battery" || "capacity" in known
  const staticState = { ...known, ...(isKnown && takesPower(device) && { takesTargetPower: true }) }
  return Object.keys(staticState).length === 0 ? null : staticState
}

const supportedCommands = ({ commands }: ModbusDevice) => Object.keys(commands ?? {}) as ReadonlyArray<CommandSlug>

const deviceId = (externalId: string, { key }: ModbusDevice) => `${externalId}/${key}`

const discover = (template: ModbusTemplate) =>
  Effect.fnUntraced(function* (open: OpenUnit, { config, externalId, givenName }: DriverAccount<RegisterConfig>) {
    yield* requireSame(open, template, config)
    const { read, silent } = yield* readTemplateRegisters(open, template, config.unitIds)
    return template.devices
      .filter(({ unitId }) => !silent.has(unitId))
      .map((device): DiscoveredDevice => {
        const { missing, staticState } = decodeRegisters(device, read, known(config, device))
        const lacksAll = Object.keys(device.fields).every((field) => missing.includes(field))
        return {
          manufacturerDeviceId: deviceId(externalId, device),
          type: device.type,
          name: `${givenName ?? template.name} ${device.key}`,
          model: device.model,
          serialNumber: config.serial,
          rawType: template.slug,
          rawModel: null,
          modelYear: null,
          staticState: reportedStatic(device, staticState),
          commands: supportedCommands(device),
          incompatible: lacksAll
            ? "The device answers, and has none of the registers of this part."
            : needsCapacity(device) && known(config, device).capacity === undefined
              ? "The device does not report the capacity of the battery. Connect it again and enter the capacity."
              : null
        }
      })
  })

const readDevices = (template: ModbusTemplate) =>
  Effect.fnUntraced(function* (
    open: OpenUnit,
    { config, externalId }: DriverAccount<RegisterConfig>,
    observedAt: number
  ) {
    yield* requireSame(open, template, config)
    const { read, silent } = yield* readTemplateRegisters(open, template, config.unitIds)
    const observations = template.devices
      .filter(({ unitId }) => !silent.has(unitId))
      .map((device): DeviceObservation => {
        const { missing, problems, state, staticState } = decodeRegisters(device, read, known(config, device))
        return {
          manufacturerDeviceId: deviceId(externalId, device),
          observedAt,
          // A state without one of the contract's required fields is no reading: what is not known is left out, never 0.
          state: missing.length === 0 ? state : null,
          asleep: false,
          coordinates: null,
          staticState: reportedStatic(device, staticState),
          commands: supportedCommands(device),
          interventions: [],
          problems
        }
      })
    const isIdle = observations.every(({ state }) => state === null || ("power" in state && state.power === 0))
    return { observations, alerts: [], devices: null, activity: isIdle ? "idle" : "normal" } satisfies AccountReport
  })

const sendCommand = (template: ModbusTemplate) =>
  Effect.fnUntraced(function* (
    open: OpenUnit,
    { config, externalId }: DriverAccount<RegisterConfig>,
    request: CommandRequest
  ): Effect.fn.Return<CommandResult, AdapterError> {
    const { input, revertAfter, snapshot, type } = request
    const device = template.devices.find((one) => deviceId(externalId, one) === request.device.manufacturerDeviceId)
    if (device === undefined) return yield* AdapterError.of("refused", `${template.name} has no such device any more`)
    yield* requireSame(open, template, config)
    if (type === "battery:set-operating-mode" && input["operatingMode"] === "reset") {
      if (snapshot === null) return yield* nothingToRestore
      yield* endForcedMode(open, snapshot)
      return commandDone
    }
    const plan = commandRegisters(device, type, input)
    if ("refused" in plan) {
      return yield* AdapterError.of("refused", plan.refused, { commandReason: "unsupported_value" })
    }
    const unitId = config.unitIds[String(device.unitId)] ?? device.unitId
    const writes = plan.writes.map(({ address, words }) => ({ address, words }))
    const unit = open(unitId)
    if (isForcedMode(type, input, revertAfter)) {
      yield* beginForcedMode(unit, { unitId, landmarks: [], settings: commandPlaces(device, type), writes }, request)
      return commandDone
    }
    if (yield* holdsAlready(unit, writes)) return commandAlreadyDone
    yield* writeVerified(unit, writes)
    return commandDone
  })

const restore = (template: ModbusTemplate) =>
  Effect.fnUntraced(function* (open: OpenUnit, { config }: DriverAccount<RegisterConfig>, snapshot: unknown) {
    yield* requireSame(open, template, config)
    yield* endForcedMode(open, snapshot)
    return commandDone
  })

/** A kind of device that a template describes by its registers. */
export const registerDriver = (template: ModbusTemplate): ModbusDriver<RegisterConfig> => ({
  key: template.slug,
  name: template.name,
  deviceTypes: [...new Set(template.devices.map(({ type }) => type))],
  commands: [...new Set(template.devices.flatMap(supportedCommands))],
  fields: formFields(template),
  config: RegisterConfig,
  connect: connect(template),
  discover: discover(template),
  read: readDevices(template),
  command: sendCommand(template),
  restore: restore(template)
})

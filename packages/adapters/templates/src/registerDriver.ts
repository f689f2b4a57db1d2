import { Effect } from "effect"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { AccountReport, DeviceObservation, DiscoveredDevice, LinkedDevice } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import { beginForcedMode, endForcedMode, holdsAlready, writeVerified } from "@edp/adapter-kit/modbus/forcedMode"
import {
  commandAlreadyDone,
  commandDone,
  type DriverAccount,
  type ModbusDriver,
  nothingToRestore,
  type OpenUnit,
  type RestoreRequest
} from "@edp/adapter-kit/modbus/ModbusDriver"
import type { PlannedWrite } from "@edp/adapter-kit/modbus/registerWrites"
import { needsCapacity } from "./capacity.ts"
import type { ModbusDevice, ModbusTemplate } from "./DeviceTemplate.ts"
import { commandSettings, commandRegisters, decodeRegisters, type RegisterCommand } from "./modbusTemplate.ts"
import { connect, formFields } from "./registerConnect.ts"
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
            ? "The device responds, and has none of the registers of this part."
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

const findDevice = (template: ModbusTemplate, externalId: string, { manufacturerDeviceId }: LinkedDevice) =>
  template.devices.find((one) => deviceId(externalId, one) === manufacturerDeviceId)

/** Writes the settings from before a forced mode back, and those of later commands as these left them. */
const restoreSettings = (
  template: ModbusTemplate,
  open: OpenUnit,
  { externalId, renewals }: DriverAccount<RegisterConfig>,
  { device: linked, snapshot, takenSince }: RestoreRequest
) => {
  const device = findDevice(template, externalId, linked)
  const taken = takenSince.flatMap(({ input, type }) => {
    const plan = device === undefined ? undefined : commandRegisters(device, type, input)
    return plan === undefined || "refused" in plan ? [] : plan.writes
  })
  // The settings of a mode are those of one device, and so of one unit.
  return renewals
    .end(linked.manufacturerDeviceId)
    .pipe(Effect.andThen(endForcedMode(open, snapshot, () => Effect.succeed(taken))), Effect.as(commandDone))
}

const plannedWrite = ({ address, single, words }: RegisterCommand): PlannedWrite => ({
  address,
  words,
  ...(single === true && { single })
})

const sendCommand = (template: ModbusTemplate) =>
  Effect.fnUntraced(function* (
    open: OpenUnit,
    account: DriverAccount<RegisterConfig>,
    request: CommandRequest
  ): Effect.fn.Return<CommandResult, AdapterError> {
    const { config, externalId } = account
    const { input, revertAfter, snapshot, type } = request
    const device = findDevice(template, externalId, request.device)
    if (device === undefined) return yield* AdapterError.of("refused", `${template.name} has no such device any more`)
    yield* requireSame(open, template, config)
    if (type === "battery:set-operating-mode" && input["operatingMode"] === "reset") {
      return snapshot === null ? yield* nothingToRestore : yield* restoreSettings(template, open, account, request)
    }
    const plan = commandRegisters(device, type, input)
    if ("refused" in plan) {
      return yield* AdapterError.of("refused", plan.refused, { commandReason: "unsupported_value" })
    }
    const unitId = config.unitIds[String(device.unitId)] ?? device.unitId
    const writes = plan.writes.map(plannedWrite)
    const unit = open(unitId)
    const isWriteOnly = plan.writes.some(({ writeOnly }) => writeOnly === true)
    if (isForcedMode(type, input, revertAfter)) {
      if (isWriteOnly) {
        return yield* AdapterError.of("refused", "The device does not show the setting, so it can't be restored", {
          commandReason: "precondition_unmet"
        })
      }
      yield* account.renewals.end(request.device.manufacturerDeviceId)
      yield* beginForcedMode(unit, { unitId, landmarks: [], settings: commandSettings(device, type), writes }, request)
      const renewed = plan.writes.filter(({ renew }) => renew !== undefined)
      if (renewed.length > 0) {
        yield* account.renewals.begin(request.device.manufacturerDeviceId, {
          unitId,
          held: writes,
          renewed: renewed.map(plannedWrite),
          everySeconds: Math.min(...renewed.map(({ renew }) => renew!)),
          seconds: revertAfter
        })
      }
      return commandDone
    }
    if (isWriteOnly) {
      yield* Effect.forEach(writes, unit.write, { discard: true })
      return { ...commandDone, status: "accepted" }
    }
    if (yield* holdsAlready(unit, writes)) return commandAlreadyDone
    yield* writeVerified(unit, writes)
    return commandDone
  })

const restore = (template: ModbusTemplate) =>
  Effect.fnUntraced(function* (open: OpenUnit, account: DriverAccount<RegisterConfig>, request: RestoreRequest) {
    yield* requireSame(open, template, account.config)
    return yield* restoreSettings(template, open, account, request)
  })

/** A kind of device that a template describes by its registers. */
export const registerDriver = (template: ModbusTemplate): ModbusDriver<RegisterConfig> => ({
  key: template.slug,
  name: template.name,
  deviceTypes: [...new Set(template.devices.map(({ type }) => type))],
  commands: [...new Set(template.devices.flatMap(supportedCommands))],
  ...(template.transports !== undefined && { transports: template.transports }),
  ...(template.port !== undefined && { port: template.port }),
  ...(template.connectDelay !== undefined && { connectDelay: template.connectDelay }),
  fields: formFields(template),
  config: RegisterConfig,
  connect: connect(template),
  discover: discover(template),
  read: readDevices(template),
  command: sendCommand(template),
  restore: restore(template)
})

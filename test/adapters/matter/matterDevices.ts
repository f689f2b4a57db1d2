/** A node with energy devices, in a process of its own: `MatterHome.ts` starts it and changes its attributes. */
import { Endpoint, Environment, ServerNode, type MaybePromise } from "@matter/main"
import {
  DeviceEnergyManagementServer,
  ElectricalEnergyMeasurementServer,
  ElectricalPowerMeasurementServer,
  EnergyEvseModeServer,
  EnergyEvseServer,
  FanControlServer,
  PowerSourceServer,
  PowerTopologyServer,
  ThermostatServer,
  WaterHeaterManagementServer,
  WaterHeaterModeServer
} from "@matter/main/behaviors"
import { FabricManager } from "@matter/main/protocol"
import type { EnergyEvse } from "@matter/main/clusters"
import { BatteryStorageDevice } from "@matter/main/devices/battery-storage"
import { ElectricalMeterDevice } from "@matter/main/devices/electrical-meter"
import { EnergyEvseDevice } from "@matter/main/devices/energy-evse"
import { SolarPowerDevice } from "@matter/main/devices/solar-power"
import { ThermostatDevice } from "@matter/main/devices/thermostat"
import { WaterHeaterDevice } from "@matter/main/devices/water-heater"
import { ElectricalSensorEndpoint } from "@matter/main/endpoints/electrical-sensor"

const [folder, port, passcode, discriminator] = process.argv.slice(2)
const environment = Environment.default
environment.vars.set("storage.path", folder!)
environment.vars.set("log.level", "fatal")

const accuracy = (measurementType: number) => ({
  measurementType,
  measured: true,
  minMeasuredValue: -1_000_000_000,
  maxMeasuredValue: 1_000_000_000,
  accuracyRanges: [{ rangeMin: -1_000_000_000, rangeMax: 1_000_000_000, fixedMax: 1 }]
})

const Power = ElectricalPowerMeasurementServer.with("AlternatingCurrent")
const Energy = ElectricalEnergyMeasurementServer.with("ImportedEnergy", "ExportedEnergy", "CumulativeEnergy")

/** Initial values of the clusters that measure power, mW and mWh. */
const measuring = (watts: number, importedWh: number, exportedWh: number) => ({
  powerTopology: {},
  electricalPowerMeasurement: {
    powerMode: 2,
    numberOfMeasurementTypes: 3,
    accuracy: [accuracy(5), accuracy(1), accuracy(2)],
    activePower: watts * 1000,
    voltage: 230_000,
    activeCurrent: Math.round((watts / 230) * 1000)
  },
  electricalEnergyMeasurement: {
    accuracy: accuracy(14),
    cumulativeEnergyImported: { energy: importedWh * 1000 },
    cumulativeEnergyExported: { energy: exportedWh * 1000 }
  }
})

const sensors = [PowerTopologyServer.with("TreeTopology"), Power, Energy] as const

/** A charging station that does as it is told; one that is stuck takes a command and does nothing. */
let isStuck = false
class Evse extends EnergyEvseServer.with("ChargingPreferences") {
  override enableCharging(request: EnergyEvse.EnableChargingRequest): MaybePromise {
    if (isStuck) return
    this.state.supplyState = 1
    this.state.state = 3
    this.state.chargingEnabledUntil = request.chargingEnabledUntil
    this.state.minimumChargeCurrent = request.minimumChargeCurrent
    this.state.maximumChargeCurrent = request.maximumChargeCurrent
  }
  override disable(): MaybePromise {
    if (isStuck) return
    this.state.supplyState = 0
    this.state.state = 2
  }
  override setTargets() {}
  override getTargets() {
    return { chargingTargetSchedules: [] }
  }
  override clearTargets() {}
}

class WaterHeater extends WaterHeaterManagementServer.with("TankPercent") {
  override boost() {}
  override cancelBoost() {}
}

const modes = (...tags: ReadonlyArray<number>) => ({
  supportedModes: tags.map((value, index) => ({ label: `Mode ${index}`, mode: index, modeTags: [{ value }] })),
  currentMode: 0
})

const node = await ServerNode.create({
  id: "home",
  environment,
  network: { port: Number(port) },
  commissioning: { passcode: Number(passcode), discriminator: Number(discriminator) },
  productDescription: { name: "Home", deviceType: EnergyEvseDevice.deviceType },
  basicInformation: {
    vendorName: "Volta",
    vendorId: 0xfff1 as never,
    nodeLabel: "Casa",
    productName: "Energy Home",
    productId: 0x8000,
    serialNumber: `H-${port}`,
    uniqueId: `home-${port}`
  }
})

const add = async (endpoint: Endpoint) => void (await node.add(endpoint))

const thermostat = new Endpoint(
  ThermostatDevice.with(ThermostatServer.with("Heating", "Cooling", "AutoMode"), FanControlServer.with("Auto")),
  {
    id: "hall",
    thermostat: {
      localTemperature: 2150,
      systemMode: 4,
      controlSequenceOfOperation: 4,
      occupiedHeatingSetpoint: 2000,
      occupiedCoolingSetpoint: 2600,
      minHeatSetpointLimit: 700,
      maxHeatSetpointLimit: 3000,
      minCoolSetpointLimit: 1600,
      maxCoolSetpointLimit: 3200,
      minSetpointDeadBand: 20
    },
    fanControl: { fanMode: 5, fanModeSequence: 2, percentSetting: 0, percentCurrent: 0 }
  }
)
const evse = new Endpoint(EnergyEvseDevice.with(Evse, EnergyEvseModeServer), {
  id: "station",
  energyEvse: {
    state: 2,
    supplyState: 0,
    faultState: 0,
    chargingEnabledUntil: null,
    circuitCapacity: 32_000,
    minimumChargeCurrent: 6000,
    maximumChargeCurrent: 32_000,
    userMaximumChargeCurrent: 32_000,
    sessionId: null,
    sessionDuration: null,
    sessionEnergyCharged: null,
    nextChargeStartTime: null,
    nextChargeTargetTime: null,
    nextChargeRequiredEnergy: null,
    nextChargeTargetSoC: null
  },
  energyEvseMode: modes(0x4000)
})
const heater = new Endpoint(
  WaterHeaterDevice.with(WaterHeater, WaterHeaterModeServer, ThermostatServer.with("Heating")),
  {
    id: "tank",
    waterHeaterManagement: { tankPercentage: 70, heaterTypes: { heatPump: true }, heatDemand: {}, boostState: 0 },
    waterHeaterMode: modes(0x4001, 0x4000),
    thermostat: {
      localTemperature: 5000,
      systemMode: 4,
      controlSequenceOfOperation: 2,
      occupiedHeatingSetpoint: 5500,
      absMinHeatSetpointLimit: 4000,
      absMaxHeatSetpointLimit: 6500,
      minHeatSetpointLimit: 4000,
      maxHeatSetpointLimit: 6500
    }
  }
)
const solar = new Endpoint(
  SolarPowerDevice.with(...sensors, DeviceEnergyManagementServer.with("PowerForecastReporting")),
  {
    id: "roof",
    ...measuring(-3200, 1000, 8_500_000),
    deviceEnergyManagement: {
      esaType: 6,
      esaCanGenerate: true,
      esaState: 1,
      absMinPower: -5_000_000,
      absMaxPower: 0,
      forecast: null
    }
  }
)
const battery = new Endpoint(BatteryStorageDevice.with(...sensors, PowerSourceServer.with("Battery", "Rechargeable")), {
  id: "pack",
  ...measuring(-1500, 900_000, 700_000),
  powerSource: {
    status: 1,
    order: 0,
    description: "Battery",
    endpointList: [],
    batPercentRemaining: 125,
    batChargeLevel: 0,
    batReplacementNeeded: false,
    batReplaceability: 1,
    batChargeState: 1,
    batFunctionalWhileCharging: true
  }
})
const meter = new Endpoint(ElectricalMeterDevice.with(...sensors), {
  id: "grid",
  ...measuring(-800, 12_000_000, 3_000_000)
})

for (const one of [thermostat, evse, heater, solar, battery, meter]) await add(one)
for (const [parent, watts] of [
  [evse, 0],
  [heater, 480]
] as const) {
  await parent.parts.add(
    new Endpoint(ElectricalSensorEndpoint.with(...sensors), { id: "sensor", ...measuring(watts, 4_000_000, 0) })
  )
}
const parts: Record<string, Endpoint> = {
  hall: thermostat,
  station: evse,
  stationSensor: [...evse.parts][0]!,
  tank: heater,
  roof: solar,
  pack: battery,
  grid: meter
}

await node.start()
const { manualPairingCode, qrPairingCode } = node.state.commissioning.pairingCodes

type Request = { readonly id: number } & (
  | { readonly set: readonly [part: string, cluster: string, values: Record<string, unknown>] }
  | { readonly get: readonly [part: string, cluster: string] }
  | { readonly stuck: boolean }
  | { readonly fabrics: true }
  | { readonly window: true }
  | { readonly reset: true }
)

const respond = async (request: Request): Promise<unknown> => {
  if ("set" in request) return parts[request.set[0]]!.setStateOf(request.set[1], request.set[2])
  if ("get" in request) return { ...parts[request.get[0]]!.stateOf(request.get[1]) }
  if ("stuck" in request) return void (isStuck = request.stuck)
  if ("fabrics" in request) return Object.keys(node.state.commissioning.fabrics).length
  if ("window" in request) return node.act((agent) => agent.commissioning.enterCommissionableMode())
  for (const { fabricIndex } of Object.values(node.state.commissioning.fabrics)) {
    await node.env.get(FabricManager).for(fabricIndex).leave()
  }
  return undefined
}

process.on("message", (request: Request) => {
  void respond(request).then(
    (value) =>
      process.send!({
        id: request.id,
        value: JSON.parse(JSON.stringify(value ?? null, (_, one) => (typeof one === "bigint" ? Number(one) : one)))
      }),
    (error: unknown) => process.send!({ id: request.id, error: String(error) })
  )
})
process.on("disconnect", () => process.exit())
process.send?.({ manualPairingCode, qrPairingCode })

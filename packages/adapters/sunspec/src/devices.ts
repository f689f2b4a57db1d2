import { observe, type Observation } from "@edp/adapter-kit/decoding/observation"
import { withoutNoise } from "@edp/adapter-kit/decoding/units"
import { takesPower } from "./commands.ts"
import { type ModelValues, modelValues } from "./modelValues.ts"
import type { DeviceMap, FoundModel } from "./walk.ts"

/** Facts of an installation that no register holds. */
export interface SunSpecSettings {
  /** The direction in which the meter counts power as positive. It depends on how its transformers are mounted. */
  readonly meterPositive: "import" | "export"
  /** Whether the counters of imported and exported energy are exchanged, too. */
  readonly swapMeterCounters: boolean
  /** The direction in which model 802 counts power as positive. */
  readonly batteryPositive: "discharge" | "charge"
  /** Capacity of the battery in Wh, for a device that does not report it. */
  readonly batteryCapacity?: number
  /** DC inputs of model 160, from 1 on, that charge and discharge the battery, where their names do not tell. */
  readonly batteryInputs?: { readonly charge: number; readonly discharge: number }
}

export const defaultSettings: SunSpecSettings = {
  meterPositive: "import",
  swapMeterCounters: false,
  batteryPositive: "discharge"
}

export interface SunSpecDevice {
  /** `inverter`, `battery`, `meter-1` and so on: unique within the map. */
  readonly key: string
  readonly manufacturerName: string | undefined
  readonly modelName: string | undefined
  readonly serialNumber: string | undefined
  readonly observation: Observation<"inverter" | "battery" | "meter">
}

const isInverter = ({ id }: FoundModel) => (id >= 101 && id <= 103) || (id >= 111 && id <= 113) || id === 701
const isMeter = ({ id }: FoundModel) => (id >= 201 && id <= 204) || (id >= 211 && id <= 214)
const isStorage = ({ id }: FoundModel) => id === 124 || id === 713 || id === 802

/** Powers below it are noise of an idle battery, W. */
const IDLE_WATTS = 50

const first = (...values: ReadonlyArray<number | undefined>) => values.find((value) => value !== undefined)
const negated = (value: number | undefined, when: boolean) => (value === undefined || !when ? value : 0 - value)
const clean = (value: number | undefined) => (value === undefined ? undefined : withoutNoise(value))

type Find = (id: number) => ModelValues | undefined

const finder =
  (models: ReadonlyArray<FoundModel>): Find =>
  (id) => {
    const model = models.find((one) => one.id === id)
    return model === undefined ? undefined : modelValues(model)
  }

interface DcPowers {
  /** Power of the solar inputs, W; undefined if no input reports it. */
  readonly solar: number | undefined
  /** Power of the battery inputs, W: positive discharges. */
  readonly battery: number | undefined
}

const total = (watts: ReadonlyArray<number | undefined>) => {
  const known = watts.filter((each) => each !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0)
}

/** Values of `PrtTyp` in model 714. */
const PV_PORT = 1
const STORAGE_PORT = 2

/** The DC ports of model 714, which tell what is connected to them. */
const portPowers = (ports: ModelValues | undefined): DcPowers => {
  const sum = (type: number) =>
    total((ports?.blocks ?? []).filter((port) => port.number("PrtTyp") === type).map((port) => port.number("DCW")))
  return { solar: sum(PV_PORT), battery: sum(STORAGE_PORT) }
}

/** The DC inputs of model 160. Hybrid inverters name those of the battery StCha and StDisCha. */
const inputPowers = (mppt: ModelValues | undefined, settings: SunSpecSettings): DcPowers => {
  const roles = (mppt?.blocks ?? []).map((block, n) => {
    const name = block.text("IDStr") ?? ""
    const { batteryInputs } = settings
    const charge = batteryInputs === undefined ? /^StCha/i.test(name) : batteryInputs.charge === n + 1
    const discharge = batteryInputs === undefined ? /^StDisCha/i.test(name) : batteryInputs.discharge === n + 1
    return { role: charge ? "charge" : discharge ? "discharge" : "solar", watts: block.number("DCW") } as const
  })
  const sum = (role: "charge" | "discharge" | "solar") =>
    total(roles.filter((one) => one.role === role).map(({ watts }) => watts))
  const [charge, discharge] = [sum("charge"), sum("discharge")]
  return {
    solar: sum("solar"),
    battery: charge === undefined && discharge === undefined ? undefined : (discharge ?? 0) - (charge ?? 0)
  }
}

const dcPowers = (find: Find, settings: SunSpecSettings): DcPowers => {
  const ports = portPowers(find(714))
  return ports.battery === undefined ? inputPowers(find(160), settings) : ports
}

const inverterObservation = (
  models: ReadonlyArray<FoundModel>,
  find: Find,
  dc: DcPowers,
  batteryWatts: number | undefined
): Observation<"inverter"> => {
  const ac = models.find(isInverter)
  const values = ac === undefined ? undefined : modelValues(ac)
  const isHybrid = models.some(isStorage) || dc.battery !== undefined
  const acWatts = values?.number("W")
  // The AC side of a hybrid inverter carries the battery as well: the generated power is that of the solar inputs, or what
  // the AC side has beside the battery. While the battery's power is unknown, so is the generated power.
  const beside = acWatts === undefined || batteryWatts === undefined ? undefined : acWatts - batteryWatts
  const ofHybrid = dc.battery !== undefined && dc.solar !== undefined ? dc.solar : beside
  const watts = isHybrid ? ofHybrid : acWatts
  return observe(
    "inverter",
    {
      // An inverter that waits for the sun draws a few watts; it generates none.
      power: watts === undefined ? undefined : clean(Math.max(0, watts)),
      // The AC counter of a hybrid inverter counts what the battery discharges, too.
      lifetimeEnergyGenerated: isHybrid ? undefined : clean(first(values?.number("WH"), values?.number("TotWhInj")))
    },
    {
      power: clean(
        first(
          find(702)?.number("WMax"),
          find(702)?.number("WMaxRtg"),
          find(121)?.number("WMax"),
          find(120)?.number("WRtg")
        )
      )
    }
  )
}

/** Values of `ChaSt` in models 124 and 802; 7, testing, says nothing of the direction. */
const chargeStates: Readonly<Record<number, "charging" | "discharging" | "idle" | "unknown">> = {
  1: "idle",
  2: "idle",
  3: "discharging",
  4: "charging",
  5: "idle",
  6: "idle",
  7: "unknown"
}

const directionByPower = (watts: number | undefined) =>
  watts === undefined ? undefined : Math.abs(watts) < IDLE_WATTS ? "idle" : watts > 0 ? "discharging" : "charging"

/** The direction that the battery reports; undefined if it reports none. */
const reportedDirection = (find: Find) => {
  const reported = first(find(802)?.number("ChaSt"), find(124)?.number("ChaSt"))
  return reported === undefined ? undefined : chargeStates[reported]
}

/** The power of the battery, W: positive discharges. */
const batteryPower = (find: Find, dc: DcPowers, settings: SunSpecSettings) =>
  first(negated(find(802)?.number("W"), settings.batteryPositive === "charge"), dc.battery)

const batteryObservation = (
  models: ReadonlyArray<FoundModel>,
  find: Find,
  dc: DcPowers,
  settings: SunSpecSettings
): Observation<"battery"> => {
  const [basic, capacity, battery, ratings, der] = [find(124), find(713), find(802), find(120), find(702)]
  const watts = batteryPower(find, dc, settings)
  const percent = first(capacity?.number("SoC"), battery?.number("SoC"), basic?.number("ChaState"))
  const wh = clean(
    first(capacity?.number("WHRtg"), battery?.number("WHRtg"), ratings?.number("WHRtg"), settings.batteryCapacity)
  )
  return observe(
    "battery",
    {
      chargingState: reportedDirection(find) ?? directionByPower(watts),
      charge: clean(capacity?.number("WHAvail")),
      chargePercentage: clean(percent),
      chargeRate: clean(watts),
      backupReserve: clean(first(basic?.number("MinRsvPct"), battery?.number("SoCRsvMin")))
    },
    {
      capacity: wh,
      maxChargeRate: clean(
        first(
          battery?.number("WChaRteMax"),
          der?.number("WChaRteMax"),
          der?.number("WChaRteMaxRtg"),
          basic?.number("WChaMax"),
          ratings?.number("MaxChaRte")
        )
      ),
      maxDischargeRate: clean(
        first(
          battery?.number("WDisChaRteMax"),
          der?.number("WDisChaRteMax"),
          der?.number("WDisChaRteMaxRtg"),
          ratings?.number("MaxDisChaRte")
        )
      ),
      // Without a capacity there are no static fields.
      ...(wh !== undefined && takesPower(models) && { takesTargetPower: true })
    }
  )
}

const meterObservation = (values: ModelValues, settings: SunSpecSettings): Observation<"meter"> => {
  const [imported, exported] = [clean(values.number("TotWhImp")), clean(values.number("TotWhExp"))]
  return observe("meter", {
    power: negated(values.number("W"), settings.meterPositive === "export"),
    importedEnergy: settings.swapMeterCounters ? exported : imported,
    exportedEnergy: settings.swapMeterCounters ? imported : exported,
    voltage: clean(first(values.number("PhV"), values.number("PhVphA"))),
    current: clean(values.number("A"))
  })
}

/** The common model in front of a model describes its device; a map can hold the common models of several. */
const identity = (models: ReadonlyArray<FoundModel>, before: FoundModel | undefined) => {
  const own = models.findLast((one) => one.id === 1 && (before === undefined || one.address < before.address))
  const values = own === undefined ? undefined : modelValues(own)
  return { manufacturerName: values?.text("Mn"), modelName: values?.text("Md"), serialNumber: values?.text("SN") }
}

/** The devices of a map with their states: at most one inverter and one battery, and each meter. */
export const mapDevices = (
  { models }: Pick<DeviceMap, "models">,
  settings: SunSpecSettings = defaultSettings
): ReadonlyArray<SunSpecDevice> => {
  const find = finder(models)
  const dc = dcPowers(find, settings)
  // Models 124 and 713 do not report the battery's power, but 124 reports when none flows.
  const idleWatts = reportedDirection(find) === "idle" ? 0 : undefined
  const inverter = models.find(isInverter)
  const storage = models.find(isStorage)
  const meters = models.filter(isMeter)
  return [
    ...(inverter === undefined
      ? []
      : [
          {
            key: "inverter",
            ...identity(models, inverter),
            observation: inverterObservation(models, find, dc, first(batteryPower(find, dc, settings), idleWatts))
          }
        ]),
    ...(storage === undefined
      ? []
      : [
          { key: "battery", ...identity(models, storage), observation: batteryObservation(models, find, dc, settings) }
        ]),
    ...meters.map((meter, n) => ({
      key: `meter-${n + 1}`,
      ...identity(models, meter),
      observation: meterObservation(modelValues(meter), settings)
    }))
  ]
}

import type { GatewayShape } from "../../support/peers/EnphaseGateway.ts"

/**
 * Gateways of five firmwares. The shapes are those of recordings in pyenphase's tests (MIT); the values and serial numbers are made up.
 */

const notFound = "<!DOCTYPE html><html><head><title>error</title></head></html>"

/** Firmware 3: one page, and pages for browsers in place of others. */
export const firmware3: GatewayShape = {
  serial: "121400010101",
  firmware: "3.17.3",
  pages: {
    "/api/v1/production": {
      wattHoursToday: 5410,
      wattHoursSevenDays: 74_120,
      wattHoursLifetime: 10_279_087,
      wattsNow: 1270
    },
    "/production.json": notFound
  }
}

/** Firmware 5 without meters: the sum and the microinverters. */
export const firmware5: GatewayShape = {
  serial: "121600020202",
  firmware: "5.0.62",
  imeter: false,
  locked: ["/production"],
  pages: {
    "/api/v1/production": {
      wattHoursToday: 20_161,
      wattHoursSevenDays: 366_671,
      wattHoursLifetime: 133_798_553,
      wattsNow: 7907
    },
    "/production.json": {
      production: [
        { type: "inverters", activeCount: 40, readingTime: 1_795_999_300, wNow: 7904, whLifetime: 133_798_554 }
      ],
      storage: [{ type: "acb", activeCount: 0, readingTime: 0, wNow: 0, whNow: 0, state: "idle" }]
    },
    "/ivp/meters": [],
    "/admin/lib/tariff": {
      tariff: { currency: { code: "USD" }, single_rate: { rate: 0, sell: 0 }, seasons: [], seasons_sell: [] },
      schedule: { source: "Tariff", version: "00.00.02" }
    }
  }
}

const meter = (eid: number, measurementType: string, phaseCount: number, state = "enabled") => ({
  eid,
  state,
  measurementType,
  phaseMode: phaseCount === 2 ? "split" : "three",
  phaseCount,
  meteringStatus: "normal",
  statusFlags: []
})

const reading = (eid: number, values: object) => ({
  eid,
  timestamp: 1_795_999_990,
  apparentEnergy: 5529.28,
  instantaneousDemand: 0,
  reactivePower: 20.865,
  pwrFactor: 0.8,
  freq: 50,
  ...values
})

/** Firmware 7 with meters of one phase at the sun and the grid. */
export const firmware7: GatewayShape = {
  serial: "122200030303",
  firmware: "7.6.175",
  imeter: true,
  forbidden: ["/ivp/ensemble/secctrl", "/ivp/ensemble/power"],
  pages: {
    "/ivp/meters": [meter(704_643_328, "production", 1), meter(704_643_584, "net-consumption", 1)],
    "/ivp/meters/readings": [
      reading(704_643_328, {
        activePower: 488.925,
        actEnergyDlvd: 3_183_793.885,
        actEnergyRcvd: 8851.704,
        voltage: 235.236,
        current: 2.169
      }),
      reading(704_643_584, {
        activePower: -36.162,
        actEnergyDlvd: 3_738_205.282,
        actEnergyRcvd: 1_776_768.769,
        voltage: 235.201,
        current: 2.745
      }),
      // Firmware lists meters that are not installed, which measure nothing.
      reading(704_643_840, { timestamp: 0, activePower: 0, actEnergyDlvd: 0, actEnergyRcvd: 0, voltage: 0, current: 0 })
    ],
    "/api/v1/production": {
      wattHoursToday: 4374,
      wattHoursSevenDays: 111_089,
      wattHoursLifetime: 3_183_742,
      wattsNow: 689
    },
    "/ivp/ensemble/inventory": []
  }
}

/** Firmware 8.2 of a model that measures, without current transformers: the sum stands still. */
export const withoutTransformers: GatewayShape = {
  serial: "202300050505",
  firmware: "8.2.4264",
  imeter: true,
  pages: {
    "/ivp/meters": [
      meter(704_643_328, "production", 3, "disabled"),
      meter(704_643_584, "net-consumption", 3, "disabled")
    ],
    "/api/v1/production": { wattHoursToday: 0, wattHoursSevenDays: 1583, wattHoursLifetime: 1583, wattsNow: 4 },
    "/production.json": {
      production: [
        { type: "inverters", activeCount: 38, readingTime: 1_795_999_900, wNow: 5521, whLifetime: 32_465_106 },
        {
          type: "eim",
          activeCount: 0,
          measurementType: "production",
          readingTime: 1_795_999_990,
          wNow: 4.4,
          whLifetime: 1586.7
        }
      ],
      consumption: [
        { type: "eim", activeCount: 0, measurementType: "net-consumption", readingTime: 1_795_999_990, wNow: -5.4 }
      ],
      storage: []
    },
    "/ivp/ensemble/inventory": []
  }
}

const batterySerials = ["492300060601", "492300060602"]

/** Firmware 8.2 with meters of two phases, two batteries, and a tariff that Enphase plans the battery by. */
export const firmware8: GatewayShape = {
  serial: "202300060606",
  firmware: "8.2.4286",
  imeter: true,
  pages: {
    "/ivp/meters": [
      meter(704_643_328, "production", 2),
      meter(704_643_584, "net-consumption", 2),
      meter(704_643_840, "storage", 2)
    ],
    "/ivp/meters/readings": [
      reading(704_643_328, {
        activePower: 3120.4,
        actEnergyDlvd: 13_431_334.7,
        actEnergyRcvd: 75.6,
        voltage: 247.2,
        current: 26
      }),
      reading(704_643_584, {
        activePower: 1754.701,
        actEnergyDlvd: 4_998_251.825,
        actEnergyRcvd: 253_960.783,
        voltage: 247.133,
        current: 22.851,
        channels: [
          { eid: 1_778_385_425, timestamp: 1_795_999_990, activePower: 900.1, voltage: 123.5, current: 11.4 },
          { eid: 1_778_385_426, timestamp: 1_795_999_990, activePower: 854.6, voltage: 123.6, current: 11.5 }
        ]
      }),
      reading(704_643_840, {
        activePower: -1283,
        actEnergyDlvd: 2_274_358.6,
        actEnergyRcvd: 2_971_414.3,
        voltage: 247.1,
        current: 10
      })
    ],
    "/ivp/ensemble/inventory": [
      {
        type: "ENCHARGE",
        devices: batterySerials.map((serial) => ({
          part_num: "836-01826-r76",
          serial_num: serial,
          device_status: ["envoy.global.ok", "prop.done"],
          last_rpt_date: 1_795_999_900,
          communicating: true,
          percentFull: 46,
          encharge_rev: 3,
          encharge_capacity: 5000,
          phase: "ph-a"
        }))
      },
      { type: "ENPOWER", devices: [{ serial_num: "482300060699", Enpwr_grid_mode: "multimode-ongrid" }] }
    ],
    "/ivp/ensemble/status": {
      inventory: {
        serial_nums: Object.fromEntries(
          batterySerials.map((serial) => [serial, { encharge_capacity: 5000, encharge_rated_power: 3840 }])
        )
      }
    },
    "/ivp/ensemble/power": {
      "devices:": batterySerials.map((serial) => ({
        serial_num: serial,
        real_power_mw: 512_000,
        apparent_power_mva: 512_000,
        soc: 46
      }))
    },
    "/ivp/ensemble/secctrl": {
      shutdown: false,
      configured_backup_soc: 20,
      adjusted_backup_soc: 20,
      agg_soc: 46,
      Max_energy: 10_000,
      ENC_agg_soc: 46,
      ENC_agg_soh: 100,
      ENC_agg_backup_energy: 2000,
      ENC_agg_avail_energy: 4600,
      Enc_commissioned_capacity: 10_000,
      Enc_max_available_capacity: 10_000,
      ACB_agg_soc: 0,
      ACB_agg_energy: 0
    },
    "/admin/lib/tariff": {
      tariff: {
        currency: { code: "USD" },
        logger: "mylogger",
        date: "1795900000",
        storage_settings: {
          mode: "self-consumption",
          operation_mode_sub_type: "prioritize-energy",
          reserved_soc: 20,
          very_low_soc: 10,
          charge_from_grid: false,
          date: "1795800000",
          opt_schedules: false
        },
        single_rate: { rate: 0.364_450_007_677_078_25, sell: 0 },
        seasons: [
          {
            id: "summer",
            start: "6/1",
            days: [
              {
                id: "weekdays",
                days: "Mon,Tue,Wed,Thu,Fri",
                must_charge_start: 0,
                must_charge_duration: 0,
                must_charge_mode: "CP",
                peak_rule: "DL",
                enable_discharge_to_grid: false,
                periods: [
                  { id: "filler", start: 0, rate: 0.3644 },
                  { id: "period_1", start: 960, rate: 0.5878 }
                ]
              }
            ],
            tiers: []
          }
        ],
        seasons_sell: []
      },
      schedule: { filename: "Tariff", source: "Tariff", version: "00.00.02", batt_mode: "self-consumption" }
    }
  }
}

/** The gateway with batteries, with other storage settings. */
export const withStorage = (settings: Readonly<Record<string, unknown>>): GatewayShape => {
  const shape = structuredClone(firmware8) as any
  Object.assign(shape.pages["/admin/lib/tariff"].tariff.storage_settings, settings)
  return shape
}

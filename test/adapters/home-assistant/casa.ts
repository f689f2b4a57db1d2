import { type HomeAssistantData, startHomeAssistant } from "../../support/peers/HomeAssistantServer.ts"

export const TOKEN = "canary-token-4711"

const sensor = (deviceClass: string, unit: string, state: string, stateClass?: string) => ({
  state,
  attributes: {
    device_class: deviceClass,
    unit_of_measurement: unit,
    friendly_name: deviceClass,
    ...(stateClass !== undefined && { state_class: stateClass })
  }
})

/** An instance with everything that the adapter reads. */
export const casa = {
  token: TOKEN,
  preferences: {
    energy_sources: [
      {
        type: "grid",
        stat_energy_from: "sensor.grid_in",
        stat_energy_to: "sensor.grid_out",
        stat_rate: "sensor.grid_power"
      },
      { type: "solar", stat_energy_from: "sensor.pv_total" },
      {
        type: "battery",
        stat_energy_from: "sensor.battery_out",
        stat_energy_to: "sensor.battery_in",
        stat_rate: "sensor.battery_power"
      },
      { type: "gas", stat_energy_from: "sensor.gas" }
    ],
    device_consumption: [
      { stat_consumption: "sensor.fridge_energy", stat_rate: "sensor.fridge_power", name: "Fridge" },
      { stat_consumption: "sensor.wallbox_energy" }
    ]
  },
  devices: [
    { id: "d-pv", name: "Inverter", manufacturer: "Acme", model: "PV-5", serial_number: "SN5", labels: [] },
    { id: "d-battery", name: "Storage", manufacturer: "Acme", model: "B-10", labels: [] },
    { id: "d-wallbox", name: "wallbox", name_by_user: "Garage", manufacturer: "Acme", labels: ["ev_charger"] },
    { id: "d-hall", name: "Hall", manufacturer: "Acme", model: "T1", labels: [] }
  ],
  entities: [
    ["sensor.grid_in", null],
    ["sensor.grid_power", null],
    ["sensor.pv_total", "d-pv"],
    ["sensor.pv_power", "d-pv"],
    ["sensor.battery_out", "d-battery"],
    ["sensor.battery_in", "d-battery"],
    ["sensor.battery_power", "d-battery"],
    ["sensor.battery_soc", "d-battery"],
    ["sensor.fridge_energy", null],
    ["sensor.wallbox_energy", "d-wallbox"],
    ["sensor.wallbox_power", "d-wallbox"],
    ["switch.wallbox", "d-wallbox"],
    ["climate.hall", "d-hall"]
  ].map(([entityId, deviceId]) => ({
    entity_id: entityId,
    id: `r-${entityId}`,
    device_id: deviceId,
    disabled_by: null,
    entity_category: null
  })),
  states: {
    "sensor.grid_in": sensor("energy", "kWh", "1200.5", "total_increasing"),
    "sensor.grid_out": sensor("energy", "kWh", "300", "total_increasing"),
    "sensor.grid_power": sensor("power", "kW", "-0.8"),
    "sensor.pv_total": sensor("energy", "MWh", "8", "total_increasing"),
    "sensor.pv_power": sensor("power", "W", "3200"),
    "sensor.battery_out": sensor("energy", "kWh", "10", "total_increasing"),
    "sensor.battery_in": sensor("energy", "kWh", "12", "total_increasing"),
    "sensor.battery_power": sensor("power", "W", "-1500"),
    "sensor.battery_soc": sensor("battery", "%", "50"),
    "sensor.fridge_energy": sensor("energy", "kWh", "77", "total_increasing"),
    "sensor.fridge_power": sensor("power", "W", "92"),
    "sensor.wallbox_energy": sensor("energy", "kWh", "500", "total_increasing"),
    "sensor.wallbox_power": sensor("power", "kW", "0"),
    "switch.wallbox": { state: "off", attributes: {} },
    "climate.hall": {
      state: "heat",
      attributes: {
        friendly_name: "Hall",
        hvac_modes: ["off", "heat", "cool", "heat_cool", "dry"],
        fan_modes: ["auto", "low"],
        fan_mode: "auto",
        current_temperature: 20.5,
        temperature: 21,
        target_temp_low: null,
        target_temp_high: null,
        min_temp: 7,
        max_temp: 35,
        target_temp_step: 0.5,
        supported_features: 11
      }
    },
    "water_heater.tank": {
      state: "eco",
      attributes: { friendly_name: "Tank", current_temperature: 50, temperature: 55 }
    }
  }
} satisfies HomeAssistantData

export const startCasa = (changes: Partial<HomeAssistantData> = {}) => startHomeAssistant({ ...casa, ...changes })

/** The form that names the peer. */
export const form = (port: number, more: Readonly<Record<string, string>> = {}) => ({
  host: "127.0.0.1",
  port: String(port),
  tls: "no",
  token: TOKEN,
  batteryCapacity: "10000",
  ...more
})

import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import { defineMessages } from "../i18n/language.ts"

/** The words for types of devices and for their reachability. */
export const deviceMessages = defineMessages({
  en: {
    columns: { name: "Name", type: "Type", status: "Status", newest: "Last reading", model: "Model" },
    types: {
      battery: "Battery",
      charger: "Charger",
      inverter: "Inverter",
      meter: "Meter",
      thermostat: "Thermostat",
      vehicle: "Vehicle",
      water_heater: "Water heater",
      other: "Other",
      unknown: "Unknown type"
    } satisfies Record<DeviceType, string>,
    online: { online: "online", asleep: "asleep", offline: "offline", unknown: "never reported" } satisfies Record<
      OnlineStatus,
      string
    >
  },
  es: {
    columns: { name: "Nombre", type: "Tipo", status: "Estado", newest: "Última lectura", model: "Modelo" },
    types: {
      battery: "Batería",
      charger: "Cargador",
      inverter: "Inversor",
      meter: "Contador",
      thermostat: "Termostato",
      vehicle: "Vehículo",
      water_heater: "Termo de agua",
      other: "Otro",
      unknown: "Tipo desconocido"
    },
    online: { online: "en línea", asleep: "dormido", offline: "sin conexión", unknown: "nunca ha comunicado" }
  }
})

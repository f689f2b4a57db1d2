import { defineMessages } from "../../i18n/language.ts"

export const messages = defineMessages({
  en: {
    title: "Commands",
    lead: "Commands to all devices of the workspace, by people, keys, dispatches and schedules.",
    caption: "Commands, newest first",
    filters: "Filters",
    all: "All",
    command: "Command",
    type: "Type",
    types: { battery: "Battery", charger: "Charger", thermostat: "Thermostat", vehicle: "Vehicle" },
    device: "Device",
    deviceId: "Device (id)",
    batchId: "Batch (id)",
    status: "Status",
    reason: "Reason",
    issued: "Issued",
    input: "Input",
    details: "Details",
    open: (name: string) => `Details: ${name}`,
    clear: "Clear filters",
    none: "No commands yet",
    noneHint:
      "Send one on the page of a device, to many devices with `edp batch`, or to the homes of a program by a dispatch.",
    noMatch: "No command matches the filters"
  },
  es: {
    title: "Órdenes",
    lead: "Órdenes a todos los dispositivos del espacio de trabajo, de personas, claves, despachos y horarios.",
    caption: "Órdenes, las más recientes primero",
    filters: "Filtros",
    all: "Todas",
    command: "Orden",
    type: "Tipo",
    types: { battery: "Batería", charger: "Cargador", thermostat: "Termostato", vehicle: "Vehículo" },
    device: "Dispositivo",
    deviceId: "Dispositivo (id)",
    batchId: "Lote (id)",
    status: "Estado",
    reason: "Motivo",
    issued: "Emitida",
    input: "Valores",
    details: "Detalles",
    open: (name: string) => `Detalles: ${name}`,
    clear: "Quitar filtros",
    none: "Todavía no hay órdenes",
    noneHint:
      "Envíe una desde la página de un dispositivo, a muchos con `edp batch`, o a los hogares de un programa con un despacho.",
    noMatch: "Ninguna orden coincide con los filtros"
  }
})

import type { DestinationType, DeviceGroup } from "@edp/domain/destinations/Destination"
import { defineMessages } from "../../i18n/language.ts"

type Types = Readonly<Record<DestinationType, string>>
type Groups = Readonly<Record<DeviceGroup, string>>

export const notificationMessages = defineMessages({
  en: {
    raised: "What raises alerts",
    silence: "A device stops reporting",
    silenceText:
      "A device that was online raises a warning once its manufacturer's window has passed without a reading. The alert is resolved when the device reports again.",
    others: "Manufacturers and callers",
    othersText: "Alerts that devices, accounts of manufacturers and API keys report are raised as they come.",
    present: (count: string) => `Open or acknowledged now: ${count}.`,
    windows: "Window of each manufacturer",
    noManufacturers: "No device is connected yet.",
    manufacturer: "Manufacturer",
    window: "Minutes without a reading",
    windowHint: "A little more than twice the interval at which the devices report.",
    windowProblem: "Enter a number of minutes, at most a week (10,080).",
    change: "Change",
    changeWindow: (name: string) => `Change the window: ${name}`,
    saveWindow: "Save the window",
    windowChanged: (name: string) => `The window of ${name} was changed.`,
    listed: "Which alerts are listed",
    title: "Who is notified",
    lead: "Destinations that receive alerts as they are raised and as they change, whether they are listed or not.",
    caption: "Destinations and the alerts that they receive",
    destination: "Destination",
    type: "Type",
    types: {
      WEBHOOK: "Webhook",
      EMAIL: "E-mail",
      SMS: "SMS",
      KAFKA: "Kafka",
      MANUFACTURER_COMMAND: "Commands to a manufacturer"
    } as Types,
    devices: "Of",
    groups: {
      ALL: "All devices",
      BATTERIES: "Batteries",
      CHARGERS: "Chargers",
      SOLAR_INVERTERS: "Solar inverters",
      THERMOSTATS: "Thermostats",
      VEHICLES: "Vehicles",
      OTHER: "Meters, water heaters and others",
      UNKNOWN: "Devices of unknown type"
    } as Groups,
    events: { ALERT_CREATED: "New alerts", ALERT_UPDATED: "Changed alerts" },
    notify: (event: string, name: string) => `${event}: ${name}`,
    state: "State",
    active: "Active",
    failing: "Failing",
    deactivated: "Deactivated",
    changed: (name: string) => `The events of ${name} were changed.`,
    add: "Notify somebody else",
    none: "Nobody is notified",
    noneHint: "Add a destination: an e-mail address, a phone number, a webhook or a Kafka topic."
  },
  es: {
    raised: "Qué genera alertas",
    silence: "Un dispositivo deja de comunicar",
    silenceText:
      "Un dispositivo que estaba en línea genera una advertencia cuando pasa el plazo de su fabricante sin una lectura. La alerta se resuelve cuando el dispositivo vuelve a comunicar.",
    others: "Fabricantes y llamadas",
    othersText:
      "Las alertas que comunican los dispositivos, las cuentas de fabricantes y las claves se generan como llegan.",
    present: (count: string) => `Abiertas o reconocidas ahora: ${count}.`,
    windows: "Plazo de cada fabricante",
    noManufacturers: "Todavía no hay dispositivos conectados.",
    manufacturer: "Fabricante",
    window: "Minutos sin una lectura",
    windowHint: "Algo más del doble del intervalo con el que comunican los dispositivos.",
    windowProblem: "Introduzca un número de minutos, como máximo una semana (10.080).",
    change: "Cambiar",
    changeWindow: (name: string) => `Cambiar el plazo: ${name}`,
    saveWindow: "Guardar el plazo",
    windowChanged: (name: string) => `Se ha cambiado el plazo de ${name}.`,
    listed: "Qué alertas se muestran",
    title: "A quién se avisa",
    lead: "Destinos que reciben las alertas cuando se generan y cuando cambian, se muestren o no.",
    caption: "Destinos y las alertas que reciben",
    destination: "Destino",
    type: "Tipo",
    types: {
      WEBHOOK: "Webhook",
      EMAIL: "Correo",
      SMS: "SMS",
      KAFKA: "Kafka",
      MANUFACTURER_COMMAND: "Órdenes a un fabricante"
    } as Types,
    devices: "De",
    groups: {
      ALL: "Todos los dispositivos",
      BATTERIES: "Baterías",
      CHARGERS: "Cargadores",
      SOLAR_INVERTERS: "Inversores solares",
      THERMOSTATS: "Termostatos",
      VEHICLES: "Vehículos",
      OTHER: "Contadores, calentadores y otros",
      UNKNOWN: "Dispositivos de tipo desconocido"
    } as Groups,
    events: { ALERT_CREATED: "Alertas nuevas", ALERT_UPDATED: "Alertas cambiadas" },
    notify: (event: string, name: string) => `${event}: ${name}`,
    state: "Estado",
    active: "Activo",
    failing: "Con fallos",
    deactivated: "Desactivado",
    changed: (name: string) => `Se han cambiado los eventos de ${name}.`,
    add: "Avisar a alguien más",
    none: "No se avisa a nadie",
    noneHint: "Añada un destino: una dirección de correo, un teléfono, un webhook o un tema de Kafka."
  }
})

import type { PreviewCode } from "@edp/domain/commands/CommandPreview"
import type { LeftOutCode } from "@edp/domain/dispatches/DispatchPreview"
import { defineMessages } from "../../i18n/language.ts"

type Codes = Readonly<Record<PreviewCode | LeftOutCode, string>>

/** The effects that a command or a dispatch would have, in words. */
export const previewMessages = defineMessages({
  en: {
    title: "What will happen",
    evidence: "By the newest readings:",
    exportOff: (home: string) => `The home uses ${home} and export is off:`,
    exportOn: "Export is on:",
    importOff: (surplus: string) => `The solar surplus is ${surplus} and import is off:`,
    importOn: "Import is on:",
    discharge: (power: string) => `the battery would deliver ${power}.`,
    charge: (power: string) => `the battery would charge with ${power}.`,
    start: (power: string) => `Charging would start with ${power}.`,
    unknownPower: "its maximum power, which it does not report",
    isMaximum: "That is its maximum.",
    toGrid: (power: string) => `${power} of it would go to the grid.`,
    limits: (charge: string, stops: string) => `It is at ${charge} and stops at ${stops}.`,
    codes: {
      follows_home: "Delivers what the home uses; export is off",
      follows_surplus: "Charges with the solar surplus; import is off",
      full_power: "Moves with the maximum power",
      target_power: "Moves with the asked power",
      power_unknown: "Moves with a maximum power that is not reported",
      export_not_allowed: "Nothing would move: the home needs no power, and export is off.",
      import_not_allowed: "Nothing would move: there is no solar surplus, and import is off.",
      battery_full: "Nothing would move: the battery is charged to where charging stops.",
      battery_at_reserve: "Nothing would move: the battery is at the charge at which discharging stops.",
      storm_mode: "Nothing would move: the battery keeps its charge for a storm.",
      not_plugged_in: "Nothing would move: no vehicle is plugged in.",
      vehicle_full: "Nothing would move: the vehicle is charged to its limit.",
      target_reached: "Nothing would move: the room has the target temperature.",
      stops: "The device would stop, or stay idle.",
      setting: "The device would get the setting.",
      no_reading: "Not known: the device has never reported.",
      old_reading: "Not known: the newest reading is older than 30 minutes.",
      no_home_reading: "Not known: no reading of the last 30 minutes shows what the home uses.",
      no_device: "The site has no connected device of this type",
      not_able: "The device does not take the command",
      settings_unknown: "The thermostat has not reported its settings",
      site_limit: "The power limit of the site has no room",
      held_by_user: "A mode of a user holds the device at the start"
    } as Codes
  },
  es: {
    title: "Qué va a ocurrir",
    evidence: "Según las lecturas más recientes:",
    exportOff: (home: string) => `La casa consume ${home} y la exportación está desactivada:`,
    exportOn: "La exportación está activada:",
    importOff: (surplus: string) => `El excedente solar es de ${surplus} y la importación está desactivada:`,
    importOn: "La importación está activada:",
    discharge: (power: string) => `la batería entregaría ${power}.`,
    charge: (power: string) => `la batería se cargaría con ${power}.`,
    start: (power: string) => `La carga empezaría con ${power}.`,
    unknownPower: "su potencia máxima, que no comunica",
    isMaximum: "Es su máximo.",
    toGrid: (power: string) => `${power} de ello irían a la red.`,
    limits: (charge: string, stops: string) => `Está al ${charge} y se detiene al ${stops}.`,
    codes: {
      follows_home: "Entrega lo que la casa consume; la exportación está desactivada",
      follows_surplus: "Se carga con el excedente solar; la importación está desactivada",
      full_power: "Se mueve con la potencia máxima",
      target_power: "Se mueve con la potencia pedida",
      power_unknown: "Se mueve con una potencia máxima que no comunica",
      export_not_allowed: "No se movería nada: la casa no necesita energía y la exportación está desactivada.",
      import_not_allowed: "No se movería nada: no hay excedente solar y la importación está desactivada.",
      battery_full: "No se movería nada: la batería está cargada hasta donde se detiene la carga.",
      battery_at_reserve: "No se movería nada: la batería está al nivel en que se detiene la descarga.",
      storm_mode: "No se movería nada: la batería guarda su carga para una tormenta.",
      not_plugged_in: "No se movería nada: no hay ningún vehículo enchufado.",
      vehicle_full: "No se movería nada: el vehículo está cargado hasta su límite.",
      target_reached: "No se movería nada: la habitación tiene la temperatura pedida.",
      stops: "El dispositivo se detendría o seguiría en reposo.",
      setting: "El dispositivo recibiría el ajuste.",
      no_reading: "No se sabe: el dispositivo nunca ha comunicado nada.",
      old_reading: "No se sabe: la última lectura tiene más de 30 minutos.",
      no_home_reading: "No se sabe: ninguna lectura de los últimos 30 minutos muestra lo que la casa consume.",
      no_device: "La instalación no tiene ningún dispositivo conectado de este tipo",
      not_able: "El dispositivo no admite la orden",
      settings_unknown: "El termostato no ha comunicado sus ajustes",
      site_limit: "El límite de potencia de la instalación no deja margen",
      held_by_user: "Un modo de un usuario ocupa el dispositivo al inicio"
    }
  }
})

import type { CommandNoteCode } from "@edp/domain/commands/CommandNote"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { defineMessages } from "../../i18n/language.ts"

type Names = Readonly<Record<CommandSlug, string>>
type Notes = Readonly<Record<CommandNoteCode, string>>
type Reasons = Readonly<Record<CommandReason, string>>
type Fields = Readonly<Record<string, string>>

export const commandMessages = defineMessages({
  en: {
    names: {
      "battery:set-reserve": "Set the backup reserve",
      "battery:set-operating-mode": "Charge, discharge, idle or reset",
      "charger:set-operating-mode": "Start or stop charging",
      "thermostat:set-operating-mode": "Set the mode and its targets",
      "thermostat:set-fan-mode": "Set the fan",
      "thermostat:pause-schedule": "Pause its schedule",
      "thermostat:resume-schedule": "Resume its schedule",
      "vehicle:check-pairing-status": "Check the pairing",
      "vehicle:set-charge-limit": "Set the charge limit",
      "vehicle:set-operating-mode": "Start or stop charging"
    } as Names,
    inputs: {
      chargePercentage: "Reserve, %",
      operatingMode: "Mode",
      minimumBatteryReserve: "Stop discharging at (%)",
      maximumBatteryReserve: "Stop charging at (%)",
      enableGridInteraction: "Charging may import from the grid, discharging may export to it",
      executionPriority: "Priority",
      targetPowerW: "Power, W",
      heatTarget: "Heating target",
      coolTarget: "Cooling target",
      fanMode: "Fan",
      chargeLimit: "Charge limit, %"
    } as Fields,
    hints: {
      minimumBatteryReserve: "Leave empty to keep the present reserve.",
      maximumBatteryReserve: "Leave empty for 100.",
      executionPriority: "Where its normal operation and grid services conflict.",
      targetPowerW: "Leave empty for the maximum. The device may stay below it."
    } as Fields,
    grid: {
      charge: "Allow import from the grid",
      discharge: "Allow export to the grid"
    } as Fields,
    defaults: {
      charge: "Import is off unless you allow it: the battery charges with the solar surplus alone.",
      discharge: "Export is off unless you allow it: the battery delivers what the home uses, and no more."
    } as Fields,
    none: "–",
    send: "Send a command",
    command: "Command",
    issue: "Send",
    sent: "Command sent.",
    scheduledNote: "The command is scheduled.",
    at: (timeZone: string) => `At (${timeZone})`,
    atHint: "Leave empty to send now.",
    minutes: "Ends after, minutes",
    minutesHint: {
      battery: "The earlier settings are restored then. Leave empty for 24 hours.",
      other: "The earlier settings are restored then. Leave empty for no end."
    },
    noCommands: "This device takes no commands",
    noCommandsHint: "Its model or its connection offers none.",
    choose: "Choose…",
    number: "Enter a number.",
    range: (minimum: string | null, maximum: string | null) =>
      minimum === null
        ? `At most ${maximum}.`
        : maximum === null
          ? `At least ${minimum}.`
          : `From ${minimum} to ${maximum}.`,
    above: (least: string) => `Above ${least}.`,
    below: (other: string) => `Must be below: ${other}.`,
    past: "This time is in the past.",
    time: "Enter a valid time.",
    latest: "Latest command",
    asked: "Asked",
    accepted: "Accepted",
    notAccepted: "Not yet",
    measured: "Measured since",
    notMeasured: "No reading since",
    why: "Reason",
    effectChart: "Powers around the command",
    list: "Commands of this device",
    noList: "No command was sent to this device",
    noListHint: "Send one above. Dispatches and schedules send commands, too.",
    statuses: {
      pending: "Requested",
      scheduled: "Scheduled",
      delivered: "Sent, not confirmed yet",
      completed: "Confirmed",
      failed: "Failed"
    },
    steps: {
      pending: "Requested",
      scheduled: "Requested for later",
      delivered: "Accepted by the manufacturer or the device",
      completed: "Confirmed",
      failed: "Failed"
    },
    reasons: {
      cancelled: "it was cancelled",
      overridden: "another command took its place",
      timeout: "it was not accepted or not confirmed in time",
      unreachable: "the device could not be reached",
      asleep: "the device sleeps and could not be woken",
      refused: "the manufacturer or the device refused it",
      precondition_not_plugged_in: "no vehicle is plugged in",
      precondition_storm_mode: "the battery keeps its charge for a storm",
      precondition_unmet: "a condition of the device is not met",
      pairing_required: "the vehicle does not accept this platform's key",
      scope_missing: "the owner has not allowed commands",
      quota_exhausted: "the quota is used up",
      contradicted_by_state: "the device then reported a different state",
      unsupported_value: "the device does not support the value",
      already_so: "the device was already in this state; nothing was sent"
    } as Reasons,
    notes: {
      export_not_allowed: "the battery was idle: the home took no power from the grid, and export is not allowed",
      import_not_allowed: "the battery was idle: there was no surplus to charge from, and import is not allowed",
      battery_full: "the battery was idle: it was at its upper limit",
      battery_at_reserve: "the battery was idle: it was at its reserve",
      not_plugged_in: "no vehicle was plugged in",
      vehicle_full: "the vehicle was charged to its limit",
      target_reached: "the room had reached the target already",
      no_effect_shown: "the device had no visible effect at first, for an unknown reason",
      not_measured: "not measured: no reading came in the 30 minutes after it"
    } as Notes,
    more: "Details",
    transitions: "What happened",
    due: "Send time",
    expires: "Expires",
    upstream: "Response of the manufacturer",
    noUpstream: "No response recorded.",
    upstreamFields: {
      statusCode: "HTTP status",
      errorCode: "Error code",
      requestId: "Request",
      errorMessage: "Message, verbatim"
    },
    output: "Result",
    input: "Input",
    late: (result: string) => `After the time-out: ${result}`,
    source: "From",
    sources: { user: "a user or an API key", dispatch: "a dispatch", schedule: "a schedule" },
    holds: "Holds until",
    batch: "Batch",
    id: "Command id",
    cancel: "Cancel",
    cancelTitle: "Cancel the command",
    cancelLead: "The command is not sent. Once sending has begun, it can't be cancelled.",
    cancelAction: "Cancel the command",
    cancelled: "The command is cancelled."
  },
  es: {
    names: {
      "battery:set-reserve": "Fijar la reserva",
      "battery:set-operating-mode": "Cargar, descargar, reposo o restaurar",
      "charger:set-operating-mode": "Empezar o dejar de cargar",
      "thermostat:set-operating-mode": "Fijar el modo y sus consignas",
      "thermostat:set-fan-mode": "Fijar el ventilador",
      "thermostat:pause-schedule": "Pausar su horario",
      "thermostat:resume-schedule": "Reanudar su horario",
      "vehicle:check-pairing-status": "Comprobar la vinculación",
      "vehicle:set-charge-limit": "Fijar el límite de carga",
      "vehicle:set-operating-mode": "Empezar o dejar de cargar"
    },
    inputs: {
      chargePercentage: "Reserva, %",
      operatingMode: "Modo",
      minimumBatteryReserve: "Dejar de descargar al (%)",
      maximumBatteryReserve: "Dejar de cargar al (%)",
      enableGridInteraction: "La carga puede importar de la red y la descarga exportar a ella",
      executionPriority: "Prioridad",
      targetPowerW: "Potencia, W",
      heatTarget: "Consigna de calor",
      coolTarget: "Consigna de frío",
      fanMode: "Ventilador",
      chargeLimit: "Límite de carga, %"
    },
    hints: {
      minimumBatteryReserve: "Deje vacío para mantener la reserva actual.",
      maximumBatteryReserve: "Deje vacío para 100.",
      executionPriority: "Cuando su funcionamiento normal y los servicios a la red se contradicen.",
      targetPowerW: "Deje vacío para la máxima. El dispositivo puede quedar por debajo."
    },
    grid: {
      charge: "Permitir importar de la red",
      discharge: "Permitir exportar a la red"
    },
    defaults: {
      charge: "La importación está desactivada salvo que la permita: la batería se carga solo con el excedente solar.",
      discharge:
        "La exportación está desactivada salvo que la permita: la batería entrega lo que la casa consume, y no más."
    },
    none: "–",
    send: "Enviar una orden",
    command: "Orden",
    issue: "Enviar",
    sent: "Orden enviada.",
    scheduledNote: "La orden está programada.",
    at: (timeZone: string) => `A las (${timeZone})`,
    atHint: "Deje vacío para enviar ahora.",
    minutes: "Termina tras, minutos",
    minutesHint: {
      battery: "Entonces se restauran los ajustes anteriores. Deje vacío para 24 horas.",
      other: "Entonces se restauran los ajustes anteriores. Deje vacío para que no termine."
    },
    noCommands: "Este dispositivo no admite órdenes",
    noCommandsHint: "Su modelo o su conexión no ofrece ninguna.",
    choose: "Elija…",
    number: "No es un número.",
    range: (minimum: string | null, maximum: string | null) =>
      minimum === null
        ? `Como máximo ${maximum}.`
        : maximum === null
          ? `Como mínimo ${minimum}.`
          : `De ${minimum} a ${maximum}.`,
    above: (least: string) => `Mayor que ${least}.`,
    below: (other: string) => `Debe ser menor que: ${other}.`,
    past: "Esa hora ya pasó.",
    time: "No es una hora.",
    latest: "Última orden",
    asked: "Pedido",
    accepted: "Aceptado",
    notAccepted: "Todavía no",
    measured: "Medido desde entonces",
    notMeasured: "Ninguna lectura desde entonces",
    why: "Motivo",
    effectChart: "Potencias en torno a la orden",
    list: "Órdenes de este dispositivo",
    noList: "No se ha enviado ninguna orden a este dispositivo",
    noListHint: "Envíe una arriba. Los despachos y los horarios también envían órdenes.",
    statuses: {
      pending: "Solicitada",
      scheduled: "Programada",
      delivered: "Enviada, sin confirmar",
      completed: "Confirmada",
      failed: "Fallida"
    },
    steps: {
      pending: "Solicitada",
      scheduled: "Solicitada para más tarde",
      delivered: "Aceptada por el fabricante o el dispositivo",
      completed: "Confirmada",
      failed: "Fallida"
    },
    reasons: {
      cancelled: "se canceló",
      overridden: "otra orden ocupó su lugar",
      timeout: "no se aceptó o no se confirmó a tiempo",
      unreachable: "no se pudo alcanzar el dispositivo",
      asleep: "el dispositivo duerme y no se pudo despertar",
      refused: "el fabricante o el dispositivo la rechazó",
      precondition_not_plugged_in: "no hay ningún vehículo enchufado",
      precondition_storm_mode: "la batería guarda su carga para una tormenta",
      precondition_unmet: "algo lo impide",
      pairing_required: "el vehículo no acepta la clave de esta plataforma",
      scope_missing: "el propietario no ha permitido las órdenes",
      quota_exhausted: "el cupo está agotado",
      contradicted_by_state: "el dispositivo mostró después otra cosa",
      unsupported_value: "el dispositivo no admite el valor",
      already_so: "ya estaba así y no se envió nada"
    },
    notes: {
      export_not_allowed: "la batería estaba en reposo: la casa no tomaba energía de la red y no se permite exportar",
      import_not_allowed: "la batería estaba en reposo: no había excedente para cargar y no se permite importar",
      battery_full: "la batería estaba en reposo: ya estaba cargada hasta donde se permite",
      battery_at_reserve: "la batería estaba en reposo: ya estaba descargada hasta donde se permite",
      not_plugged_in: "no había ningún vehículo enchufado",
      vehicle_full: "el vehículo ya estaba cargado hasta su límite",
      target_reached: "la habitación ya tenía la temperatura pedida",
      no_effect_shown: "al principio el dispositivo no lo hizo, y su estado no dice por qué",
      not_measured: "no medido: no llegó ninguna lectura en los 30 minutos siguientes"
    },
    more: "Detalles",
    transitions: "Qué ocurrió",
    due: "Hora de envío",
    expires: "Vence",
    upstream: "Respuesta del fabricante",
    noUpstream: "No se registró ninguna respuesta.",
    upstreamFields: {
      statusCode: "Estado HTTP",
      errorCode: "Código de error",
      requestId: "Solicitud",
      errorMessage: "Mensaje, literal"
    },
    output: "Resultado",
    input: "Entrada",
    late: (result: string) => `Después del plazo: ${result}`,
    source: "De",
    sources: { user: "un usuario o una clave de API", dispatch: "un despacho", schedule: "un horario" },
    holds: "Dura hasta",
    batch: "Lote",
    id: "Id de la orden",
    cancel: "Cancelar",
    cancelTitle: "Cancelar la orden",
    cancelLead: "La orden no se envía. Cuando el envío ha empezado ya no se puede cancelar.",
    cancelAction: "Cancelar la orden",
    cancelled: "La orden está cancelada."
  }
})

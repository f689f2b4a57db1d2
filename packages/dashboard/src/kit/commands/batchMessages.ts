import { defineMessages } from "../../i18n/language.ts"

export const batchMessages = defineMessages({
  en: {
    send: "Send a command",
    title: (count: string) => `Send a command to the selected devices: ${count}`,
    collectionTitle: "Send a command to the members",
    lead: "Devices that do not take the command are left out. The page of the batch names them.",
    types: { battery: "Battery", charger: "Charger", thermostat: "Thermostat", vehicle: "Vehicle" },
    pace: "At most, per minute",
    paceHint: "Leave empty to send without a limit.",
    paceProblem: "Enter a whole number from 1 to 100,000.",
    tooMany: (limit: string) => `A batch names at most ${limit} devices. Narrow the filters, or make a collection.`,
    sent: "The commands are being sent."
  },
  es: {
    send: "Enviar una orden",
    title: (count: string) => `Enviar una orden a los dispositivos seleccionados: ${count}`,
    collectionTitle: "Enviar una orden a los miembros",
    lead: "Los dispositivos que no admiten la orden se omiten. La página del lote los nombra.",
    types: { battery: "Batería", charger: "Cargador", thermostat: "Termostato", vehicle: "Vehículo" },
    pace: "Como máximo, por minuto",
    paceHint: "Déjelo vacío para enviar sin límite.",
    paceProblem: "Introduzca un número entero de 1 a 100.000.",
    tooMany: (limit: string) =>
      `Un lote nombra como máximo ${limit} dispositivos. Reduzca los filtros o cree una colección.`,
    sent: "Las órdenes se están enviando."
  }
})

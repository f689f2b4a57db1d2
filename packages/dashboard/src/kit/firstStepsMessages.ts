import { defineMessages } from "../i18n/language.ts"

export const firstStepsMessages = defineMessages({
  en: {
    firstTitle: "No devices yet",
    firstText: "Try the platform with simulated homes, or connect a first device.",
    demoTitle: "A simulated town",
    demoText:
      "Run this in the folder of the platform to link eight simulated homes, whose batteries, cars and thermostats then report:",
    curlTitle: "Your first connection",
    curlText:
      "This creates a page on which an end user connects devices. Set EDP_KEY to a SERVER key first; create one under Keys.",
    curlAfter: "Open the url in the response.",
    keys: "Create a key",
    command: "Command"
  },
  es: {
    firstTitle: "Todavía no hay dispositivos",
    firstText: "Pruebe la plataforma con hogares simulados o conecte un primer dispositivo.",
    demoTitle: "Una ciudad simulada",
    demoText:
      "En la carpeta de la plataforma, esto vincula ocho hogares simulados. Sus baterías, coches y termostatos informan desde entonces:",
    curlTitle: "Su primera conexión",
    curlText:
      "Esto crea una página en la que una persona conecta sus dispositivos. Ponga antes una clave SERVER en EDP_KEY: se crea en Claves, en el menú.",
    curlAfter: "Abra la url de la respuesta.",
    keys: "Crear una clave",
    command: "Comando"
  }
})

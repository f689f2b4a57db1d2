import { defineMessages } from "../../i18n/language.ts"

export const messages = defineMessages({
  en: {
    title: "Energy",
    site: "Site",
    whole: "The whole workspace",
    openSite: "Open the site",
    summary: "Summary",
    asOf: "Updated",
    flow: "Power over the day",
    power: "Power",
    flowHint: "Mean power of each quarter of an hour.",
    byHour: "Energy by hour",
    byDay: "Energy by day",
    byMonth: "Energy by month",
    barHint: "Up: where energy came from. Down: where it went.",
    stored: "Energy in the batteries",
    charge: "State of charge",
    download: "Download CSV",
    comparison: "Comparison with earlier periods",
    energy: "Energy",
    compared: (compared: number, begun: number, unit: string) => `${compared} of ${begun} ${unit} compared`,
    buckets: { "15m": "quarters of an hour", hour: "hours", day: "days" },
    comparisonHint: "Compares only hours or days with data in both periods.",
    zone: (name: string) => `Time zone: ${name}`
  },
  es: {
    title: "Energía",
    site: "Instalación",
    whole: "Todo el espacio de trabajo",
    openSite: "Abrir la instalación",
    summary: "Resumen",
    asOf: "Actualizado",
    flow: "Potencia durante el día",
    power: "Potencia",
    flowHint: "Potencia media de cada cuarto de hora.",
    byHour: "Energía por hora",
    byDay: "Energía por día",
    byMonth: "Energía por mes",
    barHint: "Hacia arriba: de dónde vino la energía. Hacia abajo: adónde fue.",
    stored: "Energía en las baterías",
    charge: "Estado de carga",
    download: "Descargar CSV",
    comparison: "Comparación con periodos anteriores",
    energy: "Energía",
    compared: (compared: number, begun: number, unit: string) => `${compared} de ${begun} ${unit} comparados`,
    buckets: { "15m": "cuartos de hora", hour: "horas", day: "días" },
    comparisonHint:
      "Solo se comparan los tiempos medidos en ambos periodos: las mismas horas del día o los mismos días.",
    zone: (name: string) => `Zona horaria: ${name}`
  }
})

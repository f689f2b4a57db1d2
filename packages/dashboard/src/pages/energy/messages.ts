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
    flowHint:
      "Mean power of each quarter of an hour. Positive: the battery discharges, energy is imported from the grid.",
    byDay: "Energy by day",
    byMonth: "Energy by month",
    barHint: "The first bar is where energy came from, the second where it went.",
    flows: { generation: "Generation", load: "Load", battery: "Battery", grid: "Grid" },
    download: "Download CSV",
    comparison: "Comparison with earlier periods",
    energy: "Energy",
    compared: (compared: number, begun: number, unit: string) => `${compared} of ${begun} ${unit} compared`,
    buckets: { day: "quarters of an hour", week: "days", month: "days", year: "days" },
    comparisonHint: "Compares only hours or days with data in both periods.",
    bands: {
      silence: "No communication",
      disconnected: "Disconnected",
      clock: "Clock change",
      dispatch: (name: string) => `Dispatch ${name}`
    },
    noBands: "Outages and dispatches could not be loaded.",
    bandsTruncated: "Only the latest annotations are shown.",
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
    flowHint: "Potencia media de cada cuarto de hora. Positivo: la batería se descarga, se importa de la red.",
    byDay: "Energía por día",
    byMonth: "Energía por mes",
    barHint: "La primera barra es de dónde vino la energía; la segunda, adónde fue.",
    flows: { generation: "Generación", load: "Consumo", battery: "Batería", grid: "Red" },
    download: "Descargar CSV",
    comparison: "Comparación con periodos anteriores",
    energy: "Energía",
    compared: (compared: number, begun: number, unit: string) => `${compared} de ${begun} ${unit} comparados`,
    buckets: { day: "cuartos de hora", week: "días", month: "días", year: "días" },
    comparisonHint:
      "Solo se comparan los tiempos medidos en ambos periodos: las mismas horas del día o los mismos días.",
    bands: {
      silence: "Sin comunicación",
      disconnected: "Desconectado",
      clock: "Cambio de hora",
      dispatch: (name: string) => `Despacho ${name}`
    },
    noBands: "No se pudieron leer las anotaciones: los cortes y despachos no están marcados.",
    bandsTruncated: "Solo se muestran las anotaciones más recientes.",
    zone: (name: string) => `Zona horaria: ${name}`
  }
})

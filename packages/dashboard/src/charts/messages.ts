import { defineMessages } from "../i18n/language.ts"

export const chartMessages = defineMessages({
  en: {
    showTable: "Show as a table",
    showChart: "Show as a chart",
    time: "Time",
    noData: "no data",
    empty: "No readings in this period",
    now: "now",
    picture: "Save as PNG",
    csv: "Save as CSV",
    moreBands: (count: string) => `and ${count} more, in the table`,
    bands: {
      silence: "No communication",
      disconnected: "Disconnected",
      clock: "Clock change",
      dispatch: (name: string) => `Dispatch ${name}`,
      command: (name: string) => `Command: ${name}`
    },
    noBands: "Outages, commands and dispatches could not be loaded.",
    bandsTruncated: "Only the latest annotations are shown.",
    chartOf: (title: string) => `${title}, chart. The same figures are available as a table.`,
    firstRows: (shown: number, all: number) => `The first ${shown} of ${all} times`,
    annotations: "Annotations"
  },
  es: {
    showTable: "Ver como tabla",
    showChart: "Ver como gráfico",
    time: "Hora",
    noData: "sin datos",
    empty: "No hay lecturas en este periodo",
    now: "ahora",
    picture: "Guardar como PNG",
    csv: "Guardar como CSV",
    moreBands: (count: string) => `y ${count} más, en la tabla`,
    bands: {
      silence: "Sin comunicación",
      disconnected: "Desconectado",
      clock: "Cambio de hora",
      dispatch: (name: string) => `Despacho ${name}`,
      command: (name: string) => `Orden: ${name}`
    },
    noBands: "No se pudieron leer las anotaciones: los cortes, órdenes y despachos no están marcados.",
    bandsTruncated: "Solo se muestran las anotaciones más recientes.",
    chartOf: (title: string) => `${title}, un gráfico. Se puede mostrar una tabla con las mismas cifras.`,
    firstRows: (shown: number, all: number) => `Los primeros ${shown} de ${all} momentos`,
    annotations: "Anotaciones"
  }
})

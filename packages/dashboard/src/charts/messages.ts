import { defineMessages } from "../i18n/language.ts"

export const chartMessages = defineMessages({
  en: {
    showTable: "Show as a table",
    showChart: "Show as a chart",
    time: "Time",
    noData: "no data",
    empty: "No readings in this period",
    zoom: "Drag to zoom in, double-click to zoom out.",
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
    zoom: "Arrastre para ampliar; un doble clic muestra todo.",
    chartOf: (title: string) => `${title}, un gráfico. Se puede mostrar una tabla con las mismas cifras.`,
    firstRows: (shown: number, all: number) => `Los primeros ${shown} de ${all} momentos`,
    annotations: "Anotaciones"
  }
})

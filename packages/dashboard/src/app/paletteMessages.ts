import { defineMessages } from "../i18n/language.ts"

export const paletteMessages = defineMessages({
  en: {
    title: "Search",
    label: "Search devices, sites, customers, accounts, programs, pages and actions",
    placeholder: "Name, address, e-mail, serial number, page…",
    results: "Results",
    page: "Page",
    action: "Action",
    types: {
      device: "Device",
      site: "Site",
      customer: "Customer",
      account: "Account",
      programInstance: "Program"
    },
    searching: "Searching…",
    count: (count: number) => (count === 1 ? "1 result" : `${count} results`),
    nothing: (text: string) => `Nothing found for “${text}”`,
    similar: (text: string) => `Nothing contains “${text}”. These are similar:`,
    hint: "Type at least two characters.",
    newDestination: "New destination",
    keys: "Keyboard shortcuts",
    singleKeys: "Use single keys as shortcuts",
    then: "then",
    openSearch: "Search",
    openHelp: "Show this list",
    openPage: (page: string) => `Open ${page}`,
    move: "Choose a result",
    open: "Open the result",
    close: "Close",
    zoomOut: "Zoom out of a chart"
  },
  es: {
    title: "Buscar",
    label: "Buscar dispositivos, instalaciones, clientes, cuentas, programas, páginas y acciones",
    placeholder: "Nombre, dirección, correo, número de serie, página…",
    results: "Resultados",
    page: "Página",
    action: "Acción",
    types: {
      device: "Dispositivo",
      site: "Instalación",
      customer: "Cliente",
      account: "Cuenta",
      programInstance: "Programa"
    },
    searching: "Buscando…",
    count: (count: number) => (count === 1 ? "1 resultado" : `${count} resultados`),
    nothing: (text: string) => `No se encontró nada para «${text}»`,
    similar: (text: string) => `Nada contiene «${text}». Esto es parecido:`,
    hint: "Escriba al menos dos caracteres.",
    newDestination: "Nuevo destino",
    keys: "Atajos de teclado",
    singleKeys: "Usar teclas sueltas como atajos",
    then: "y luego",
    openSearch: "Buscar",
    openHelp: "Mostrar esta lista",
    openPage: (page: string) => `Abrir ${page}`,
    move: "Elegir un resultado",
    open: "Abrir el resultado",
    close: "Cerrar",
    zoomOut: "Alejar un gráfico"
  }
})
